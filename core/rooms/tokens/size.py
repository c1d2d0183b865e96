"""Vocabulary size: a larger one saves tokens per text, but needs a larger embedding table."""

import math
from collections.abc import Sequence
from typing import Any

from core import ui
from core.charts import marks
from core.charts.plot import POINT_SHAPES, Columns, Spec, columns_from_rows, plot, resolve_color
from core.charts.theme import ThemeMode
from core.data.localization.labels import module_labels
from core.exhibit import MAX_MODELS, Result, Table, memoize, slider
from core.rooms.tokens.compute import tokenization
from core.rooms.tokens.compute.tokenization import Tokenization, VocabularyComparison, VocabularyCost
from core.rooms.tokens.inputs import THIS_TEXT, VOCABULARY_SIZES, TextInputs, TextToCut

LABELS = module_labels(__name__)

# Also measures sizes between those on offer, so that the curve shows its bend.
MEASURED_SIZES = sorted({*VOCABULARY_SIZES, 288, 320, 384, 640, 768, 1536, 3072, 6144})
WIDTHS = (16, 1024)  # d_model from our smallest models to GPT-2 medium's
WARM_UP = True
CODE = (tokenization.compare_vocabularies, tokenization.first_merges, tokenization.VocabularyCost.n_embedding)


TOKENIZER_KINDS = {"bpe": "BPE", "char": LABELS["kind.char"], "word": LABELS["kind.word"]}


class Inputs(TextInputs, prefix="vocab_"):
    width: int = slider(
        *WIDTHS,
        64,
        step=16,
    )


class VocabularySizes(Result):
    """All sizes on the training text, and the learner's own text with the selected vocabulary."""

    sizes: VocabularyComparison
    own: Tokenization
    width: int
    n_embedding: int  # parameters of the selected vocabulary's table

    @property
    def formula(self) -> str:
        """Rows times width."""
        return rf"{self.own.vocab_size} \times {self.width} = {self.n_embedding:,}".replace(",", "{,}")

    def table(self) -> Table:
        return self.sizes.table(self.width)


@memoize(MAX_MODELS)
def compare_sizes(source: str, text: str = "") -> VocabularyComparison:
    """Measure all sizes on one text."""
    return tokenization.compare_vocabularies(TextToCut(text, source).learned, MEASURED_SIZES)


def compute(inputs: Inputs) -> VocabularySizes:
    """Learn from the first nine tenths of the text, and measure on the last one."""
    given = inputs.given
    sizes = compare_sizes(given.source, given.text if given.source == THIS_TEXT else "")
    own = given.cut("bpe")
    return VocabularySizes(sizes=sizes, own=own, width=inputs.width, n_embedding=own.vocab_size * inputs.width)


def draw(result: VocabularySizes, inputs: Inputs) -> None:
    """Draw the trade-off in one chart, and its effect on the visitor's text."""
    sizes, width, own = result.sizes, inputs.width, result.own
    costs = (*sizes.bpe, sizes.char, sizes.word)
    n_row = [one.vocab_size for one in costs]
    # The right axis fits every table at every width, so that the slider moves the curve and not the axis.
    limits = (min(n_row) * WIDTHS[0], max(n_row) * WIDTHS[1])
    spec = _trade_off(costs, width, own.vocab_size, limits, ui.color_mode())
    ui.show_chart(spec, alt=ui.section_text("alt", first=sizes.bpe[0], last=sizes.bpe[-1]))
    with ui.st.container(horizontal=True):
        size = LABELS("vocabulary_help", vocab_size=own.vocab_size)
        ui.show_metric(LABELS["your_text"], LABELS("n_tokens", n_token=own.n_token), help=size)
        squared = LABELS["squared_help"]
        ui.show_metric(LABELS["attention_map"], LABELS("n_cells", n_cell=own.n_token**2), help=squared)
        product = LABELS["product_help"]
        ui.show_metric(LABELS["embedding_table"], LABELS("n_numbers", n_number=result.n_embedding), help=product)


