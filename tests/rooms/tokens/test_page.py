"""The room of tokens, driven without a browser: any text, every text to learn from, clicks, public vocabularies."""

import base64
import hashlib
from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.data import corpora, tokenizers
from core.data.tokenizers import tiktokens
from core.jobs.store import Store
from core.rooms.tokens import four_ways, pick_text, rows
from core.rooms.tokens.inputs import EXAMPLE
from core.train.recipes import RECIPES
from tests import tiny_model
from tests.counts import count
from tests.pages.choices import headers as every_header, looked
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data", "no_public_vocabulary")

ROOT = Path(__file__).resolve().parents[3]
page = partial(linked, str(ROOT / "pages" / "attention" / "tokens.py"))


@pytest.fixture
def no_public_vocabulary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache of tiktoken's, whatever this machine has, and no network."""

    def refuse(*_: object, **__: object) -> bytes:
        raise tiktokens.DownloadFailed("there is no network")

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tiktokens, "fetch", refuse)
    pick_text.available.clear()


def headers(test: AppTest) -> dict[str, dict]:
    """What was sent to each picture, by its label."""
    return {str(one["label"]): one for _, one in every_header(test) if "label" in one}


def test_each_token_has_its_row_its_words_and_its_marks_in_all_matrices() -> None:
    test = clean(page().run())
    assert "is not on this machine" not in text_of(test)  # only whoever asks for a public vocabulary hears of it
    assert "Largest difference between product and look-up" in text_of(test)
    given = rows.Inputs().given
    for at, repeats in ((8, "It's at positions 2 and 8"), (6, "It occurs once in this text.")):
        test = clean(page(hot_token=str(at)).run())
        assert f"Token {at}, **“{given.tokens[at].strip()}”**, has the id **{given.ids[at]}**" in text_of(test)
        assert repeats in text_of(test)
        same = [i for i, id in enumerate(given.ids) if id == given.ids[at]]
        sent = {label: looked(one, test) for label, one in headers(test).items()}
        for label in ("T: one-hot", "X = T E"):
            assert [i for i, name in enumerate(sent[label]["rows"]) if name.startswith("▸")] == same
            assert sent[label]["selected"][0] == at and sent[label]["chooses"] == {"pick": {"row": "hot_token"}}
        (entry,) = [i for i, name in enumerate(sent["E: the embeddings"]["rows"]) if name.startswith("▸")]
        assert sent["E: the embeddings"]["rows"][entry].startswith(f"▸{given.ids[at]}:")
        name, tokens = sent["E: the embeddings"]["chooses"]["pick"]["row"]
        assert name == "hot_token" and tokens[entry] == same[0] and None in tokens
        assert sent["One row is copied"]["rows"][at] == sent["E: the embeddings"]["selected"][0] == entry


def test_the_transpose_has_columns() -> None:
    n_token = len(headers(clean(page().run()))["T: one-hot"]["rows"]["values"])
    test = clean(page(hot_way="Column", hot_token="5").run())
    sent = {label: looked(one, test) for label, one in headers(test).items()}
    assert "Ω: the embeddings, one column each" in sent
    assert len(sent["X = Ω T"]["columns"]) == n_token and sent["X = Ω T"]["selected"] == [0, 5]
    assert sent["X = Ω T"]["chooses"] == {"pick": {"column": "hot_token"}}


def test_any_text_and_every_text_to_learn_from() -> None:
    test = page(open="all").run()
    all_texts = (
        ("\x00\u202e\u200d", "stories"),
        ("語" * 1000, "python-library"),
        ("<b>&amp;</b> $x$ :red[y]", "this-text"),
        ("a", "bottle-and-cup"),
    )
    for text, source in all_texts[: count(2, 4)]:
        test.text_area(key="tokens_text").set_value(text)
        clean(test.selectbox(key="learned_from").set_value(source).run())
        for learned in ("text", "corpus"):
            clean(test.button_group(key="born_from").set_value(learned).run())
    test.selectbox(key="learned_from").set_value("stories")
    for size, told in ((256, "**256** in the vocabulary"), (8192, "You asked for 8,192 tokens; this text yields 643")):
        assert told in text_of(clean(test.button_group(key="vocab").set_value(size).run()))
    test.text_area(key="tokens_text").set_value("�")
    clean(test.selectbox(key="learned_from").set_value("this-text").run())
    assert "Nothing can be learned here" in text_of(test)
    clean(test.text_area(key="tokens_text").set_value("").run())
    assert "The text is empty" in text_of(test)
    assert [one.anchor for one in test.subheader] == ["one-hot-look-up", "own-tokens"]


