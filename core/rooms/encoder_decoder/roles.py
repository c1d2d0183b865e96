"""Whose query, whose keys and values: the cross-attention as a film over the output tokens."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core import ui
from core.inputs import Inputs as Base
from core.inputs import text_input
from core.nn.attention import MultiHeadAttention, attention_scores
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord, record
from core.rooms.encoder_decoder.cross_film_widget import cross_film
from core.rooms.encoder_decoder.inputs import SENTENCE, Source, read, translator
from core.train.experiments.live import Live

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


def draw(result: Result, inputs: Inputs) -> None:
    """The film, all heads of it in the browser."""
    ui.say("answer")
    cross_film(
        result.seen,
        sources=result.source.words,
        open_head=(result.layer, 0),
        plain=not ui.at_least("numbers"),
        key="roles-film",
        label="Who asks, and who answers",
    )
