"""A reward that isn't quite what was meant: it rises, the truth falls, and the KL term decides how far."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core import ui
from core.charts.race import race
from core.exhibit import NOT_YET, Came, Guessed, guess, seed
from core.exhibit import Inputs as Base
from core.rooms.assistant.compute import learning, objectives, writing
from core.rooms.assistant.compute.reading import Answer, answer_to
from core.rooms.assistant.compute.start import model_of, tuned
from core.rooms.assistant.compute.world import color_of
from core.rooms.assistant.experiments import wrong_reward as task
from core.rooms.assistant.experiments.wrong_reward import NAMES, WEIGHTS
from core.train.experiments.live import Live

EXPERIMENT = "wrong-reward"
GUESSES = {
    "right": "friendly answers that are still right",
    "spam": "“happy” over and over",
    "same": "what it wrote before",
}
QUESTION = color_of("ball")
HEIGHT = 280
CODE = (objectives.policy_gradient, learning.reinforce, writing.happy_words, task.WrongReward)


class Inputs(Base, prefix="hack_"):
    """A guess, the reward and the seed."""

    guess: str = guess("Each “happy” is rewarded, and nothing else. What will the model write in the end?", GUESSES)
    reward: str = task.Options.control("reward")
    seed: int = seed()


@dataclass(frozen=True)
class Result(Guessed):
    """Three models as far as they are trained, and the one that they began as."""

    guesses = GUESSES
    run: Live
    guess: str
    reward: str
    before: Answer
    answers: Mapping[str, Answer]  # weight of the KL term, by name -> the likeliest answer

    @property
    def is_told(self) -> bool:
        return self.guess != NOT_YET

    def last(self, what: str) -> dict[str, float]:
        """The newest of a curve, by weight."""
        return {name: float(self.run.record[f"curve.{name}.{what}"][-1]) for name in WEIGHTS}

    def first(self, what: str) -> float:
        """Before the first step, the same for all."""
        return float(self.run.record[f"curve.none.{what}"][0])

    @property
    def came(self) -> Came | None:
        if not self.run.is_done or self.reward != "happy":
            return None
        words = self.answers["none"].words
        is_spam = words.count("happy") > 2
        is_right = self.last("right")["none"] > 0.5
        answer = "spam" if is_spam and not is_right else "right" if is_right and "happy" in words else "same"
        return Came(answer, f"“{self.answers['none'].said}”")

    @property
    def rows(self) -> list[dict[str, str]]:
        """A line for each weight."""
        reward, right, kl = (self.last(what) for what in ("reward", "right", "kl"))
        return [
            {"name": NAMES[w], "reward": f"{reward[w]:.2f}", "right": f"{right[w]:.0%}", "kl": f"{kl[w]:.1f}"}
            for w in WEIGHTS
        ]

    def table(self) -> dict[str, Any]:
        """Reward, truth and KL by step; before a guess, of the largest KL term alone."""
        record, told = self.run.record, list(WEIGHTS) if self.is_told else ["much"]
        return {"step": record["step"]} | {
            f"{NAMES[w]}: {what}": record[f"curve.{w}.{what}"].round(4)
            for w in told
            for what in ("reward", "right", "friendly", "kl")
        }


def compute(inputs: Inputs, run: Live) -> Result:
    """The likeliest answer of each model."""
    answers = {name: answer_to(model_of(run.record, name), QUESTION) for name in WEIGHTS}
    return Result(run, inputs.guess, inputs.reward, answer_to(tuned().eval(), QUESTION), answers)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """Reward and truth by step, and what each model writes."""
    record, hidden = run.record, [] if result.is_told else [NAMES[w] for w in WEIGHTS if w != "much"]
    told = [w for w in WEIGHTS if NAMES[w] not in hidden]
    for side, what in zip(ui.pair("hack-curves"), ("reward", "right"), strict=True):
        curves = {NAMES[w]: (record["step"], record[f"curve.{w}.{what}"]) for w in WEIGHTS}
        how: dict[str, Any] = {"y_title": ui.words(f"axis-{what}"), "height": HEIGHT, "mode": ui.color_mode()}
        limits = (0, 1.05) if what == "right" else _ends(record, inputs.reward)
        with side:
            spec = race(
                curves, title=ui.words(f"title-{what}"), n_step=run.n_step, hidden=hidden, y_limits=limits, **how
            )
            ui.chart(spec, alt=ui.words(f"alt-{what}"), key=f"hack-{what}")
    for name, answer in {"before": result.before, **{w: result.answers[w] for w in told}}.items():
        ui.token_row(
            answer.words,
            values=list(answer.probabilities),
            kind="probability",
            limits=(0, 1),
            value_title="probability",
            details=answer.details,
            key=f"hack-row-{name}",
            title="before" if name == "before" else NAMES[name],
            takeaway=f"It writes: {answer.said}",
        )
    if not result.is_told:
        ui.say("guess")
        return
    if result.came is not None:
        ui.say("guessed")
    ui.say("ends", start=f"{result.first('right'):.0%}")
    ui.say("learned" if run.options["reward"] == "learned" else "price")


def _ends(record: Mapping[str, Any], reward: str) -> tuple[float, float]:
    """Of the axis of rewards."""
    found = [float(value) for w in WEIGHTS for value in record[f"curve.{w}.reward"]]
    return 1.05 * min(0.0, *found), 1.05 * max(8.0 if reward == "length" else 1.0, *found)
