"""Padding behind a text: what it does to a net that reads from both ends."""

from core import ui
from core.cache import content_key
from core.inputs import NothingToShow, slider
from core.inspect.reading.padding import PADDING, pad_id, room_for_padding
from core.nn.recurrent import unroll
from core.rooms.recurrent.compute import bidirectional
from core.rooms.recurrent.compute.bidirectional import Padded
from core.rooms.recurrent.inputs import Looked

MOST_PADDING = 20
CODE = (unroll, bidirectional.padded)


class Inputs(Looked, prefix="pad_"):
    """How much padding there is."""

    more: int = slider(
        f"Tokens of padding ({PADDING})",
        0,
        lambda i: room_for_padding(i.given.key, i.given.n_token, MOST_PADDING),
        5,
        when=lambda i: room_for_padding(i.given.key, i.given.n_token, MOST_PADDING) > 0,
    )


def compute(inputs: Inputs) -> Padded:
    """What padding behind the text changes."""
    given = inputs.given
    if not room_for_padding(given.key, given.n_token, MOST_PADDING):
        raise NothingToShow("The text fills the model's whole context. Shorten it to make room for padding.")
    return bidirectional.padded(given.model, given.ids, inputs.more, pad_id(given.key), given.tokens)


def draw(result: Padded, inputs: Inputs) -> None:
    """What it changes at each word, and at the end of the line."""
    values = [row.tolist() for row in result.rows.values()]
    largest = max(map(max, values))
    ui.matrix(
        values,
        rows=["a", "b", "a+mask", "b+mask"],  # more would be cut off on a phone
        columns=result.tokens,
        key=f"pad:{content_key(str(inputs.given.key), inputs.given.encoded.packed)[:12]}",
        kind="value",
        limits=(0.0, largest or 1.0),
        row_title="states",
        column_title="state after",
        value_title="change",
        height=200,
        label=f"How much {inputs.more} tokens of padding after the text change each state",
        takeaway=f"How much padding changes each state; at most {largest:.2f}.",
    )
    lines = ["| state | without a mask | with a mask |", "|---|--:|--:|"]
    for name, bare, masked in (
        ("a (forward), after the last word", result.ahead[-1], result.ahead_masked[-1]),
        ("a (forward), at the end of the padded line", result.end, result.end_masked),
        ("b (backward), after the last word", result.back[-1], result.back_masked[-1]),
        ("b (backward), after the first word", result.back[0], result.back_masked[0]),
    ):
        lines.append(f"| {name} | {_size(float(bare))} | {_size(float(masked))} |")
    ui.say("table")
    ui.st.markdown("\n".join(lines))


def _size(change: float) -> str:
    if change == 0 or change > 1e-4:
        return f"**{change:.3f}**" if change else "exactly 0"
    return f"{ui.power_of_ten(change)}: rounding" if ui.at_least("numbers") else "only rounding"
