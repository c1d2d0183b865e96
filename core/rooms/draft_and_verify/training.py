"""A draft is trained live: how often the large model keeps its guesses, by training step."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.charts.race import race
from core.exhibit import NOT_YET, Came, Guessed, guess, seed
from core.exhibit import Inputs as Base
from core.rooms.draft_and_verify.compute import rule
from core.rooms.draft_and_verify.compute.timing import expected_tokens
from core.rooms.draft_and_verify.experiments import draft as task
from core.rooms.draft_and_verify.experiments.draft import VARIANTS
from core.train.experiments.live import Live

EXPERIMENT = "draft"
GUESSES = {
    "text": "the one that reads the stories",
    "distilled": "the one that learns from the model",
    "same": "both about equally often",
}
EQUAL = 0.02  # a difference that the seed could make
N_DRAFT = 4
CODE = (task.Draft, task.recipe, rule.acceptance)


class Inputs(Base, prefix="draft_"):
    """How wide the drafts are, and the seed."""

    guess: str = guess("Two drafts learn equally long. Whose guesses will be kept more often?", GUESSES)
    d_model: int = task.Options.control("d_model")
    seed: int = seed(depth="numbers")


@dataclass(frozen=True)
class Trained(Guessed):
    """The two drafts as far as they are."""

    guesses = GUESSES
    run: Live
    guess: str

    @property
    def is_hidden(self) -> bool:
        """The second curve, until somebody has guessed."""
        return self.guess == NOT_YET

    @property
    def chance(self) -> dict[str, float]:
        """Of a guess to stay, by now."""
        return {name: float(self.run.record[f"curve.{name}.chance"][-1]) for name in VARIANTS}

    @property
    def kept(self) -> dict[str, float]:
        """The share of guesses that did stay."""
        return {name: float(self.run.record[f"curve.{name}.kept"][-1]) for name in VARIANTS}

    @property
    def seconds(self) -> dict[str, float]:
        """Of one core that the training of each took."""
        return {name: float(self.run.record[f"seconds.{name}"][-1]) for name in VARIANTS}

    @property
    def per_pass(self) -> float:
        """Tokens that a pass should settle with four guesses of the draft that read the stories."""
        return float(expected_tokens(self.chance["text"], N_DRAFT))

    @property
    def half_way(self) -> int:
        """The first measured step at which half of the final chance is reached."""
        curve = self.run.record["curve.text.chance"]
        return int(self.run.record["step"][int((curve >= curve[-1] / 2).argmax())])

    @property
    def came(self) -> Came | None:
        if not self.run.is_done:
            return None
        apart = self.chance["distilled"] - self.chance["text"]
        answer = "same" if abs(apart) < EQUAL else "distilled" if apart > 0 else "text"
        words = f"{self.chance['text']:.1%} and {self.chance['distilled']:.1%}"
        return Came(answer, f"{GUESSES[answer]}: {words}")

    def table(self) -> dict[str, list[Any]]:
        """Look by look; the second draft once there has been a guess."""
        found = task.table(self.run.record)
        return {
            name: column for name, column in found.items() if not (self.is_hidden and VARIANTS["distilled"] in name)
        }


def compute(inputs: Inputs, run: Live) -> Trained:
    """The record, and whether all of it may be told."""
    return Trained(run, inputs.guess)


def draw(result: Trained, inputs: Inputs, run: Live) -> None:
    """The chance that a guess stays, by training step."""
    curves = {
        name: (run.record["step"], run.record[f"curve.{variant}.chance"])
        for variant, name in {v: f"learns {name}" for v, name in VARIANTS.items()}.items()
    }
    if ui.at_least("numbers") and not result.is_hidden:
        curves |= {
            f"{VARIANTS[variant]}: really kept": (run.record["step"], run.record[f"curve.{variant}.kept"])
            for variant in VARIANTS
        }
    ui.chart(
        race(
            curves,
            y_title="chance that a guess stays",
            n_step=run.n_step,
            mode=ui.color_mode(),
            y_limits=(0, 1.02),
            hidden=["learns " + VARIANTS["distilled"]] if result.is_hidden else (),
            height=330,
        ),
        alt=ui.words("alt"),
        key="draft-chart",
    )
    ui.say("chance")
    ui.say("told")
    ui.say("guess" if result.is_hidden else "both")
    ui.say("theory")
