"""Attention as a dictionary: a query finds the entries whose keys fit, and gets a mixture of their values."""

from collections.abc import Mapping

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, segmented_control, selection_in_picture
from core.nn.attention import attend, attention_scores, masked_softmax
from core.rooms.step_by_step.compute.soft_lookup import (
    COLDEST,
    ENTRY_NAMES,
    HOTTEST,
    MAX_SCORE,
    SoftAnswer,
    check_dictionary,
    default_dictionary,
    flatten_dictionary,
    pack_dictionary,
    parse_dictionary,
    soft_look_up,
)

LABELS = module_labels(__name__)

CODE = (attend, attention_scores, masked_softmax, soft_look_up)


def _text(sent: object, inputs: "Inputs") -> str | None:
    """Return the new numbers as text if they belong to the current dictionary."""
    if not isinstance(sent, Mapping) or sent.get("base") != str(inputs.size):
        return None
    asked = check_dictionary(sent.get("numbers"), inputs.size)
    return None if asked is None else pack_dictionary(asked)


def _check(text: str, inputs: "Inputs") -> None:
    if parse_dictionary(text, inputs.size) is None:
        raise ValueError(LABELS["link_refused"])


class Inputs(Base, prefix="lookup_"):
    """Temperature, query, keys and values."""

    size: int = segmented_control((2, 3), 2)
    numbers: str = selection_in_picture(
        "lookup",
        lambda i: pack_dictionary(default_dictionary(i.size)),
        text=_text,
        check=_check,
        content=lambda i: str(i.size),
        part="numbers",
        stays=True,
    )


def compute(inputs: Inputs) -> SoftAnswer:
    """Look the query up in the dictionary."""
    asked = parse_dictionary(inputs.numbers, inputs.size)
    assert asked is not None, "it was checked"
    return soft_look_up(asked)


def draw(result: SoftAnswer, inputs: Inputs) -> None:
    """Draw query, keys and values as controls, and the answers at their temperature."""
    asked = result.asked
    ui.mount_widget(
        "lookup",
        key=ui.picks.picture_widget_key("lookup", ""),
        state=("numbers",),  # {"base": base, "numbers": [temperature, query, keys, values]}, flat
        weights=result.weights,
        soft=result.soft,
        base=str(inputs.size),  # numbers for a different dictionary are dropped
        d_key=inputs.size,
        names=list(ENTRY_NAMES),
        numbers=flatten_dictionary(asked),
        default=flatten_dictionary(default_dictionary(inputs.size)),
        coldest=COLDEST,
        hottest=HOTTEST,
        largest=MAX_SCORE,
        takeaway=LABELS("answer", temperature=asked.temperature, winner=result.winner, largest=result.weights.max()),
    )
