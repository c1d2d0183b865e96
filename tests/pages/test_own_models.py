"""Models of one's own in every room that opens them: of letters, deep, wide, small, with any blocks and positions.

What this catches: a room that breaks on a model that is built otherwise than those that ship, or doesn't say how.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.nn.block import BlockStyle
from core.nn.positions import POSITION_SCHEMES
from core.rooms.pretrained.model_choice import ROOM_LINKS
from tests import tiny_model
from tests.counts import in_turn
from tests.pages.rooms import clean, linked, text_of

ROOT = Path(__file__).resolve().parents[2]
MODELS: dict[str, dict[str, Any]] = {
    "letters": {"kind": "char", "n_layer": 1, "n_head": 1, "context_length": 16},
    "post-norm": {"block": BlockStyle(norm_first=False)},
    "no-residual": {"block": BlockStyle(residual=False)},
    "attention-alone": {"block": BlockStyle(feed_forward=False)},
    "swiglu": {"block": BlockStyle(activation="swiglu", norm="rms")},
    "all-at-once": {"causal": False},
    "deep-and-wide": {"kind": "char", "cell": "lstm", "n_layer": 2, "d_model": 300},
    "small-windows": {"cell": "gru", "context_length": 4},
    **{scheme: {"positions": scheme} for scheme in POSITION_SCHEMES},
}
LONG = "Anna had a red ball. " * 10
# (page, model, more of the address, what is said; "-" before what must not be)
SAID: list[tuple[str, str, dict[str, str], list[str]]] = [
    ("attention/block", "post-norm", {}, ["post-norm"]),
    ("attention/block", "no-residual", {}, ["no residual path"]),
    ("attention/block", "attention-alone", {}, ["only attention"]),
    ("attention/block", "swiglu", {}, ["SwiGLU"]),
    ("attention/embeddings", "letters", {"token": "·Mia", "map": "t-SNE"}, ["the axes have no meaning"]),
    ("attention/heads", "all-at-once", {"rollout_row": "0", "query": "0"}, ["would get 0.", "-It can read no"]),
    ("attention/heads", "all-at-once", {"rank": "Focus"}, ["would get 0."]),
    ("attention/heads", "small-windows", {}, ["this link's model is a recurrent net"]),
    ("attention/masks", "letters", {}, ["Its last 16 are used", "in 1 layer;", "256 of 256 pairs agree",
     "positions too must start"]),
    ("attention/positions", "none", {}, ["no positions at all"]),
    ("attention/positions", "sinusoidal", {}, ["fixed sines and cosines"]),
    ("attention/positions", "rotary", {}, ["turns its queries and keys"]),
    ("attention/positions", "alibi", {}, ["ALiBi"]),
    ("attention/positions", "relative", {}, ["one number for each head and bucket"]),
    ("attention/positions", "learned", {}, ["Mean cosine of two neighbors"]),
    ("before/recurrent", "deep-and-wide", {"unroll_layer": "0", "unroll_unit": "299"}, ["2 layers of 300 LSTM units"]),
    ("before/recurrent", "deep-and-wide", {"unroll_layer": "1", "unroll_unit": "0"}, ["Unit 0 reads"]),
    ("before/recurrent", "small-windows", {}, ["trained on windows of 4 tokens"]),
    ("generate/next_token", "small-windows", {}, ["trained on windows of 4 tokens"]),
    ("generate/strategies", "small-windows", {"columns_n": "10"}, ["trained on windows of 4 tokens"]),
    ("generate/next_token", "letters", {"written": "60", "text": LONG}, ["reads at most 16"]),
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    data = tmp_path_factory.mktemp("data")
    for name, how in MODELS.items():
        tiny_model.write(data / "models" / name, **how)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_DATA", str(data))
        yield


def opened(page: str, **address: str) -> AppTest:
    return clean(linked(str(ROOT / page), open="all", depth="numbers", **address).run())


@pytest.mark.parametrize(("page", "name", "more", "words"), SAID, ids=lambda one: one if isinstance(one, str) else "")
def test_what_is_particular_is_said(page: str, name: str, more: dict[str, str], words: list[str]) -> None:
    control = next(room.control for room in ROOM_LINKS if room.page == f"pages/{page}.py")
    told = text_of(opened(f"pages/{page}.py", **{control: name}, **more))
    for one in words:
        assert (one.removeprefix("-") in told) != one.startswith("-"), f"{one!r} in {told}"


@pytest.mark.parametrize("name", in_turn(MODELS, 4))
def test_every_room_of_its_kind_opens(name: str) -> None:
    kind = "rnn" if "cell" in MODELS[name] else "gpt"
    for room in ROOM_LINKS:
        if kind in room.kinds:
            test = opened(room.page, **{room.control: name})
            assert test.selectbox(key=room.control).value == name, room.page
            assert not test.warning, room.page
