"""Text written token by token: each step's distribution, the number that was drawn, and the token it fell on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.cache import MAX_FIGURES, content_key, memoize
from core.data.printable import visible
from core.generate import decode
from core.generate.cache import reading_limit
from core.generate.settings import Settings, Written, write_on
from core.inputs import Control, Look, seed, slider
from core.inspect.reading.model_and_text import load, unpack, vocabulary
from core.inspect.reading.model_key import ModelKey
from core.rooms.next_token.inputs import SETTINGS, Looked
from core.rooms.next_token.number_line_widget import number_line, widest

# A step costs one pass of the model, and the server answers everybody: more would keep others waiting.
MOST_STEPS = 200
AT_ONCE = 40
# Computed in such portions, so that one more token is usually there already.
PORTION = 20
MOST_SURPRISE = 4.0  # nats, a chance of 1 in 55; colors need go no further
STEP = "at_step"
CODE = (decode.generate, decode.inverse_cdf, write_on)


@memoize(MAX_FIGURES)
def written_on(key: ModelKey, packed: str, settings: Settings, seed: int, n: int) -> Written:
    """A text continued by n tokens."""
    return write_on(load(key).model, unpack(packed), n, settings, seed)


def written(inputs: Any) -> Written:
    """The new tokens."""
    given, n = inputs.given, inputs.written
    return written_on(given.key, given.encoded.packed, inputs.settings, inputs.seed, -(-n // PORTION) * PORTION).first(
        n
    )


class Inputs(Looked):
    """How much is written and how, and the step to look at: first the least likely one, where the draw shows most."""

    settings: Settings = SETTINGS
    written: int = slider("New tokens", 0, MOST_STEPS, AT_ONCE // 2, before=f"{__name__}:buttons")
    seed: int = seed()
    at_step: int = slider(
        "Step to look at",
        1,
        lambda i: max(1, i.written),
        lambda i: 1 + int(written(i).probabilities.argmin()) if i.written else 1,
        when=lambda i: i.written > 0,
        look=Look(numbers=lambda i: 3 * i.written * widest(written(i))),
    )


def buttons(control: Control, _: Any) -> None:
    """They move the slider."""
    with ui.st.container(horizontal=True):
        for label, icon, key, n, look in (
            ("One token", "add", "write-one", 1, "primary"),
            (f"{AT_ONCE} tokens", "fast_forward", "write-many", AT_ONCE, "secondary"),
            ("Start again", "restart_alt", "write-reset", -MOST_STEPS, "secondary"),
        ):
            ui.button(label, "written", key=key, on_click=_add, args=(control, n), icon=f":material/{icon}:", type=look)


def _add(control: Control, n: int) -> None:
    ui.put("written", min(MOST_STEPS, max(0, int(ui.now("written", control.default)) + n)))


def _content(inputs: Any) -> str:
    return content_key(inputs.given.content, inputs.seed, inputs.settings.in_words)[:12]


@dataclass(frozen=True)
class Result:
    """What was written."""

    given: NDArray[np.int64]  # (T,) ids of the text
    new: Written  # what was drawn, step by step, and from what
    vocabulary: tuple[str, ...]  # (V,) printable

    def table(self) -> dict[str, Any]:
        """One line for each step."""
        return self.new.table(self.vocabulary)


def compute(inputs: Inputs) -> Result:
    """Token by token: ask the model, filter, draw, append. The same seed draws the same numbers."""
    return Result(np.array(inputs.given.ids), written(inputs), vocabulary(inputs.given.key))


def draw(result: Result, inputs: Inputs) -> None:
    """The text so far, colored; one step looked at closely."""
    given, new, n_given = inputs.given, result.new, inputs.given.n_token
    steps = [*range(1, len(new.tokens) + 1)]
    ui.token_row(
        [*given.tokens, *(result.vocabulary[i] for i in new.tokens)],
        key=f"write.text:{_content(inputs)}",
        values=[*[np.nan] * n_given, *-np.log(new.probabilities)],
        limits=(0.0, MOST_SURPRISE),
        value_title=ui.measured("surprise", "nats"),
        details=[*["given"] * n_given, *map(_detail, new.probabilities, new.n_kept)],
        selected=ui.along([n_given + step - 1 for step in steps], STEP) if steps else None,
        chooses=(ui.chosen(STEP).name, [*[None] * n_given, *steps]) if steps else None,
        takeaway=f"{ui.plural(n_given, 'token')} given, dashed; {len(new.tokens)} written.",
    )
    if steps:
        _draw_steps(result, inputs)
    else:
        ui.say("nothing")
    ui.say("how", limit=reading_limit(given.model))


def _draw_steps(result: Result, inputs: Inputs) -> None:
    """What each token was drawn from."""
    new = result.new
    took = ui.along([visible(result.vocabulary[token]) for token in new.tokens], STEP)
    if not inputs.settings.greedy:
        steps = ui.along([*range(1, len(new.tokens) + 1)], STEP)
        ui.say("number", number=ui.along(new.draws, STEP), step=steps)
    ui.say("taken" if inputs.settings.greedy else "drawn", took=took)
    number_line(new, result.vocabulary, step=STEP, key=f"write.line:{_content(inputs)}")


def _detail(probability: float, n_kept: int) -> str:
    return f"probability {probability:.3f}, one of {n_kept:,} left" if n_kept > 1 else "the only token left"
