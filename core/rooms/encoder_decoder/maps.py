"""The three attentions of one translation: in the encoder, in the decoder, and between the two."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, ViewChoice, segmented_control, select, text_input
from core.models.original_transformer import TransformerStack
from core.nn.attention import MultiHeadAttention
from core.nn.block import Block
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord, record_cross_attention
from core.rooms.encoder_decoder.inputs import (
    SENTENCE_OPTIONS,
    SourceSentence,
    head_names,
    parse_source,
    translator,
    translator_badge,
)
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

CODE = (record_cross_attention, MultiHeadAttention.forward, Block.forward, TransformerStack.forward)


class Inputs(Base, prefix="maps_"):
    run: ExperimentRun = translator()
    text: str = text_input(default="the young king does not follow some red horses here", **SENTENCE_OPTIONS)
    part: str = segmented_control(("cross", "encoder", "decoder"), "cross", heading="")
    head: tuple[int, int] = select(
        lambda i: head_names(i.run.options["n_layer"], i.run.options["n_head"]),
        lambda i: (i.run.options["n_layer"] - 1, 0),
        view=ViewChoice(),
    )


class AttentionMaps(Result):
    """A translation, and one of its heads."""

    source: SourceSentence
    seen: CrossAttentionRecord
    weights: NDArray[np.float32]  # (T, S) of the head
    rows: list[str]  # the query tokens
    columns: list[str]  # the key tokens
    # (T, S) True at the word being translated; None if the output isn't the right translation
    rings: NDArray[np.bool_] | None
    on_rings: dict[str, float]  # head -> its mean weight on the rings, averaged over the words; empty without rings

    def table(self) -> Table:
        """Return one row per key token, and a column of weights for each query token."""
        columns = {f"{t} {row}": self.weights[t].tolist() for t, row in enumerate(self.rows)}
        return {LABELS["token"]: self.columns, **columns}


def compute(inputs: Inputs) -> AttentionMaps:
    """Translate the sentence and record all attention."""
    source = parse_source(inputs.text)
    seen = source.write(inputs.run)
    sentence, rings, on_rings = languages.parse_english(source.english), None, dict[str, float]()
    if inputs.part == "cross" and sentence is not None and seen.answer == source.truth:
        rings, places = np.zeros(seen.cross.shape[2:], bool), sentence.alignment()
        rings[np.arange(len(places)), places] = True
        rows, columns = np.nonzero(rings)
        mean = seen.cross[:, :, rows, columns].mean(-1)
        on_rings = {name: float(mean[at]) for at, name in head_names(*mean.shape).items()}
    return AttentionMaps(
        source=source,
        seen=seen,
        weights=getattr(seen, inputs.part)[inputs.head],
        rows=list(source.words) if inputs.part == "encoder" else seen.tokens,
        columns=seen.reads if inputs.part == "decoder" else list(source.words),
        rings=rings,
        on_rings=on_rings,
    )


def draw(result: AttentionMaps, inputs: Inputs) -> None:
    """Draw one map, of any head; rings mark the words being translated."""
    seen, part = result.seen, inputs.part
    ui.matrix(
        ui.pad_stack(ui.for_each_option(getattr(seen, part).__getitem__, inputs.head)),
        rows=result.rows,
        columns=result.columns,
        key=f"maps.{part}:{result.source.key}",
        mask=np.tril(np.ones(result.weights.shape, bool)) if part == "decoder" else None,
        operands=_operands(seen, inputs) if part == "cross" else None,
        truth=result.rings,
        truth_title=LABELS["translated_word"],
        row_title=LABELS["reading"] if part == "encoder" else LABELS["writes"],
        column_title=LABELS["has_read"] if part == "decoder" else LABELS["reads"],
        height=300,
        label=ui.for_each_option(
            lambda at: LABELS("title", where=LABELS[f"part.{part}"], layer=at[0], head=at[1]), inputs.head
        ),
        badge=ui.for_each_option(lambda at: translator_badge(inputs.run, str(part), at, seen), inputs.head),
    )
    ui.add_template_values(n=seen.cross.shape[2], m=seen.cross.shape[3])


def _operands(seen: CrossAttentionRecord, inputs: Inputs) -> dict[str, object]:
    """Return queries and keys of every head, for the arithmetic of a weight."""
    q, k = (ui.pad_stack(ui.for_each_option(one.__getitem__, inputs.head)) for one in (seen.q, seen.k))
    return {"q": q, "k": k, "scale": seen.scale}
