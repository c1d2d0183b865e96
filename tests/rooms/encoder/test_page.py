"""The room driven without a browser: what it tells at first, any text, links, trainings that go on."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.exhibit import MAX_SEED
from core.rooms.encoder import class_attention, directions, inputs
from core.train.experiment import run_of
from core.ui.training import experiments
from tests.pages.choices import every_sent, shown
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "families" / "encoder.py")
page = partial(linked, PAGE, open="all", depth="numbers")
GAP_TEXTS, OWN_TEXTS = ("gap_text", "two_text", "dir_text"), ("tune_text", "class_text", "entity_text")
OWN = dict.fromkeys(("tune_review", "class_review", "entity_sentence"), inputs.OWN)


def test_opens_with_a_result_and_the_roll_goes_on() -> None:
    test = clean(page().run())
    assert not test.warning
    told = text_of(test)
    assert "| **chosen** | 26 | 25.6 ± 4.7 |" in told
    assert "scratch **62%**" in told and "free **89%**" in told and "198 (78%)" in told
    assert "**0.390**" in told and "1.000" in [one.value for one in test.metric]
    assert ":blue-background[**paris** person]" in told and ":green-background[**jordan** place]" in told
    next(button for button in test.button if button.label == "Roll again").click()
    clean(test.run())
    assert test.number_input(key="lab_seed").value == 1 and "Seeds 1 to 200" in text_of(test)
    test.number_input(key="lab_seed").set_value(MAX_SEED)
    test.slider(key="two_first").set_value(19)
    assert "These would be one gap" in text_of(clean(test.run()))
    next(button for button in test.button if button.label == "Roll again").click()
    clean(test.run())
    assert test.number_input(key="lab_seed").value == 0  # after the largest seed comes the first


@pytest.mark.parametrize(
    ("own", "told_by"),
    [
        ("", {"": "Type at least 2 words", "x" * 1000: "the first 400", "Tom " * 99: "the model reads at most 31"}),
        ("[x](y) $a$ <b>", {"🙂": "Type at least 2", "🙂 *Tom* [x](y)": "t know “🙂”", "Tom ran": "“ran”"}),
        ("x " * 500, {}),
    ],
)
def test_any_text(own: str, told_by: dict[str, str]) -> None:
    texts = dict(zip(GAP_TEXTS, told_by, strict=False)) | dict.fromkeys(OWN_TEXTS, own)
    test = clean(page(**texts, **OWN, gap_places="1.2.30").run())
    told = text_of(test) + " ".join(one.value for one in test.warning)
    assert all(says in told for says in told_by.values())


def test_each_head_is_shown_where_it_is_chosen() -> None:
    """All heads are sent at once: what a picture and a sentence say must be of the chosen one."""
    for head in (class_attention.MEAN, "0.2"):
        test = clean(page(class_head=head, dir_head="0.1").run())
        found = class_attention.compute(class_attention.Inputs(head=head), run_of("finetune"))
        message = next(one for one in every_sent(test, "token_row") if b"Where <class> looks" in one)
        header, arrays = shown(message, test)
        np.testing.assert_allclose(arrays["values"], found.weights, atol=1e-7)
        assert header["tokens"][0] == f"<class>={found.weights[0]:.2f}" and header["label"].endswith(head)
        said = f"**{found.tokens[found.most]}** has the most weight ({found.weights[found.most]:.2f})"
        assert said in text_of(test)
    sides = directions.compute(directions.Inputs(), run_of("masked"))
    maps = [one for one in every_sent(test, "matrix") if b"Attention of the" in one]
    for weights, message in zip((sides.encoder, sides.decoder), maps, strict=True):
        values, allowed = shown(message, test)[1]["values"], weights[0, 1] > 0
        np.testing.assert_allclose(values[allowed], weights[0, 1][allowed], atol=1e-7)


def test_links_are_checked() -> None:
    for places in ("²", "0.0.99999." + "1." * 500 + "-1.x"):
        clean(page(gap_places=places).run())
    assert "Nothing is hidden" in text_of(clean(page(gap_places="none").run()))
    odd = {"lab_share": "7", "tune_labels": "7", "class_head": "no", "entity_layers": "9", "tune_review": "x" * 500}
    test = clean(page(**odd, dir_head="9.9").run())
    assert len(test.warning) >= len(odd) and "| **chosen** |" in text_of(test)


@pytest.mark.parametrize("n", [1, 3])
def test_trainings_that_have_just_begun(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {name: run_of(name, seed=1, until=n, n_step=4) for name in ("finetune", "entities")}
    runs["masked"] = run_of("masked", seed=3, until=0)
    real = experiments._shown
    for name, run in runs.items():
        runs[name] = replace(run, is_running=True)
    monkeypatch.setattr(experiments, "_shown", lambda name, run: runs.get(name) or real(name, run))
    told = text_of(clean(page().run()))
    assert "At step 0: a loss of 5." in told
    assert ("The labels come after" in told) == (n < 2) == ("tuned model yet" in told)
