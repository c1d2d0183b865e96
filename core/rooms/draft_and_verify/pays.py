"""The benefit of a draft: the time of a text, measured on this machine, and the formula at other costs."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, number_input, seed, select
from core.rooms.draft_and_verify.compute import drafts, timing
from core.rooms.draft_and_verify.compute.timing import DraftCost, expected_speedup, expected_tokens
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "draft"
PROMPT = "Tom and Mia played near the park. Mia hid"
N_NEW = 48
N_DRAFTS = (0, 1, 2, 3, 4, 6, 8)
MAX_GUESSES = max(N_DRAFTS)
TIME_TOLERANCE = 0.05  # a smaller relative difference counts as "about the same"
COSTS = np.linspace(0.0, 1.0, 41)
CODE = (timing.measure_costs, timing.expected_tokens, timing.expected_speedup)


class Inputs(Base, prefix="pays_"):
    guess: str = guess_control(
        ("faster", "same", "slower"),
    )
    draft: str = select(dict(drafts.NAMES), "5")
    seed: int = seed(depth="numbers")
    again: int = number_input(
        1,
        20,
        1,
        step=1,
        depth="numbers",
        reason=LABELS["again.reason"],
    )


class DraftTimes(Result):
    """The time of a text with each number of guesses in a round, and without a draft."""

    is_hidden: bool
    costs: tuple[DraftCost, ...]
    alpha: float  # the mean acceptance probability
    plain: DraftCost  # the model alone
    best: DraftCost  # the fastest with a draft
    speed: float  # speedup of the best number of guesses over the model alone
    cost: float  # cost of a guess, in passes of the large model alone
    longer: float  # time of a pass over the most guesses, relative to a pass over one token
    n_drafts: NDArray[np.int64]
    expected: NDArray[np.float64]  # expected tokens per pass for each number of guesses
    by_cost: NDArray[np.float64]  # the formula's speedup with the best number of guesses, at each of `COSTS`
    at_scale: float  # the same if a guess costs 1/50 of a pass, as in large language models
    outcome: GuessOutcome

    def table(self) -> Table:
        """Return one row for each number of guesses, without the times, because they differ between machines."""
        return {
            LABELS["guesses_axis"]: self.n_drafts.tolist(),
            LABELS["per_pass"]: [round(one.per_pass, 3) for one in self.costs],
            LABELS["per_pass.expected"]: self.expected.round(3).tolist(),
        }


def compute(inputs: Inputs, run: ExperimentRun) -> DraftTimes:
    """Continue the same prompt with each number of guesses, and measure the time."""
    large = drafts.large_model()
    ids = large.text_tokenizer.encode(PROMPT)
    given = drafts.load_draft(inputs.draft, run), ids, N_NEW, N_DRAFTS, inputs.seed
    costs, alpha = timing.measure_costs(large.model, *given)
    plain, *drafted = costs
    best = min(drafted, key=lambda one: one.seconds)
    speed = plain.seconds / best.seconds
    answer = "same" if abs(speed - 1) < TIME_TOLERANCE else "faster" if speed > 1 else "slower"
    n_drafts, some = np.array([one.n_draft for one in costs]), range(1, MAX_GUESSES + 1)
    return DraftTimes(
        is_hidden=inputs.guess == NOT_YET,
        costs=costs,
        alpha=alpha,
        plain=plain,
        best=best,
        speed=speed,
        cost=float(np.mean([one.guess_seconds for one in drafted])) / plain.pass_seconds,
        longer=costs[-1].pass_seconds / plain.pass_seconds,
        n_drafts=n_drafts,
        expected=expected_tokens(alpha, n_drafts),
        by_cost=np.max([expected_speedup(alpha, COSTS, n) for n in some], axis=0),
        at_scale=float(max(expected_speedup(alpha, 0.02, n) for n in some)),
        outcome=GuessOutcome(answer, LABELS("outcome", speed=speed)),
    )


def draw(result: DraftTimes, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw tokens per pass and time per token by the number of guesses, and the speedup by the cost of a guess."""
    steps, by_guesses = result.n_drafts.tolist(), ui.Axis(LABELS["guesses_axis"])
    left, right = ui.two_columns("pays-charts")
    with left:
        ui.curves(
            {
                LABELS["measured"]: (steps, [one.per_pass for one in result.costs]),
                LABELS["expected"]: (steps, result.expected),
            },
            title=LABELS["per_pass.title"],
            x=by_guesses,
            y=LABELS["per_pass"],
            n_step=MAX_GUESSES,
        )
    if result.is_hidden:
        return
    with right:
        ui.curves(
            {LABELS["drafted"]: (steps[1:], [1e3 * one.seconds for one in result.costs[1:]])},
            title=LABELS["time.title"],
            x=by_guesses,
            y=LABELS["time"],
            n_step=MAX_GUESSES,
            references={LABELS["alone"]: 1e3 * result.plain.seconds},
        )
    ui.curves(
        {LABELS["drafted"]: (COSTS, result.by_cost)},
        title=LABELS["by_cost"],
        x=LABELS["cost_axis"],
        y=ui.Axis(LABELS["speed_axis"], (0.8, max(2.0, float(result.by_cost.max()) * 1.05))),
        at=min(result.cost, 1.0),
        height=240,
    )
