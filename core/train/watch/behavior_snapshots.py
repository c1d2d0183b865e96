"""Snapshots of a running training: the attention in one sentence, and a sample of the model's writing or answers.

About sixty of them are stored for each run, denser at the start, where most changes happen. The browser can step
through them.
"""

import json
import zlib
from bisect import bisect_left
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from jaxtyping import UInt8
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.data.tokenizers.gap_tokenizers import MaskedTextTokenizer
from core.data.tokenizers.incremental_decoding import StreamingDetokenizer
from core.generate.decode import generate
from core.generate.filters import temperature
from core.models import registry
from core.nn.tap import Trace
from core.train.device import single_torch_thread
from core.train.run import TrainRun
from core.train.tasks.answer_objective import AnswerObjective, answer_format_of_model_kind, answer_report
from core.train.tasks.spans import FillSpansObjective

LABELS = module_labels(__name__)


N_PROBE = 32
N_WRITTEN = 48
N_PROMPT = 8
GAP_EVERY = 4
N_ASKED = 5  # questions of a task
TEMPERATURE = 0.8
# Writing takes ten times longer than reading, so the model writes a new sample in only about this many frames.
N_SAMPLE = 20
_NO_NUMBERS = LABELS["no_numbers"]


def frame_steps(n_step: int, n_frame: int = 60) -> list[int]:
    """Return the steps (updates done) of at most `n_frame` frames: 0, 1, 2, ..., ever further apart, up to the last."""
    if n_step < n_frame:
        return list(range(n_step + 1))
    # There are more marks than frames on the logarithmic scale, because the first ones fall on the same steps.
    for n_mark in range(n_frame * 4, 1, -1):
        steps = sorted({0, *(round(n_step ** (mark / (n_mark - 1))) for mark in range(n_mark))})
        if len(steps) <= n_frame:
            return steps
    return [0, n_step]


def _sample_steps(n_step: int) -> set[int]:
    """Return the steps of `frame_steps` with a new sample: the first frame at or after each of fewer marks."""
    steps = frame_steps(n_step)
    return {steps[bisect_left(steps, mark)] for mark in frame_steps(n_step, N_SAMPLE)}


