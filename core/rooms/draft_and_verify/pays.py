"""When a draft pays: the time of a text, measured on this machine, and what the formula expects at other costs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Curve, Reference
from core.charts.lines import lines
from core.charts.race import race
from core.exhibit import NOT_YET, Came, Guessed, guess, number, seed, select
from core.exhibit import Inputs as Base
from core.rooms.draft_and_verify.compute import drafts, timing
from core.rooms.draft_and_verify.compute.timing import Cost, expected_tokens, speed_up
from core.train.experiments.live import Live

TRAINED = "draft"
PROMPT = "Tom and Mia played near the park. Mia hid"
N_NEW = 48
N_DRAFTS = (0, 1, 2, 3, 4, 6, 8)
MOST = max(N_DRAFTS)
GUESSES = {"faster": "faster with a draft", "same": "about the same", "slower": "slower with a draft"}
ABOUT = 0.05  # of the time, either way: "about the same"
COSTS = np.linspace(0.0, 1.0, 41)
CODE = (timing.measure, timing.expected_tokens, timing.speed_up)


class Inputs(Base, prefix="pays_"):
    """Who drafts; another measurement times all of it again."""

    guess: str = guess("Here, on this machine, with these small models: is the text written faster?", GUESSES)
    draft: str = select("Who drafts", dict(drafts.NAMES), "5")
    seed: int = seed(depth="numbers")
    again: int = number(
        "Measurement no.",
        1,
        20,
        1,
        step=1,
        depth="numbers",
        reason="enough to see how much they differ",
        help="Another number measures the times again.",
    )


@dataclass(frozen=True)
class Pays(Guessed):
    """What a text costs with each number of guesses in a round, and without a draft."""

    guesses = GUESSES
    costs: tuple[Cost, ...]
    alpha: float  # the mean chance that a guess stays
    guess: str

    @property
    def is_hidden(self) -> bool:
        return self.guess == NOT_YET

    @property
    def plain(self) -> Cost:
        """The model alone."""
        return self.costs[0]

    @property
    def best(self) -> Cost:
        """The fastest that has a draft."""
        return min(self.costs[1:], key=lambda one: one.seconds)

    @property
    def speed(self) -> float:
        """How many times as fast the best number of guesses is as the model alone."""
        return self.plain.seconds / self.best.seconds

    @property
    def cost(self) -> float:
        """Of a guess, measured in steps of the large model alone."""
        return float(np.mean([one.guess_seconds for one in self.costs[1:]])) / self.plain.pass_seconds

    @property
    def longer(self) -> float:
        """How many times as long a pass takes that reads the most guesses as one that reads a single token."""
        return self.costs[-1].pass_seconds / self.plain.pass_seconds

    @property
    def came(self) -> Came:
        answer = "same" if abs(self.speed - 1) < ABOUT else "faster" if self.speed > 1 else "slower"
        return Came(answer, f"{self.speed:.2f} times as fast at its best")

    @property
    def n_drafts(self) -> NDArray[np.int64]:
        return np.array([one.n_draft for one in self.costs])

    @property
    def expected(self) -> NDArray[np.float64]:
        """Tokens that a pass should settle with each number of guesses."""
        return expected_tokens(self.alpha, self.n_drafts)

    @property
    def by_cost(self) -> NDArray[np.float64]:
        """The formula's speed with the best number of guesses, at each of `COSTS`."""
        return np.max([speed_up(self.alpha, COSTS, k) for k in range(1, MOST + 1)], axis=0)

    @property
    def at_scale(self) -> float:
        """The same where a guess costs a fiftieth of a pass, as in large language models."""
        return float(max(speed_up(self.alpha, 0.02, k) for k in range(1, MOST + 1)))

    def table(self) -> dict[str, list[Any]]:
        """One line for each number of guesses, without the times, which no other machine has."""
        return {
            "guesses in a round": self.n_drafts.tolist(),
            "tokens per pass": [round(one.per_pass, 3) for one in self.costs],
            "tokens per pass, expected": self.expected.round(3).tolist(),
        }


def compute(inputs: Inputs, run: Live) -> Pays:
    """The same prompt continued with each number of guesses, and timed."""
    large = drafts.large()
    ids = large.tokenizer.encode(PROMPT)
    given = drafts.draft_of(inputs.draft, run), ids, N_NEW, N_DRAFTS, inputs.seed
    costs, alpha = timing.measure(large.model, *given)
    return Pays(costs, alpha, inputs.guess)


def draw(result: Pays, inputs: Inputs, run: Live) -> None:
    """Tokens per pass and time a token by the number of guesses; speed by the cost of a guess."""
    steps, mode = result.n_drafts.tolist(), ui.color_mode()
    left, right = ui.pair("pays-charts")
    with left:
        ui.write("**Tokens per pass**")
        ui.chart(
            race(
                {
                    "measured": (steps, [one.per_pass for one in result.costs]),
                    "expected": (steps, result.expected),
                },
                y_title="tokens per pass",
                x_title="guesses in a round",
                n_step=MOST,
                mode=mode,
                height=290,
            ),
            alt=ui.words("alt-tokens"),
            key="pays-tokens",
        )
    if result.is_hidden:
        ui.say("guess")
        return
    with right:
        ui.write("**Time per token**")
        ui.chart(
            race(
                {"with the draft": (steps[1:], [1e3 * one.seconds for one in result.costs[1:]])},
                [Reference(1e3 * result.plain.seconds, "the model alone")],
                y_title="milliseconds per token",
                x_title="guesses in a round",
                n_step=MOST,
                mode=mode,
                height=290,
            ),
            alt=ui.words("alt-time"),
            key="pays-time",
        )
    ui.say("speed")
    ui.say("why")
    ui.write("**If a guess cost less: what the formula expects**")
    ui.chart(
        lines(
            [Curve("with the draft", COSTS.tolist(), result.by_cost.tolist())],
            x_title="cost of a guess, in steps of the large model",
            y_title="times as fast",
            mode=mode,
            height=190,
            marked=min(result.cost, 1.0),
            y_range=(0.8, max(2.0, float(result.by_cost.max()) * 1.05)),
        ),
        alt=ui.words("alt-cost"),
        key="pays-cost",
    )
    ui.say("scale")
    ui.say("caveat")
