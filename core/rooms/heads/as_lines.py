"""Any set of heads as lines between two columns of the same text."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.inspect.attention_record import AttentionRecord
from core.nn.attention import MultiHeadAttention, masked_softmax
from core.rooms.heads.inputs import HeadInputs
from core.rooms.heads.lines_widget import MAX_LINE_TOKENS, draw_attention_lines

LABELS = module_labels(__name__)

MIN_WEIGHT = 0.1  # thinner lines look like noise at first; the slider brings them back
CODE = (masked_softmax, MultiHeadAttention.forward)


class Inputs(HeadInputs):
    pass


class AllHeads(Result):
    record: AttentionRecord
    tokens: tuple[str, ...]

    def table(self) -> Table:
        """Return every weight of all heads that is drawn at the initial threshold."""
        return self.record.strong_table(self.tokens, MIN_WEIGHT)


def compute(inputs: Inputs) -> AllHeads:
    """Return the weights of all heads."""
    return AllHeads(record=inputs.given.attention, tokens=inputs.given.tokens)


def draw(result: AllHeads, inputs: Inputs) -> None:
    """Draw the lines: all heads are sent once, and the browser decides which of them are drawn."""
    ui.add_template_values(most=MAX_LINE_TOKENS)
    draw_attention_lines(
        result.record.weights[:, :, :MAX_LINE_TOKENS, :MAX_LINE_TOKENS],
        tokens=result.tokens[:MAX_LINE_TOKENS],
        key="heads.lines",
        open_head=(ui.choice_ref(inputs.layer), ui.choice_ref(inputs.head)),
        row=ui.choice_ref(inputs.query),
        threshold=MIN_WEIGHT,
        label=LABELS["title"],
    )