def test_a_run_trained_here_can_be_looked_at(data: Path) -> None:
    store = Store(data / "runs")
    run_id = store.create("somebody", RECIPES["stories"].to_dict(), seed=0, name="A run")
    tiny_model.write(store.folder(run_id), n_layer=1)
    test = clean(page(model=run_id).run())
    assert test.selectbox(key="model").value == run_id
    assert "over all" in text_of(test)
    clean(test.text_area(key="text").set_value("Anna Anna Anna").run())
    assert "It's at positions 1 and 2" in text_of(test)


def test_a_link_to_a_text_of_ones_own_opens_with_it() -> None:
    key = corpora.add_own("My *own* text", "Once there was an owl. " * 40)
    test = clean(page(learned_from=f"My *own* text ({key})").run())
    assert test.selectbox(key="learned_from").value == key
    assert "**0.0%**" not in text_of(test)


def test_nothing_is_fetched_unasked_and_a_failure_is_told() -> None:
    test = clean(page(public="GPT-4 (cl100k)").run())
    assert "GPT-4 (cl100k) is not on this machine" in text_of(test)
    test.button(key="tokens-download").click().run()
    assert not test.exception
    assert "there is no network" in test.error[0].value
    clean(test.button_group(key="public").set_value("gpt2").run())


def test_a_public_vocabulary_that_is_here_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A vocabulary of single bytes stands in for the real file."""
    content = b"".join(base64.b64encode(bytes([b])) + b" %d\n" % b for b in range(256))
    url = tiktokens.FILES["r50k_base"][0][0]
    files = {**tiktokens.FILES, "r50k_base": ((url, hashlib.sha256(content).hexdigest()),)}
    monkeypatch.setattr(tiktokens, "FILES", files)
    monkeypatch.setattr(tiktokens, "fetch", lambda *_, **__: content)
    monkeypatch.setattr(four_ways, "_public", lambda name: tokenizers.BPETokenizer([]))
    test = clean(page(public="GPT-3 (r50k)").run())
    clean(test.button(key="tokens-download").click().run())
    assert "is not on this machine" not in text_of(test)
    assert any(f"GPT-3 (r50k): {len(EXAMPLE.encode())} tokens" in label for label in headers(test))
    assert (tmp_path / hashlib.sha1(url.encode()).hexdigest()).read_bytes() == content


def test_the_example_shows_two_rows_and_three_samples_and_takes_any_text() -> None:
    test = clean(page(open="all").run())
    words = text_of(test)
    assert "Now 0.63 with characters, **0.55** with your own tokens and 0.24 with the stories' tokens" in words
    assert "Your text makes 26 new tokens" in words and "it was at 0.2" in words
    assert len(test.code) == 3 and all(one.value.startswith("Mia had a") for one in test.code)
    assert headers(test)["Rows of red and blue"]["names"][-1] == "blue, step 300"
    test.selectbox(key="own_pair").set_value("he-she")
    assert "Rows of he and she" in headers(clean(test.run()))
    clean(test.text_input(key="own_beginning").set_value("🦎").run())
    assert all(one.value for one in test.code)
    for text, said in (
        ("", "The text is empty"),
        ("a", "The text of this training makes 26 new tokens"),
        ("🦎", "settings have changed"),
        ("語" * 2000, "only the last 1\\,000 are used"),
    ):
        test.text_area(key="own_text").set_value(text).run()
        assert not test.exception
        assert said in "\n".join([text_of(test), *(one.value for one in test.warning)])
