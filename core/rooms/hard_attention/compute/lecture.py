"""The lecture's attention at work: its weights, what its scores depend on, and which of its lines are active."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.models.recurrent_seq2seq import RecurrentSeq2Seq
from core.nn.tap import Trace
from core.rooms.hard_attention.compute.lecture_attention import LectureAttention, LectureWidths, Repairs

LABELS = module_labels(__name__)

Array = NDArray[np.float64]
UNEQUAL_WIDTHS = LectureWidths(enc_emb=16, enc_hidden=20, dec_emb=16, dec_hidden=24)


@dataclass(frozen=True)
class LectureReading:
    """The attention over one source of S tokens, including padding, while T output tokens are written."""

    weights: Array  # (T, S)
    asked: float  # largest derivative of a first score by a number of the encoder's states; 0: they don't matter
    logits: Array  # (T, V)
    mask: NDArray[np.bool_]  # (S,), True for tokens

    @property
    def row_sums(self) -> Array:
        """The sum (T,) of the weights in each row, which should be 1."""
        sums: Array = self.weights.sum(-1)
        return sums

    @property
    def unevenness(self) -> float:
        """The largest difference between the weights of two tokens in a row; 0 if all tokens have the same weight."""
        of_tokens = self.weights[:, self.mask]
        return float((of_tokens.max(-1) - of_tokens.min(-1)).max())

    @property
    def on_padding(self) -> float:
        """The total weight on padding, averaged over the rows."""
        return float(self.weights[:, ~self.mask].sum(-1).mean())


def record_lecture_attention(
    model: RecurrentSeq2Seq, source: Tensor, target_in: Tensor, mask: Tensor
) -> LectureReading:
    """Run one string through the model and record its attention, from the taps `scores` and `weights`.

    Args:
        source: (S,) ids; target_in: (T,) the right output shifted by one; mask: (S,) True for tokens.

    Raises RuntimeError: by torch, if the attention's lines don't fit together.
    """
    leaves: list[Tensor] = []

    def watch(states: Tensor) -> Tensor:
        leaves.append(states.detach().requires_grad_(True))
        return leaves[0]

    with torch.enable_grad(), Trace(model, {"encoder.states": watch}) as trace:
        logits = model(source[None], target_in[None], mask[None])[0]
        first = trace.steps("decoder.attn.scores")[0].flatten()
        # Each score is differentiated separately, because opposite signs could cancel in their sum.
        slopes = [
            torch.autograd.grad(score, leaves[0], retain_graph=True, allow_unused=True, materialize_grads=True)[0]
            for score in first
            if score.isfinite() and score.requires_grad
        ]
    # The class as written has one weight for all tokens.
    weights = torch.cat([one.expand(1, len(source)) for one in trace.steps("decoder.attn.weights")]).detach()  # (T, S)
    return LectureReading(
        weights=weights.double().numpy(),
        asked=max((float(slope.abs().max()) for slope in slopes), default=0.0),
        logits=logits.detach().double().numpy(),
        mask=mask.numpy(),
    )


def try_forward(repairs: Repairs, widths: LectureWidths, seed: int = 0) -> str:
    """Call the class once, on two random strings of three tokens. Return torch's error message, or "" if it ran."""
    generator = torch.Generator().manual_seed(seed)
    try:
        with torch.device("meta"):  # torch's own initialization would draw from the global generator
            attention = LectureAttention(widths, repairs)
        attention.to_empty(device="cpu").init_weights(generator)
        keys = torch.randn(2, 3, 2 * widths.enc_hidden, generator=generator)
        context, _ = attention(torch.randn(2, widths.dec_hidden, generator=generator), keys)
    except RuntimeError as complaint:
        return str(complaint)
    if context.shape != (2, 2 * widths.enc_hidden):
        return LABELS("wrong_shape", shape=tuple(context.shape), expected=(2, 2 * widths.enc_hidden))
    return ""


@dataclass(frozen=True)
class CodeLine:
    mark: str  # " " always active; "!" as written and active; "-" as written and replaced; "+" the repair
    text: str  # without the indentation of the switch
    switch: str = ""  # the switch it belongs to, or ""


def resolve_switches(code: Callable[..., object], on: Collection[str]) -> list[CodeLine]:
    """Return the source of a function or class, with each switch replaced by the branch that runs.

    A switch is an `if self.repairs.<name>:` with the repaired lines below it and, after `else:`, the lines as written.
    Raises ValueError if the code has no switch for a name in `on`.
    """
    source = textwrap.dedent(inspect.getsource(code))
    tree, lines = ast.parse(source), source.splitlines()
    switches = {node.lineno: node for node in ast.walk(tree) if isinstance(node, ast.If) and _switch_name(node)}
    if unknown := set(on) - {_switch_name(node) for node in switches.values()}:
        raise ValueError(f"{code.__qualname__} has no switches for {sorted(unknown)}")
    skipped = {number for node in ast.walk(tree) for number in _docstring_lines(node)}
    found: list[CodeLine] = []
    for number, text in enumerate(lines, 1):
        if number in skipped:
            continue
        node = switches.get(number)
        if node is None:
            found.append(CodeLine(" ", text))
            continue
        name = _switch_name(node)
        old, new = (
            [line[4:] for line in lines[body[0].lineno - 1 : body[-1].end_lineno]] if body else []
            for body in (node.orelse, node.body)
        )
        found += [CodeLine("-" if name in on else "!", line, name) for line in old]
        found += [CodeLine("+", line, name) for line in new if name in on]
        skipped |= {*range(number, (node.end_lineno or number) + 1)}
    return found


def lines_to_text(lines: list[CodeLine]) -> str:
    """Join the lines as text, each with its mark in front."""
    return "\n".join(f"{line.mark} {line.text}".rstrip() for line in lines)


def _switch_name(node: ast.If) -> str:
    asked, switch = ast.unparse(node.test), "self.repairs."
    return asked.removeprefix(switch) if asked.startswith(switch) else ""


def _docstring_lines(node: ast.AST) -> range:
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) or ast.get_docstring(node) is None:
        return range(0)
    first = node.body[0]
    return range(first.lineno, (first.end_lineno or first.lineno) + 1)