def _trade_off(
    costs: Sequence[VocabularyCost], width: int, marked: int, table_range: tuple[float, float], mode: ThemeMode
) -> Spec:
    """Return a chart of tokens by vocabulary size on the left axis and embedding parameters on the right one.

    BPE sizes are joined by lines; the others are single points, each with its name and a shape. Curves of the left axis
    are solid with filled points, curves of the right axis dashed with hollow points.

    Args:
        costs: of vocabularies, at least one of them of BPE.
        marked: the vocabulary size to mark with a vertical line.
        table_range: ends of the right axis, fixed so that a change of the width is visible.
    """
    sizes = [one.vocab_size for one in costs] + [marked]
    ends = min(sizes) * 0.8, max(sizes) * 1.25
    x = ui.Axis(LABELS["vocabulary_axis"], ends, ticks=[2**i for i in range(4, 18)], format=",d", is_log=True)
    # Single bytes are 1,000, or more outside of English.
    top = max(1050.0, *(1.05 * one.tokens_per_thousand for one in costs))
    tokens = ui.Axis(LABELS["tokens_axis"], (0, top), format=",d")
    numbers = ui.Axis(LABELS["numbers_axis"], table_range, format="~s", is_log=True)
    rows = [
        (
            TOKENIZER_KINDS[one.kind],
            one.vocab_size,
            round(one.tokens_per_thousand, 2),
            one.n_embedding(width),
            one.kind == "bpe",
        )
        for one in costs
    ]
    columns = columns_from_rows(rows, "name", "vocabulary", "tokens", "embedding", "is_bpe")
    chosen_word = LABELS["chosen"]
    here: Columns = {"vocabulary": [marked], "label": [f"{chosen_word}\n{marked:,}"]}
    side = {"align": "right", "dx": -5} if marked > math.sqrt(min(sizes) * max(sizes)) else {"align": "left", "dx": 5}
    left, right = (
        _side(columns, field, x, axis, look, mode)
        for field, axis, look in (
            ("tokens", tokens, {"color": 0, "strokeDash": [1, 0], "filled": True, "orient": "left"}),
            ("embedding", numbers, {"color": 1, "strokeDash": [6, 4], "filled": False, "orient": "right"}),
        )
    )
    chosen = [
        marks.rule_layer(here, "vocabulary", color="accent", strokeDash=[2, 3], opacity=1, data="marked"),
        # Two lines above the axis, where there is no curve.
        marks.text_layer(here, "label", "vocabulary", "height", dy=-20, color="accent", lineBreak="\n", **side),
    ]
    at = plot(chosen, x=x, y=tokens, mode=mode)
    sides = [{"layer": one["layer"]} for one in (left, right, at)]
    data = {**left["datasets"], **at["datasets"]}
    return {**left, "layer": sides, "datasets": data, "resolve": {"scale": {"y": "independent"}}}


def _side(columns: Columns, field: str, x: "ui.Axis", y: "ui.Axis", look: dict[str, Any], mode: ThemeMode) -> Spec:
    """Return the layer of one of the vertical axes."""
    names = list(TOKENIZER_KINDS.values())
    signs = {"domain": names, "range": POINT_SHAPES[: len(names)]}
    shape = {"field": "name", "type": "nominal", "title": None, "legend": {"orient": "top"}, "scale": signs}
    tip = [
        ("name", LABELS["cut_into"], ""),
        ("vocabulary", LABELS["vocabulary"], ",d"),
        ("tokens", LABELS["tokens_axis"], ",.1f"),
        ("embedding", LABELS["embedding_numbers"], ",d"),
    ]
    color = {"color": look["color"]}
    line = marks.line_layer(
        columns, "vocabulary", field, strokeWidth=2, strokeDash=look["strokeDash"], when="datum.is_bpe", **color
    )
    dots = marks.dot_layer(
        columns, "vocabulary", field, filled=look["filled"], strokeWidth=2, tip=tip, more={"shape": shape}, **color
    )
    spec = plot([line, dots], x=x, y=y, height=290, mode=mode)
    ink = resolve_color(look["color"], mode)
    for layer in spec["layer"]:
        more = {"orient": look["orient"], "titleColor": ink, "labelColor": ink, "grid": look["filled"]}
        layer["encoding"]["y"]["axis"] |= more
    return spec