@dataclass(frozen=True, eq=False)
class RunFrame:
    """One moment of a run.

    Args:
        step: updates done; 0 is the untrained model.
        tokens: the probe sentence from the validation text, one printable string for each token.
        attention: (L, H, T, S), weights times 255, rounded: each row is the distribution of one of the last T tokens
            over the first S, which are different tokens only in an encoder-decoder. A recurrent model has no attention:
            L and H are 0.
        sample: the model's text at `sample_step`, at most a few frames before, beginning with the prompt. For a task,
            some questions with the model's answers, one per line.
        loss: of the last training batch, nats per token; None before the first batch.
        val_loss: the last one measured, nats per token; None before the first.
    """

    step: int
    tokens: tuple[str, ...]
    attention: UInt8[np.ndarray, "L H T S"]
    sample: str
    sample_step: int
    loss: float | None
    val_loss: float | None

    def to_bytes(self) -> bytes:
        """Write the frame as bytes: length of the header (4 bytes, little-endian), header (JSON), attention (zlib)."""
        header = {
            "step": self.step,
            "tokens": self.tokens,
            "shape": self.attention.shape,
            "sample": self.sample,
            "sample_step": self.sample_step,
            "loss": self.loss,
            "val_loss": self.val_loss,
        }
        text = json.dumps(header).encode()
        return len(text).to_bytes(4, "little") + text + zlib.compress(self.attention.tobytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> "RunFrame":
        """Read a frame that `to_bytes` wrote.

        Raises ValueError if the bytes aren't a frame.
        """
        try:
            n_header = int.from_bytes(data[:4], "little")
            header = json.loads(data[4 : 4 + n_header])
            shape = tuple(header.pop("shape"))
            attention = np.frombuffer(zlib.decompress(data[4 + n_header :]), dtype=np.uint8).reshape(shape)
            return cls(tokens=tuple(header.pop("tokens")), attention=attention, **header)
        except (ValueError, KeyError, TypeError, AttributeError, zlib.error) as error:
            raise ValueError(f"these {len(data)} bytes aren't a frame of a run") from error


def capture_frame(run: TrainRun) -> RunFrame:
    """Take a frame of the run in its current state, without changing the run; it only stores the latest sample."""
    ids = snapshot_probe_ids(run)
    with single_torch_thread(), torch.no_grad():
        attention = _attention(run, ids)
        if not run.sample or run.step in _sample_steps(run.recipe.n_step):
            run.sample, run.sample_step = sample_text(run, ids), run.step
    measured = [point.val_loss for point in run.history if point.val_loss is not None]
    names = run.objective.names if isinstance(run.objective, FillSpansObjective) else run.tokenizer.tokens
    return RunFrame(
        step=run.step,
        tokens=tuple(names(ids.tolist())),
        attention=attention,
        sample=run.sample,
        sample_step=run.sample_step,
        loss=run.history[-1].loss if run.history else None,
        val_loss=measured[-1] if measured else None,
    )


def snapshot_probe_ids(run: TrainRun) -> Tensor:
    """Return the probe sentence, the same in every frame of a run: the validation text's first line with letters.

    For a task, it is the first held-out question with its answer or, for an encoder, with masks. For an
    encoder-decoder, the decoder's input follows the question, or the sentence with its sentinels.
    """
    if isinstance(run.objective, AnswerObjective):
        return run.objective.probe().to(run.placement.device)
    if isinstance(run.objective, FillSpansObjective):
        return torch.cat(run.objective.probe(validation_text_probe_ids(run)).inputs, 1)[0]
    return validation_text_probe_ids(run)


def validation_text_probe_ids(run: TrainRun) -> Tensor:
    """Return the validation text's first line with letters, cut to the length of a probe sentence."""
    before = [run.tokenizer.class_id] if isinstance(run.tokenizer, MaskedTextTokenizer) else []
    start, n = _first_line(run), min(N_PROBE, run.context_length) - len(before)
    return torch.cat([run.val_ids.new_tensor(before), run.val_ids[start : start + n]])


def _first_line(run: TrainRun) -> int:
    ids = run.val_ids
    for start in range(1, min(2000, len(ids) - min(N_PROBE, run.context_length))):
        before, first = run.tokenizer.decode(ids[start - 1 : start].tolist()), ids[start : start + 1].tolist()
        if before.endswith("\n") and run.tokenizer.decode(first)[:1].isalpha():
            return start
    return 0


def _attention(run: TrainRun, ids: Tensor) -> UInt8[np.ndarray, "L H T S"]:
    if answer_format_of_model_kind(run.recipe.kind) == "pair":
        return _across(run)
    if not registry.family_of(run.config).has_attention:
        return np.zeros((0, 0, len(ids), len(ids)), dtype=np.uint8)
    with Trace(run.model) as trace:
        run.model(ids[None])
    layers = [trace[f"blocks.{layer}.attn.weights"][0] for layer in range(run.config.n_layer)]  # (H, T, T) each
    return torch.stack(layers).mul(255).round().to(torch.uint8).cpu().numpy()  # (L, H, T, T)


def _across(run: TrainRun) -> UInt8[np.ndarray, "L H T S"]:
    """Return the cross-attention of an encoder-decoder: a row for each of the decoder's tokens."""
    if isinstance(run.objective, FillSpansObjective):
        source, read = run.objective.probe(validation_text_probe_ids(run)).inputs
    else:
        assert isinstance(run.objective, AnswerObjective)
        source, read = run.objective.pair(run.placement.device)
    with Trace(run.model) as trace:
        run.model(source, read)
    if not registry.family_of(run.config).has_attention:
        weights = torch.cat(trace.steps("decoder.attn.weights"))[None, None]  # (1, 1, T, S)
    else:
        weights = torch.cat([trace[f"decoder.blocks.{n}.cross_attn.weights"] for n in range(run.config.n_layer)])
    return weights.mul(255).round().to(torch.uint8).cpu().numpy()


def sample_text(run: TrainRun, ids: Tensor) -> str:
    """Sample from the model: it continues the beginning of the sentence, or fills gaps in it.

    For a task, it answers some held-out questions; for spans, it writes the text of each.
    """
    if isinstance(run.objective, AnswerObjective):
        try:
            return answer_report(run.objective, run.model, N_ASKED)
        except ValueError:
            raise run.diverged(run.step, _NO_NUMBERS) from None
    if isinstance(run.objective, FillSpansObjective):
        return run.objective.told(run.model, validation_text_probe_ids(run))
    if isinstance(run.tokenizer, MaskedTextTokenizer):
        return _fill_gaps(run.model, run.tokenizer, ids)
    return write_continuation(run, ids[: min(N_PROMPT, len(ids) // 2)])


def _fill_gaps(model: nn.Module, tokenizer: MaskedTextTokenizer, ids: Tensor) -> str:
    """Hide every fourth token, and fill in the model's most probable tokens in ⟨brackets⟩."""
    places = range(GAP_EVERY, len(ids), GAP_EVERY)
    hidden = ids.clone()
    hidden[list(places)] = tokenizer.mask_id
    best = model(hidden[None])[0, :, : tokenizer.class_id].argmax(-1)  # a gap is never filled with a special token
    stream, pieces, is_filled = StreamingDetokenizer(tokenizer), [], False
    for t in range(1, len(ids) + 1):
        is_filled |= t in places
        piece = stream.finish() if t == len(ids) else stream.push(int(best[t] if t in places else ids[t]))
        if piece:  # otherwise a character continues in the next token, which is filled in with it
            room = " " * piece.startswith(" ")
            pieces.append(f"{room}⟨{piece.removeprefix(' ')}⟩" if is_filled else piece)
            is_filled = False
    return "".join(pieces)


def write_continuation(run: TrainRun, prompt: Tensor, n_token: int = N_WRITTEN) -> str:
    """Return the prompt and the model's continuation at temperature 0.8, sampled with the run's seed."""
    soften = partial(temperature, t=TEMPERATURE)
    steps = generate(run.model, prompt, n_token, filters=[soften], seed=run.seed)
    try:
        written = [int(step.token) for step in steps]
    except ValueError:  # its loss may still be a number
        raise run.diverged(run.step, _NO_NUMBERS) from None
    return run.tokenizer.decode([*prompt.tolist(), *written])
