"""The three attentions of one translation: encoder, decoder, and between the two."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import Look, segmented, select, text_input
from core.models.transformer import Stack
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord, record
from core.rooms.encoder_decoder.inputs import SENTENCE, Source, badge, heads, read, translator
from core.train.experiments.live import Live

HEAD = "maps_head"
PARTS = {"cross": "between the two", "encoder": "in the encoder", "decoder": "in the decoder"}
CODE = (record, MultiHeadAttention.forward, Block.forward, Stack.forward)


class Inputs(Base, prefix="maps_"):
    """A sentence for the translator, and one head of one of its attentions."""

    run: Live = translator()
    text: str = text_input(default="the young king does not follow some red horses here", **SENTENCE)
    part: str = segmented("Attention", PARTS, "cross", heading="")
    head: tuple[int, int] = select(
        "Layer and head",
        lambda i: heads(i.run.options["n_layer"], i.run.options["n_head"]),
        lambda i: (i.run.options["n_layer"] - 1, 0),
        look=Look(),
    )


@dataclass(frozen=True)
class Result:
    """A translation, and one head of it."""

    source: Source
    seen: CrossAttentionRecord
    part: str  # "cross", "encoder" or "decoder"
    at: tuple[int, int]  # layer and head

    @property
    def weights(self) -> NDArray[np.float32]:
        """(T, S) of the head."""
        weights: NDArray[np.float32] = getattr(self.seen, self.part)[self.at]
        return weights

    @property
    def rows(self) -> list[str]:
        """The tokens that read."""
        return list(self.source.words) if self.part == "encoder" else self.seen.tokens

    @property
    def columns(self) -> list[str]:
        """The tokens that are read."""
        return self.seen.reads if self.part == "decoder" else list(self.source.words)

    @property
    def rings(self) -> NDArray[np.bool_] | None:
        """(T, S) where the word stands that is translated; None where what is written is not the right translation."""
        sentence = languages.read_english(self.source.english)
        if self.part != "cross" or sentence is None or self.seen.answer != self.source.truth:
            return None
        rings, places = np.zeros(self.weights.shape, bool), sentence.alignment()
        rings[np.arange(len(places)), places] = True
        return rings

    @property
    def on_rings(self) -> dict[str, float]:
        """Head -> its weight on the rings, averaged over the words; empty without rings."""
        if self.rings is None:
            return {}
        rows, columns = np.nonzero(self.rings)
        mean = self.seen.cross[:, :, rows, columns].mean(-1)
        return {name: float(mean[at]) for at, name in heads(*mean.shape).items()}

    def table(self) -> dict[str, list[Any]]:
        """One line for each token that is read, one column of weights for each token that reads."""
        columns = {f"{t} {row}": self.weights[t].tolist() for t, row in enumerate(self.rows)}
        return {"token": self.columns, **columns}


def compute(inputs: Inputs) -> Result:
    """The translation, and all of its attention."""
    source = read(inputs.text)
    return Result(source, source.write(inputs.run), inputs.part, inputs.head)


def draw(result: Result, inputs: Inputs) -> None:
    """One map, of any head; the rings are the words that are translated."""
    seen, part = result.seen, result.part
    every = ui.each(lambda at: replace(result, at=at), HEAD)
    weights = ui.over(lambda one: one.weights, every)
    ui.say("answer")
    ui.matrix(
        ui.stacked(weights),
        rows=result.rows,
        columns=result.columns,
        key=f"maps.{part}:{result.source.key}",
        mask=np.tril(np.ones(result.weights.shape, bool)) if part == "decoder" else None,
        operands=_operands(seen) if part == "cross" else None,
        truth=result.rings,
        truth_title="the word being translated",
        row_title="reading" if part == "encoder" else "writes",
        column_title="has read" if part == "decoder" else "reads",
        height=300,
        label=ui.each(lambda at: f"Attention {PARTS[part]}, head {at[0]}.{at[1]}", HEAD),
        badge=ui.each(lambda at: badge(inputs.run, part, at, seen), HEAD),
    )
    ui.say(part, n=seen.cross.shape[2], m=seen.cross.shape[3])


def _operands(seen: CrossAttentionRecord) -> dict[str, Any]:
    """Queries and keys of every head, for the arithmetic of a weight."""
    q, k = (ui.stacked(ui.each(one.__getitem__, HEAD)) for one in (seen.q, seen.k))
    return {"q": q, "k": k, "scale": seen.scale}
