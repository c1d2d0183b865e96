"""The acceptance rate of each draft at other temperatures, and on a text unlike the stories."""

import torch
from jaxtyping import Int
from torch import Tensor

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, memoize, seed, segmented_control
from core.generate.filter_settings import FilterSettings
from core.rooms.draft_and_verify.compute import drafts, rule
from core.rooms.draft_and_verify.compute.drafts import SHORT_NAMES
from core.rooms.draft_and_verify.compute.sampling import sampling_probabilities
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "draft"
N_TEXT, LENGTH = 16, 48  # the second half of each is measured
TEMPERATURES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
MAX_CACHED = 16
CODE = (rule.acceptance_rate, sampling_probabilities)


class Inputs(Base, prefix="guessable_"):
    text: str = segmented_control(("stories", "shuffled"), "stories")
    seed: int = seed()


class Guessable(Result):
    """The mean acceptance probability of each draft."""

    by_draft: dict[str, tuple[float, ...]]  # draft -> at each of `TEMPERATURES`
    usual: dict[str, float]  # draft -> at temperature 1
    names: dict[str, str]

    def table(self) -> dict[str, list[float]]:
        return {LABELS["temperature"]: list(TEMPERATURES)} | {
            SHORT_NAMES[name]: list(row) for name, row in self.by_draft.items()
        }


def compute(inputs: Inputs, run: ExperimentRun) -> Guessable:
    """Run all drafts and the model on the same held-out text."""
    by_draft = {name: _shared(name, inputs.text, inputs.seed, run) for name in drafts.NAMES}
    usual = {name: row[TEMPERATURES.index(1.0)] for name, row in by_draft.items()}
    return Guessable(by_draft=by_draft, usual=usual, names=dict(SHORT_NAMES))


@memoize(MAX_CACHED * len(drafts.NAMES))
def _shared(name: str, text: str, shuffled_by: int, run: ExperimentRun) -> tuple[float, ...]:
    ids = _text(text, shuffled_by)
    with torch.inference_mode():
        p = drafts.large_model().model(ids)[:, LENGTH // 2 :].flatten(0, 1)  # (M, V)
    q = drafts.load_draft(name, run).logits(ids)[:, LENGTH // 2 :].flatten(0, 1)
    each = [
        (
            sampling_probabilities(p, FilterSettings(temperature=t)),
            sampling_probabilities(q, FilterSettings(temperature=t)),
        )
        for t in TEMPERATURES
    ]
    return tuple(float(rule.acceptance_rate(*both).mean()) for both in each)


def _text(text: str, shuffled_by: int) -> Int[Tensor, "N T"]:
    ids = drafts.held_out_windows(N_TEXT, LENGTH)
    if text == "stories":
        return ids
    generator = torch.Generator().manual_seed(shuffled_by)
    return torch.stack([row[torch.randperm(LENGTH, generator=generator)] for row in ids])


def draw(result: Guessable, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw one curve for each draft."""
    ui.curves(
        {SHORT_NAMES[name]: (TEMPERATURES, row) for name, row in result.by_draft.items()},
        x=LABELS["temperature"],
        y=ui.Axis(LABELS["chance_axis"], (0, 1)),
        at=1.0,
        height=330,
    )
