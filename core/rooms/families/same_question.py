"""Same question, three architectures: what each can do, measured while all three learn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, guess, seed, segmented, text_input
from core.exhibit import Inputs as Base
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_models import FAMILIES, NAMES, Decoder, Encoder, EncoderDecoder, Words
from core.rooms.families.compute.walks import Walk
from core.rooms.families.experiments import families as task
from core.rooms.families.inputs import DEFAULT, LABEL, QUESTIONS, notes, three_of, walk_of
from core.train.experiments.live import Live

EXPERIMENT = "families"
GUESSES = {"decoder": "the decoder", "encoder": "the encoder", "encoder_decoder": "the encoder-decoder"}
CODE = (task.Families, Decoder.loss, Encoder.loss, EncoderDecoder.loss, Encoder.answers)


def _is_deep(_: Any) -> bool:
    return bool(ui.at_least("numbers"))


class Inputs(Base, prefix="same_"):
    guess: str = guess("Before you look: one of the three cannot write a longer translation. Which?", GUESSES)
    seed: int = seed()
    n_step: int = segmented("Training steps", (350, 700), 350, name="same_steps")
    column: str = segmented("Curves of", task.TITLES, "continue", name="same_task", heading="", when=_is_deep)
    walk: str = text_input(LABEL, DEFAULT, notes=notes, heading="")


@dataclass(frozen=True)
class Result(Guessed):
    """The three as far as they are trained."""

    guesses = GUESSES
    run: Live
    guess: str  # `NOT_YET` hides the longer translations
    walk: Walk  # of the learner's own
    said: Mapping[str, Mapping[str, Words]]  # family -> task -> what it says about this walk; empty if there is none

    @property
    def is_open(self) -> bool:
        """Whether longer translations may be shown: they give the guess away."""
        return self.guess != NOT_YET

    @property
    def step(self) -> int:
        return int(self.run.record["step"][-1])

    @property
    def shares(self) -> dict[str, NDArray[np.float32]]:
        """Family -> the share of right answers to each kind of question now."""
        return dict(zip(NAMES.values(), self.run.record["curve.exact"][-1], strict=True))

    @property
    def chances(self) -> NDArray[np.float32]:
        return task.chances(self.run.seed)

    @property
    def sizes(self) -> dict[str, int]:
        weights = self.run.record.items()
        return {NAMES[f]: sum(w.size for name, w in weights if name.startswith(f"model.{f}.")) for f in FAMILIES}

    @property
    def came(self) -> Came | None:
        """The one that is right least often about a longer translation; None while two are: at first, none can."""
        longer = dict(zip(NAMES, self.run.record["curve.exact"][-1][:, task.COLUMNS.index("longer")], strict=True))
        first, second, _ = sorted(longer, key=lambda family: longer[family])
        return Came(first) if longer[first] < longer[second] else None

    @property
    def is_hidden(self) -> bool:
        """Whether the translation of the walk has to wait for the guess."""
        return self.walk.is_longer and not self.is_open

    @property
    def answers(self) -> dict[str, list[str]]:
        """Family -> its answers about the walk, marked as right or wrong."""
        return {NAMES[family]: [self._marked(*one) for one in said.items()] for family, said in self.said.items()}

    def _marked(self, question: str, said: Words) -> str:
        if question == "translate" and self.is_hidden:
            return "?"
        mark = "✓ " if said == self.walk.answer(question) else "✗ "
        return ("" if question == "classify" and not self.walk.is_clear else mark) + (" ".join(said) or "(nothing)")

    @property
    def truths(self) -> list[str]:
        place = self.walk.place if self.walk.is_clear else "half and half"
        return [place, *(" ".join(self.walk.answer(one)) for one in walks.TASKS[1:])]

    def arrays(self) -> dict[str, NDArray[Any]]:
        return dict(self.run.record) | {
            f"said.{family}.{question}": np.array(walks.encode(words))
            for family, said in self.said.items()
            for question, words in said.items()
        }

    def table(self) -> dict[str, list[Any]]:
        return task.table(self.run.record, self.run.seed)


def compute(inputs: Inputs, run: Live) -> Result:
    """The record, and what the three say about a walk of the learner's own."""
    walk = walk_of(inputs.walk)
    three = three_of(run)
    said = {f: {one: three[f].answers([walk], one)[0] for one in walks.TASKS} for f in FAMILIES if walk.things}
    return Result(run, inputs.guess, walk, said)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    ui.say("shares")
    ui.say("verdict", n_held=task.N_HELD)
    ui.say("limit")
    ui.say("sizes")
    if ui.at_least("numbers"):
        _curves(result, inputs, run)
    if not result.said:
        ui.st.info("Write at least one of these things.")
        return
    ui.say("walk", questions=QUESTIONS.values())
    if result.is_hidden:
        ui.say("longer")


def _curves(result: Result, inputs: Inputs, run: Live) -> None:
    at = task.COLUMNS.index(inputs.column)
    is_hidden = inputs.column == "longer" and not result.is_open
    chance = float(result.chances[at])
    now = {name: shares[at] for name, shares in result.shares.items()}
    "Hidden until the guess is made." if is_hidden else ui.words("now", title=task.TITLES[inputs.column], now=now)
    ui.curves(
        {name: (run.record["step"], run.record["curve.exact"][:, i, at]) for i, name in enumerate(NAMES.values())},
        n_step=run.n_step,
        y=ui.Axis("answers right as a whole", (0, 1.05)),
        references={"blind guessing": chance} if chance > 0.01 else {},
        hidden=list(NAMES.values()) if is_hidden else [],
        height=240,
    )
    if is_hidden:
        ui.say("hidden")
