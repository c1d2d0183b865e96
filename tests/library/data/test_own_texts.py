"""Own texts on a server for others: a share for each learner and each address, and a time after which they go."""

import os
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from core.data import corpora
from core.data.corpora import CorpusRefused, load, store_user_text
from tests.counts import count

ANNA, BEN = "a" * 32, "b" * 32
LINE = "A line of a text that somebody has brought along, number %d. "


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path / "texts"


def text(n: int) -> str:
    return (LINE % n) * 20


@settings(max_examples=count(20, 300), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["111111", "222222"]), st.integers(0, 30)), max_size=40))
def test_no_one_can_fill_what_all_share(asked: list[tuple[int, str, int]]) -> None:
    """Fails where thrown-away cookies get a share each (B10): an address has one, and leaves room for the next."""
    with pytest.MonkeyPatch.context() as patch:
        for path in (corpora.data_dir() / "texts").glob("*"):
            path.unlink()
        patch.setattr(corpora, "MAX_OF_LEARNER", 3_000)
        patch.setattr(corpora, "MAX_OF_ADDRESS", 6_000)
        patch.setattr(corpora, "MAX_OWN_BYTES", 14_000)
        for learner, mark, n in asked:
            try:
                assert load(store_user_text("t", text(n), str(learner) * 32, mark)).text == text(n)
            except CorpusRefused as refused:
                assert "would take more than" in str(refused) and "after 30 days" in str(refused)  # noqa: PT017
        held: Counter[str] = Counter()
        for path in (corpora.data_dir() / "texts").glob("*"):
            _, learner_id, mark, _ = path.name.split(".")
            held[learner_id] += path.stat().st_size
            held[mark] += path.stat().st_size
        assert all(n <= (6_000 if len(name) == 6 else 3_000) for name, n in held.items())
        store_user_text("t", text(99), "9" * 32, "999999")


def test_the_same_text_is_kept_once_and_counts_for_whoever_came_first(folder: Path) -> None:
    assert (
        store_user_text("t", text(1), ANNA, "111111")
        == store_user_text("t", text(1), BEN, "222222")
        == store_user_text("t", text(1))
    )
    assert [path.name.split(".")[1] for path in folder.iterdir()] == [ANNA[:16]]


def test_what_nobody_uses_for_thirty_days_goes_and_ones_own_machine_keeps_all(folder: Path) -> None:
    used, unused, own = (
        store_user_text("t", text(1), ANNA, "111111"),
        store_user_text("t", text(2), ANNA),
        store_user_text("t", text(3)),
    )
    for path in folder.iterdir():
        os.utime(path, (0, 0))
    load(used)
    corpora.delete_unused_texts()
    assert (load(used).text, load(own).text) == (text(1), text(3))
    with pytest.raises(CorpusRefused, match="Please add it again"):
        load(unused)
    corpora.delete_unused_texts(time.time() + 29 * 24 * 3600)
    assert load(used).text == text(1)
