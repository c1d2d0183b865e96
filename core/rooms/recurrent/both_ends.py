"""A sentence read from both ends: who knows which word, and what the last state is."""

from typing import Any

from core import ui
from core.cache import content_key
from core.inputs import Control, NothingToShow, slider, text_input
from core.nn.recurrent import unroll
from core.rooms.recurrent.compute import bidirectional
from core.rooms.recurrent.compute.bidirectional import Dependence
from core.rooms.recurrent.inputs import Looked, numbered

CODE = (unroll, bidirectional.both_ways, bidirectional.dependence)


def content(i: Any) -> str:
    """What the pictures show, in short."""
    return content_key(str(i.given.key), i.given.encoded.packed)[:12]


def follow_clicks(control: Control, i: Any) -> None:
    """A click in a picture chooses the word."""
    for name in ("ahead", "back"):
        if pick := ui.picks.news(f"both.{name}", content(i)):
            ui.put("both_word", pick["column"])


def first_token(i: Any) -> tuple[int, str] | None:
    """The first token of the new word inside a sentence, with the space before it where tokens have one."""
    read = i.given.other(f" {i.new.strip()}")
    tokens = zip(read.ids, read.tokens, strict=True) if i.new.strip() else ()
    return next(((id, token) for id, token in tokens if token.strip()), None)


def notes(name: str, typed: str, i: Any) -> None:
    """Unknown words, and what is left out."""
    ui.show_notes(i.given.other(f" {typed.strip()}").encoded, i.given.key, name, typed)


class Inputs(Looked, prefix="both_"):
    """The word to look at, and what each word is replaced by."""

    word: int = slider("Word to replace", 0, lambda i: i.given.n_token - 1, 2, before=f"{__name__}:follow_clicks")
    new: str = text_input("Put in its place", "Anna", max_chars=40, notes=notes)


def compute(inputs: Inputs) -> Dependence:
    """Which states change when each word in turn is replaced."""
    new = first_token(inputs)
    if new is None:
        raise NothingToShow("Type one word to put in.")
    return bidirectional.dependence(inputs.given.model, inputs.given.ids, *new, inputs.given.tokens)


def draw(result: Dependence, inputs: Inputs) -> None:
    """The two triangles, and what the candidates for a last state know."""
    tokens, word = result.tokens, inputs.word
    if result.new_word != inputs.new.strip():
        ui.say("cut")
    most = max(float(result.ahead.max()), float(result.back.max())) or 1.0
    ahead = ("ahead", "Forward states a", result.ahead, len(tokens) - 1)
    back = ("back", "Backward states b", result.back, 0)
    for place, (name, label, values, row) in zip(ui.pair("both"), (ahead, back), strict=True):
        with place:
            ui.matrix(
                values,
                rows=tokens,
                columns=tokens,
                key=ui.picks.key(f"both.{name}", content(inputs)),
                kind="value",
                limits=(0.0, most),
                row_title="state after",
                column_title="replaced word",
                value_title="change",
                selected=(row, word),
                height=420,
                label=label,
                takeaway=f"{label}: how much each changes when one word is replaced.",
            )
    if result.unchanged[word]:
        ui.say("same", old=numbered(tokens, word))
    else:
        columns = {"forward": result.ahead[:, word], "backward": result.back[:, word]}
        ui.say("changed", old=numbered(tokens, word), **columns)
    if len(tokens) < 2:
        ui.say("short")
        return
    ui.say("last")
    ui.say("two-cells")
    ui.say("libraries")
