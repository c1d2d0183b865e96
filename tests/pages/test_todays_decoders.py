"""Every room that opens a decoder, on today's: no fault, and what a picture recomputes of its numbers is what it shows.

What this catches, beside a fault: a browser that is sent queries and keys alone where a bound stands between them and
the scores; one mask for layers that read differently; megabytes for a vocabulary of 150,000 tokens.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.rooms.pretrained.model_choice import ROOM_LINKS
from tests import todays_decoders
from tests.counts import tree_number
from tests.pages.choices import shown
from tests.pages.rooms import clean, linked, text_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = {room.page: room.control for room in ROOM_LINKS if "gpt" in room.kinds} | {
    "pages/families/pretrained.py": "model",
    "pages/attention/model_map.py": "model",
}
OFTEN = ("gemma-2", "mixtral", "phi")


def models(*often: str) -> pytest.MarkDecorator:
    """A test for each model; those that are not named here run in full alone."""
    return pytest.mark.parametrize("name", [
        one if one in often else pytest.param(one, marks=pytest.mark.full) for one in todays_decoders.ALL
    ])  # fmt: skip


MOST_SENT = 2_000_000  # bytes of all pictures of a page
WIDE, N_WORD = "wide", 151_936


@pytest.fixture(scope="module", autouse=True)
def _models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    data = tmp_path_factory.mktemp("data")
    for name in todays_decoders.ALL:
        todays_decoders.write(data / "models" / name, name)
    todays_decoders.write(data / "models" / WIDE, "qwen-3", vocab_size=N_WORD, d_model=64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_DATA", str(data))
        yield


def opened(page: str, name: str, **address: str) -> AppTest:
    test = clean(linked(str(ROOT / page), **{PAGES[page]: name}, **address).run())
    assert test.selectbox(key=PAGES[page]).value == name
    return test


@models(OFTEN[tree_number() % len(OFTEN)])
def test_every_room_of_a_decoder_opens(name: str) -> None:
    for page in PAGES:
        test = opened(page, name)
        sent = [one.proto.bytes for one in test.get("bidi_component") if one.proto.bytes]
        assert sum(map(len, sent)) < MOST_SENT, page


@models(*OFTEN, "sinks-and-gates")
@pytest.mark.parametrize("layer", [0, 1])
def test_what_a_picture_recomputes_of_a_weight_is_the_weight(name: str, layer: int) -> None:
    test = opened("pages/attention/heads.py", name, layer=str(layer), only="one-head")
    found = [(header, arrays) for header, arrays in pictures(test) if header.get("operands")]
    assert found
    for header, arrays in found:
        operands, weights = header["operands"], arrays["values"]
        scores = arrays["q"].astype(float) @ arrays["k"].T * operands["scale"]
        if most := operands.get("softcap"):
            scores = most * np.tanh(scores / most)
        if "scores" in arrays:  # what is printed as the score is this
            np.testing.assert_allclose(scores, arrays["scores"], atol=1e-4)
        powers = np.where(arrays["empty"], 0, np.exp(scores))
        beside = np.exp(operands["sink"]) if "sink" in operands else 0.0
        assert ("sink" in operands) == (name == "sinks-and-gates")
        np.testing.assert_allclose(powers / (powers.sum(-1, keepdims=True) + beside), weights, atol=1e-5)
    config = todays_decoders.ALL[name]
    reads = config["window"] if "window" in config and layer in config.get("windowed", (layer,)) else 99
    n = len(weights)
    assert int((~arrays["empty"].astype(bool)).sum()) == sum(min(t + 1, reads) for t in range(n))


def test_a_bounded_logit_is_said_to_be() -> None:
    test = opened("pages/families/decoder.py", "gemma-2", only="last-row")
    header, arrays = next(one for one in pictures(test) if one[0].get("widget") == "unembed")
    sums = arrays["rows"] @ arrays["hidden"] + arrays["biases"]
    logits = header["softcap"] * np.tanh(sums / header["softcap"])
    assert float(logits.max()) == pytest.approx(header["largest"], abs=1e-5)
    assert "bounds its logits" in text_of(test)


def test_what_cannot_be_shown_of_experts_is_said() -> None:
    test = opened("pages/attention/block.py", "qwen-moe", only="units")
    assert "sent to 2 of them, in addition to one that all tokens pass" in text_of(test).replace("\\", "")
    for page in ("pages/families/decoder.py", "pages/attention/masks.py"):
        only = "leak-test" if "decoder" in page else "draw-your-own"
        assert "changes the rounding of its sums" in text_of(opened(page, "qwen-moe", only=only))


def test_windows_are_told() -> None:
    for page, only in (("attention/masks", "kinds-of-masks"), ("generate/cache", "tables-that-grow")):
        assert "a window of 5 tokens in 2 of 3 layers" in text_of(opened(f"pages/{page}.py", "gemma-2", only=only))


def test_of_a_large_vocabulary_the_names_that_are_shown_are_sent() -> None:
    """All logits go to the browser, four bytes each, but of the names only a few, or packed."""
    test = opened("pages/generate/next_token.py", WIDE, only="what-comes-next")
    header, arrays = next(one for one in pictures(test) if one[0].get("widget") == "distribution")
    order = np.argsort(-arrays["logits"].ravel(), kind="stable")
    assert arrays["logits"].size == N_WORD and 500 <= len(header["tokens"]) < 600
    assert all(str(i) in header["tokens"] for i in order[:500])
    for page in ("pages/generate/next_token.py", "pages/generate/strategies.py", "pages/generate/beam.py"):
        sent = [len(one.proto.bytes) for one in opened(page, WIDE).get("bidi_component")]
        assert max(sent) < 1_100_000 and sum(sent) < 2_000_000, page


def pictures(test: AppTest) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for one in test.get("bidi_component"):
        if one.proto.bytes:
            yield shown(one.proto.bytes, test)
