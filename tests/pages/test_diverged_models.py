"""A model with finite weights whose activations overflow, as a run leaves that diverged in its last steps."""

import copy
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from core.inspect.attention_record import attention
from core.inspect.model_inputs.model_and_text import OVERFLOW_MESSAGE, load_model_and_text
from tests import tiny_model
from tests.counts import rest_is_full
from tests.pages.rooms import linked, text_of

ROOT = Path(__file__).resolve().parents[2]
READ_A_MODEL = (
    *("attention/block", "attention/embeddings", "attention/heads", "attention/masks", "families/decoder"),
    *("families/pretrained", "generate/beam", "generate/cache", "generate/next_token", "generate/strategies"),
    "today/fewer_bits",
)
# Which weights are huge, and how much: scores, hidden numbers or logits then leave float32.
HUGE = {"scores": (".w_q .w_k", 1e25), "hidden": (".w_in .w_out", 1e30), "logits": ("norm.weight", 1e38)}


def write(folder: Path, names: str, scale: float) -> Path:
    """A tiny model, some of whose weights are huge."""
    file = tiny_model.write(folder) / "model.safetensors"
    weights = load_file(file)
    for name in weights:
        if any(one in name if one.startswith(".") else one == name for one in names.split()):
            weights[name] *= scale
    save_file(weights, file)
    return folder


@pytest.mark.parametrize("page", READ_A_MODEL)
@pytest.mark.parametrize("where", rest_is_full(*HUGE))
def test_every_room_says_that_a_model_overflows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, where: str
) -> None:
    """Fault: a room breaks, or shows nan as a number."""
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    write(tmp_path / "models" / "diverged", *HUGE[where])
    test = linked(str(ROOT / "pages" / f"{page}.py"), model="diverged").run()
    assert not test.exception
    shown = " ".join([text_of(test), *(one.value for one in test.error)]).replace("\\", "")
    assert OVERFLOW_MESSAGE.split(":")[0] in shown
    assert "nan" not in shown.lower().split()


def test_attention_that_overflows_is_computed_in_float64(tmp_path: Path) -> None:
    """Fault: weights that are no numbers come back as if they were attention."""
    weights = load_model_and_text(write(tmp_path / "model", *HUGE["scores"]), "Tom had a red ball.").attention.weights
    assert abs(weights.sum(-1) - 1).max() < 1e-5


def test_attention_that_overflows_even_there_is_refused(tmp_path: Path) -> None:
    given = load_model_and_text(tiny_model.write(tmp_path / "model"), "Tom had a red ball.")
    model = copy.deepcopy(given.model).double()
    for block in model.blocks:
        block.attn.w_q.weight *= 1e200
        block.attn.w_k.weight *= 1e200
    with pytest.raises(ValueError, match="overflow"):
        attention(model, given.ids)
