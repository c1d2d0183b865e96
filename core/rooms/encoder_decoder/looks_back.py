"""The words that the decoder looks back at: a line from each word it writes to the source words that it reads."""

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, ViewChoice, select, text_input
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord, record_cross_attention
from core.rooms.encoder_decoder.inputs import SENTENCE_OPTIONS, SourceSentence, head_names, parse_source, translator
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

CODE = (record_cross_attention,)


class Inputs(Base, prefix="back_"):
    run: ExperimentRun = translator()
    text: str = text_input(default="the small red dog sees some white cats now", **SENTENCE_OPTIONS)
    head: tuple[int, int] = select(
        lambda i: head_names(i.run.options["n_layer"], i.run.options["n_head"]),
        lambda i: (i.run.options["n_layer"] - 1, 0),
        view=ViewChoice(),
    )


class LooksBack(Result):
    """A translation, and the cross-attention of each word of it."""

    source: SourceSentence
    seen: CrossAttentionRecord
    written: list[str]  # the N words of the translation, without the end; one token at least
    layer: int  # of the head that the table shows, the last one's first

    def table(self) -> Table:
        """Return one row per written word: the source word that the first head of the last layer reads most."""
        weights = self.seen.cross[self.layer, 0, : len(self.written)]
        most = weights.argmax(-1)
        return {
            LABELS["writes"]: self.written,
            LABELS["reads"]: [self.source.words[at] for at in most],
            LABELS["weight"]: weights.max(-1).tolist(),
        }


def compute(inputs: Inputs) -> LooksBack:
    """Translate the sentence and record its cross-attention."""
    source = parse_source(inputs.text)
    seen = source.write(inputs.run)
    written = seen.answer.split() or seen.tokens
    return LooksBack(source=source, seen=seen, written=written, layer=len(seen.cross) - 1)


def draw(result: LooksBack, inputs: Inputs) -> None:
    """Draw both sentences and the lines between them; the head is chosen in the browser."""
    n_word = len(result.written)
    weights = np.ascontiguousarray(result.seen.cross[:, :, :n_word])
    ui.mount_widget(
        "looks_back",
        key="looks-back",
        read=list(result.source.words),
        written=result.written,
        weights=ui.pad_stack(ui.for_each_option(weights.__getitem__, inputs.head)),
        takeaway=LABELS("takeaway", text=" ".join(result.written)),
        height=400,
    )
