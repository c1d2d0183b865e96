"""A new source in mid-sentence: the decoder keeps its own words and reads a different source."""

from typing import Any

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, slider, text_input
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.cross_attention import CrossAttentionRecord, record_cross_attention
from core.rooms.encoder_decoder.inputs import (
    SENTENCE_OPTIONS,
    SourceSentence,
    max_output_tokens,
    parse_source,
    translator,
    translator_badge,
)
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

CODE = (record_cross_attention,)


def _last_position(inputs: Any) -> int:
    """Return the number of words in the right translation of the first source, or of the source if there is none."""
    words = languages.split_known_words(inputs.first)[0]
    return len((languages.to_tamari(" ".join(words)) or " ".join(words)).split())


class Inputs(Base, prefix="swap_"):
    run: ExperimentRun = translator()
    first: str = text_input(default="the small dogs see a red cat", **SENTENCE_OPTIONS | {"label": LABELS["first"]})
    second: str = text_input(
        default="a queen does not love the white birds now", **SENTENCE_OPTIONS | {"label": LABELS["second"]}
    )
    at: int = slider(0, _last_position, 4)


class SourceSwap(Result):
    """The output with the exchange, and without it."""

    first: SourceSentence
    second: SourceSentence
    alone: CrossAttentionRecord  # alone, other: the translations of the two sources
    other: CrossAttentionRecord
    mixed: CrossAttentionRecord  # begun with the first source, ended with the second
    at: int  # the position of the exchange
    meaning: str | None  # the output in English; None if it isn't a sentence of the grammar
    verb: str  # the output's verb, if it shares its stem with the verb of one of the two translations; else ""
    new: list[str]  # words after the exchange that are in neither translation

    def table(self) -> Table:
        """Return one row per output token; all probabilities are computed with the second source."""
        names = self.mixed.tokens
        sources = [LABELS["source.first"] if t < self.at else LABELS["source.second"] for t in range(len(names))]
        return {LABELS["output_token"]: names, LABELS["source"]: sources, LABELS["probability"]: self.mixed.sure}


def compute(inputs: Inputs) -> SourceSwap:
    """Translate both sources, and continue the first translation while reading the second source."""
    first, second = parse_source(inputs.first), parse_source(inputs.second)
    alone, other = first.write(inputs.run), second.write(inputs.run)
    at = min(inputs.at, len(alone.written) - 1)
    # The decoder keeps only its own words: from here on, all of its positions read the second source.
    begun = [int(token) for token in alone.written[:at] if token != languages.END]
    most = max_output_tokens(max(len(first.ids), len(second.ids)))
    mixed = second.write(inputs.run, begun=begun, max_new_tokens=most)
    written, *known = ([w for w in one.answer.split() if w != "ne"] for one in (mixed, alone, other))
    stems, all_known = {words[-1][:-1] for words in known if words}, {*alone.answer.split(), *other.answer.split()}
    return SourceSwap(
        first=first,
        second=second,
        alone=alone,
        other=other,
        mixed=mixed,
        at=at,
        meaning=languages.to_english(mixed.answer),
        verb=next((word for word in reversed(written) if word[:-1] in stems), ""),
        new=list(dict.fromkeys(word for word in mixed.answer.split()[at:] if word not in all_known)),
    )


def draw(result: SourceSwap, inputs: Inputs) -> None:
    """Draw the output, and its attention on the second source."""
    mixed, at, names = result.mixed, result.at, result.mixed.tokens
    sources = (result.first, result.second)
    marked = ["▸" + name if t == at and at else name for t, name in enumerate(names)]
    layer, (left, right) = len(mixed.cross) - 1, ui.two_columns("swap-sides")
    with left:
        ui.token_row(
            marked,
            values=mixed.sure,
            kind="probability",
            limits=(0, 1),
            value_title=LABELS["probability_axis"],
            details=[LABELS("written_while_reading", source=sources[t >= at].english) for t in range(len(names))],
            key=f"swap-row:{result.first.key}.{result.second.key}.{at}",
            title=LABELS["title"],
            takeaway=LABELS("takeaway", n=at, text=" ".join(marked)),
        )
    with right:
        ui.matrix(
            mixed.cross[layer, 0],
            rows=[f"({word})" if t < at else word for t, word in enumerate(names)],
            columns=list(result.second.words),
            key=f"swap-map:{result.second.key}.{at}.{len(names)}",
            row_title=LABELS["writes"],
            column_title=LABELS["reads"],
            height=260,
            label=LABELS("second_source_map", layer=layer),
            badge=translator_badge(inputs.run, "cross", (layer, 0), mixed),
        )
