"""The film of merges on its way to the browser: what is sent, and that the script cuts the text as Python does."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from core.data import corpora
from core.rooms.tokens import merges_widget as widget
from core.rooms.tokens.compute.merge_film import film
from core.rooms.tokens.compute.vocabulary_size import Cost
from core.rooms.tokens.vocabulary_chart import trade_off
from core.ui.widgets.message import unpack

ROOT = Path(__file__).parents[3]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    messages: list[bytes] = []
    monkeypatch.setattr(widget, "mount", lambda name, key, message: messages.append(message))
    return messages


def test_the_message_tells_every_merge_by_its_tokens(sent: list[bytes]) -> None:
    made = film("abab é ab", 3)
    widget.merges(made, key="m", label="A film")
    header, arrays = unpack(sent[0])
    label = [token[1] for token in header["tokens"]]
    told = [(label[left], label[right], label[new], count) for left, right, new, count, *_ in header["steps"]]
    assert told == [("a", "b", "ab", 3), ("⟨C3⟩", "⟨A9⟩", "é", 1), (" ", "ab", " ab", 1)]
    assert [token[2] for token in header["tokens"]] == [32, 97, 98, 169, 195, 256, 257, 258]
    assert header["n_character"] == 9
    assert not header["complete"]
    np.testing.assert_array_equal(arrays["n_token"], made.n_token)
    np.testing.assert_array_equal(arrays["gone"], made.gone)
    assert bytes(arrays["content"]).decode() == "abab é ab"
    assert header["takeaway"] == "A film: 3 merges make 5 tokens of 10 bytes."


def test_every_token_of_every_cut_has_a_label(sent: list[bytes]) -> None:
    made = film("naïve 🦎 \x00 naïve", 40)
    widget.merges(made, key="m")
    known = {token[0] for token in unpack(sent[0])[0]["tokens"]}
    for step in range(len(made.steps) + 1):
        assert {token.decode("latin-1") for token in made.tokens(step)} <= known


def test_a_film_of_the_largest_size_is_small(sent: list[bytes]) -> None:
    text = corpora.load("python-topics").text[:2000]
    widget.merges(film(text, 200), key="m")
    assert len(sent[0]) < 60_000


def test_an_empty_film_can_be_sent(sent: list[bytes]) -> None:
    widget.merges(film("a", 10), key="m")
    assert unpack(sent[0])[0]["steps"] == []


def test_the_script_cuts_as_python_does(node: str) -> None:
    made = film("The owl 🦎 and the other owls say: naïve, naïve!\n\n  12345 aaaa aaaaa", 60)
    given = json.dumps({"content": made.content.tolist(), "gone": made.gone.tolist(), "n": len(made.steps)})
    script = f"""
        import {{ cutAt, spell }} from {json.dumps((ROOT / "assets" / "widgets" / "tokens" / "cuts.js").as_uri())};
        const {{ content, gone, n }} = {given}, bytes = Uint8Array.from(content);
        const cuts = Array.from({{ length: n + 1 }}, (_, k) => cutAt(gone, k).map((place) => spell(bytes, place)));
        console.log(JSON.stringify(cuts));
    """
    done = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    cuts = [[token.decode("latin-1") for token in made.tokens(step)] for step in range(len(made.steps) + 1)]
    assert json.loads(done.stdout) == cuts


COSTS = [Cost("bpe", 256, 1000, 1000, 0), Cost("bpe", 512, 450, 1000, 0), Cost("word", 900, 300, 1000, 0)]


def test_the_trade_off_shows_what_was_given_on_fixed_axes() -> None:
    spec = trade_off(COSTS, 64, marked=512, embedding_range=(4096, 10**6))
    assert [(row["vocabulary"], row["tokens"], row["embedding"]) for row in spec["datasets"]["rows"]] == [
        (256, 1000.0, 16384),
        (512, 450.0, 32768),
        (900, 300.0, 57600),
    ]
    left, right = (layer["layer"][0]["encoding"]["y"]["scale"] for layer in spec["layer"][:2])
    assert left["domain"][0] == 0
    assert right["domain"] == [4096, 10**6]
    solid, hollow = (layer["layer"][1]["mark"]["filled"] for layer in spec["layer"][:2])
    assert (solid, hollow) == (True, False)  # the two axes differ in more than color
    assert spec["datasets"]["marked"] == [{"vocabulary": 512, "label": "chosen\n512"}]


def test_a_text_of_many_bytes_per_character_stays_on_the_chart() -> None:
    many = [*COSTS, Cost("bpe", 300, 3000, 1000, 0)]
    spec = trade_off(many, 64, marked=512, embedding_range=(4096, 10**6))
    assert spec["layer"][0]["layer"][0]["encoding"]["y"]["scale"]["domain"][1] >= 3000
