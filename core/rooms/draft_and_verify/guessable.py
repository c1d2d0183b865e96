"""What can be guessed: how often each draft is right at other temperatures, and in a text unlike the stories."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from core import ui
from core.charts.curves import Curve
from core.charts.lines import lines
from core.exhibit import Inputs as Base
from core.exhibit import memoize, seed, segmented
from core.generate.settings import Settings
from core.rooms.draft_and_verify.compute import drafts, rule
from core.rooms.draft_and_verify.compute.drafts import SHORT
from core.rooms.draft_and_verify.compute.sampling import chances
from core.train.experiments.live import Live

TRAINED = "draft"
TEXTS = {"stories": "stories", "shuffled": "the same words, shuffled"}
N_TEXT, LENGTH = 16, 48  # the second half of each is measured
TEMPERATURES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
MOST_KEPT = 16
CODE = (rule.acceptance, chances)


class Inputs(Base, prefix="guessable_"):
    text: str = segmented("The text so far", TEXTS, "stories")
    seed: int = seed(label="Seed of the shuffling")


@dataclass(frozen=True)
class Guessable:
    """The mean chance that a guess stays, by draft and temperature."""

    by_draft: Mapping[str, tuple[float, ...]]

    def at(self, draft: str, temperature: float = 1.0) -> float:
        return self.by_draft[draft][TEMPERATURES.index(temperature)]

    @property
    def usual(self) -> dict[str, float]:
        """At temperature 1."""
        return {name: self.at(name) for name in self.by_draft}

    def table(self) -> dict[str, list[float]]:
        return {"temperature": list(TEMPERATURES)} | {SHORT[name]: list(row) for name, row in self.by_draft.items()}


def compute(inputs: Inputs, run: Live) -> Guessable:
    """All drafts and the model read the same held-out text."""
    return Guessable({name: _shared(name, inputs.text, inputs.seed, run) for name in drafts.NAMES})


@memoize(MOST_KEPT * len(drafts.NAMES))
def _shared(name: str, text: str, shuffled_by: int, run: Live) -> tuple[float, ...]:
    ids = _text(text, shuffled_by)
    with torch.inference_mode():
        p = drafts.large().model(ids)[:, LENGTH // 2 :].flatten(0, 1)  # (M, V)
    q = drafts.draft_of(name, run).logits(ids)[:, LENGTH // 2 :].flatten(0, 1)
    each = [(chances(p, Settings(temperature=t)), chances(q, Settings(temperature=t))) for t in TEMPERATURES]
    return tuple(float(rule.acceptance(*both).mean()) for both in each)


def _text(text: str, shuffled_by: int) -> Int[Tensor, "N T"]:
    ids = drafts.held_out(N_TEXT, LENGTH)
    if text == "stories":
        return ids
    generator = torch.Generator().manual_seed(shuffled_by)
    return torch.stack([row[torch.randperm(LENGTH, generator=generator)] for row in ids])


def draw(result: Guessable, inputs: Inputs, run: Live) -> None:
    """One line for each draft."""
    curves = [Curve(SHORT[name], TEMPERATURES, row) for name, row in result.by_draft.items()]
    ui.chart(
        lines(
            curves,
            x_title="temperature",
            y_title="chance that a guess stays",
            mode=ui.color_mode(),
            y_range=(0, 1),
            marked=1.0,
            height=330,
        ),
        alt=ui.words("alt", names=SHORT),
        key="guessable-chart",
    )
    ui.say(inputs.text)
    ui.say("table", names=SHORT)
