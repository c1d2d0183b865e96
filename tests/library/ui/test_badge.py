"""The truth badge: the line that made a number, and the second pass's verdict on it."""

import inspect

import numpy as np
import pytest
import torch

from core.inspect.tap_lines import REPOSITORY_ROOT, find_tap_line
from core.models.bert import BERTConfig
from core.models.gpt import GPTConfig
from core.models.images.captioner import CaptionerConfig
from core.models.images.vit import ViTConfig
from core.models.recurrent_seq2seq import RecurrentSeq2SeqConfig
from core.models.registry import build
from core.models.rnn import RNNConfig
from core.models.t5 import T5Config
from core.nn.tap import Trace
from core.ui.widgets import badges
from core.ui.widgets.provenance_badge import ProvenanceBadge

KEY = "a-matrix"
INPUTS = {
    "gpt": (GPTConfig(vocab_size=9, n_head=2, d_model=8), torch.tensor([[1, 2, 3]])),
    "bert": (BERTConfig(vocab_size=9, n_head=2, d_model=8), torch.tensor([[1, 2, 3]])),
    "rnn": (RNNConfig(vocab_size=9, d_model=6, cell="lstm"), torch.tensor([[1, 2, 3]])),
    "vit": (ViTConfig(n_head=2, d_model=8), torch.zeros(1, 1, 8, 8)),
    "t5": (T5Config(vocab_size=9, n_head=2, d_model=8), torch.tensor([[1, 2, 3]]), torch.tensor([[0, 2]])),
    "seq2seq": (
        RecurrentSeq2SeqConfig(source_vocab=9, vocab_size=5, d_model=6), torch.tensor([[1, 2]]), torch.tensor([[0, 2]])
    ),
    "captioner": (
        CaptionerConfig(vocab_size=9, n_head=2, d_model=8), torch.zeros(1, 1, 8, 8), torch.tensor([[0, 2]])
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", INPUTS)
def test_the_line_of_every_tensor(kind: str) -> None:
    """Each tensor that a model taps has a line in the source, and there it is tapped under that name."""
    config, *inputs = INPUTS[kind]
    model = build(config)
    with torch.no_grad(), Trace(model) as trace:
        model(*inputs)
    for name in trace:
        found = find_tap_line(model, name)
        path, _, number = found.place.partition(":")
        line = (REPOSITORY_ROOT / path).read_text().splitlines()[int(number) - 1]
        assert f'tap(self, "{name.rpartition(".")[2]}"' in line
        assert found.text == line.strip()


def test_no_line_for_what_nobody_taps() -> None:
    model = build(INPUTS["gpt"][0])
    with pytest.raises(KeyError, match="taps no"):
        find_tap_line(model, "blocks.0.attn.nothing")
    with pytest.raises(KeyError, match="no module"):
        find_tap_line(model, "blocks.7.attn.weights")


def badge_of(ids: list[int], spoil: float = 0.0) -> tuple[ProvenanceBadge, np.ndarray]:
    model = build(INPUTS["gpt"][0], seed=3)
    with torch.no_grad(), Trace(model) as trace:
        model(torch.tensor([ids]))
    whole = trace["blocks.1.attn.weights"][0].numpy()
    with torch.no_grad():
        model.blocks[0].attn.w_v.weight[0, 0] += spoil
    return badges._trained_model_tensor_badge(
        model, "blocks.1.attn.weights", (1, "row", "column"), whole, name="a model", step=5, seed=3, ids=ids
    ), whole


def ask(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setattr("streamlit.session_state", {KEY: {"check": {"of": token}}})


def test_nothing_is_computed_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    badge, whole = badge_of([1, 2, 3])
    monkeypatch.setattr(
        "core.inspect.numpy_reference.numpy_forward.numpy_forward", lambda *_, **__: pytest.fail("computed")
    )
    told, arrays = badge.to_message(KEY, whole[1].astype(float))
    assert (told["tensor"], told["shape"], told["step"], told["seed"]) == ("blocks.1.attn.weights", [2, 3, 3], 5, 3)
    assert told["can"] and "found" not in told and not arrays
    for wrong in ("another", "", 7):  # an old request, and what a forged one may hold
        ask(monkeypatch, wrong)  # type: ignore[arg-type]
        assert not badge.to_message(KEY, whole[1].astype(float))[1]


@pytest.mark.parametrize(("spoil", "least", "most"), [(0.0, 0.0, 2e-6), (3.0, 1e-4, 1.0)])
def test_asked(monkeypatch: pytest.MonkeyPatch, spoil: float, least: float, most: float) -> None:
    """The second pass agrees; and says so loudly where the weights are not those that made the number."""
    badge, whole = badge_of([1, 2, 3, 4, 5, 6], spoil)
    ask(monkeypatch, badge.token)
    told, arrays = badge.to_message(KEY, whole[1].astype(float))
    assert least <= told["found"]["largest"] <= most
    assert told["found"]["n_number"] == 72
    assert np.abs(arrays["again"] - whole[1] - arrays["difference"]).max() < 1e-6


def test_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    badge, whole = badge_of([1, 2, 3])
    ask(monkeypatch, badge.token)
    monkeypatch.setattr("core.inspect.numpy_reference.numpy_forward.numpy_forward", lambda *_, **__: {})
    assert "second pass failed" in badge.to_message(KEY, whole[1].astype(float))[0]["failed"]


def test_some_rows_turned_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units as rows, tokens as columns, and only some of the units."""
    whole = np.arange(12.0).reshape(3, 4)
    found = find_tap_line(build(INPUTS["rnn"][0]), "blocks.0.h")
    badge = ProvenanceBadge(
        tensor="blocks.0.h", index=("column", "row"), shape=(3, 4), model="a net", source=found, identity="x",
        recompute=lambda: whole + 0.5, rows=(2, 0), whole=whole,
    )  # fmt: skip
    ask(monkeypatch, badge.token)
    _, arrays = badge.to_message(KEY, whole[:, [2, 0]].T)
    assert np.array_equal(arrays["again"], whole[:, [2, 0]].T + 0.5)
    assert np.all(arrays["difference"] == 0.5)


def test_the_second_pass_shares_no_line_with_the_model() -> None:
    """Its modules import nothing of core.nn or core.models, nor torch."""
    from core.inspect.numpy_reference import numpy_forward, numpy_parts, numpy_recurrent, numpy_weights

    for module in (numpy_parts, numpy_forward, numpy_recurrent, numpy_weights):
        imports = [
            line for line in inspect.getsource(module).splitlines() if line.lstrip().startswith(("import", "from"))
        ]
        assert not [line for line in imports if "torch" in line or "core.nn" in line or "core.models" in line]
