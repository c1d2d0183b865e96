"""Whose query, whose keys and values: the cross-attention as a film over the output tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import ui
from core.browser.message import pack
from core.exhibit import Inputs as Base
from core.exhibit import text_input
from core.nn.attention import MultiHeadAttention, attention_scores
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord, record
from core.rooms.encoder_decoder.inputs import SENTENCE, Source, read, translator
from core.train.experiments.live import Live
from core.ui.widgets.mount import mount

CODE = (MultiHeadAttention.forward, attention_scores, record)


class Inputs(Base, prefix="roles_"):
    """A sentence for the translator."""

    run: Live = translator()
    text: str = text_input(default="the small red dog sees some white cats now", **SENTENCE)


@dataclass(frozen=True)
class Result:
    """A translation, and all attention on the way."""

    source: Source
    seen: CrossAttentionRecord

    @property
    def layer(self) -> int:
        """The last one, whose first head is shown at first."""
        return len(self.seen.cross) - 1

    def table(self) -> dict[str, list[Any]]:
        """One line for each source token, and a column of weights for each output token."""
        weights, head = self.seen.cross[self.layer, 0], f", head {self.layer}.0"
        columns = {f"{t} {name}{head}": weights[t].tolist() for t, name in enumerate(self.seen.tokens)}
        return {"source token": list(self.source.words), **columns}

    @property
    def formula(self) -> str:
        """The strongest score of the second output token."""
        t = min(1, len(self.seen.written) - 1)
        q, k, scores, weights = (getattr(self.seen, name)[self.layer, 0] for name in ("q", "k", "scores", "cross"))
        s = int(weights[t].argmax())
        dot = float(q[t] @ k[s])
        score = f"{dot * self.seen.scale:.3f}"
        lines = (
            rf"q_{{{t}}} \cdot k_{{{s}}} &= {dot:.3f}",
            rf"s_{{{t},{s}}} &= {dot:.3f} / \sqrt{{{q.shape[-1]}}} = {score}",
            rf"w_{{{t},{s}}} &= e^{{{score}}} / {float(np.exp(scores[t]).sum()):.3f} = {weights[t, s]:.3f}",
        )
        return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def compute(inputs: Inputs) -> Result:
    """The translation, and all that passes between the two sides."""
    source = read(inputs.text)
    return Result(source, source.write(inputs.run))


def cross_film(
    seen: CrossAttentionRecord,
    *,
    sources: Sequence[str],
    key: str,
    open_head: tuple[int, int] = (0, 0),
    plain: bool = False,
    label: str = "",
) -> None:
    """Draw who asks and who answers at each output token; nothing is committed.

    Args:
        sources: (S,) tokens of the source.
        open_head: (layer, head) that is shown at first.
        plain: whether shapes and the worked-out score are left out.
    """
    n_layer, n_head, n_row, n_column = seen.cross.shape
    given = {"weights": seen.cross, "q": seen.q, "k": seen.k, "v": seen.v}
    arrays = {name: np.asarray(x, np.float32).reshape(-1, *x.shape[2:]) for name, x in given.items()}
    header = {
        "widget": "cross_film",
        "rows": seen.reads,
        "writes": seen.tokens,
        "sure": seen.sure,
        "columns": list(sources),
        "heads": [f"{layer}.{head}" for layer in range(n_layer) for head in range(n_head)],
        "open": open_head[0] * n_head + open_head[1],
        "start": min(1, n_row - 1),
        "plain": plain,
        "scale": float(seen.scale),
        "label": label,
        "takeaway": f"{label}: {n_row} output tokens, {n_column} source tokens.",
    }
    mount("cross_film", key, pack(header, arrays))


def draw(result: Result, inputs: Inputs) -> None:
    """The film, all heads of it in the browser."""
    ui.say("answer")
    ui.say("roles")
    cross_film(
        result.seen,
        sources=result.source.words,
        open_head=(result.layer, 0),
        plain=not ui.at_least("numbers"),
        key="roles-film",
        label="Who asks, and who answers",
    )
