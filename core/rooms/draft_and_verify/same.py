"""The same distribution, exactly: every way that three words can come about, with a draft and without one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.printable import visible
from core.exhibit import NOT_YET, Came, Guessed, guess, seed, select, slider
from core.exhibit import Inputs as Base
from core.generate.cache import CachedModel
from core.generate.settings import Settings
from core.rooms.draft_and_verify.compute import drafts, enumeration, rule
from core.rooms.draft_and_verify.compute.enumeration import Chances, Text, alone, drafted, draw_texts
from core.rooms.draft_and_verify.compute.sampling import chances
from core.rooms.draft_and_verify.same_chart import same_chart
from core.train.experiments.live import Live

TRAINED = "draft"
PROMPT = "Tom and Mia played near the park. Mia hid"
N_NEW, N_DRAWN = 3, 2_000
N_LIKELY, N_ADDED, LEAST = 8, 4, 0.005  # texts that are drawn: the likeliest, and those that only a broken rule brings
SETTINGS = Settings(top_k=4)  # of model and draft alike: four tokens at each place, so that all can be counted
Z = 1.959964  # standard deviations: 95 %
GUESSES = {"same": "the same", "close": "nearly the same", "draft": "drawn towards the draft"}
ALIKE = 1e-12  # rounding of some hundred sums
CODE = (enumeration.drafted, enumeration.alone, rule.keep_chance, rule.rest_of)


class Inputs(Base, prefix="same_"):
    """The rule, right or broken, and who drafts."""

    guess: str = guess("A weak draft guesses. How are the texts distributed then, next to the model's alone?", GUESSES)
    rule: str = select("The rule", dict(rule.RULES), "paper")
    draft: str = select("Who drafts", dict(drafts.NAMES), "2", depth="numbers")
    n_draft: int = slider("Guesses in a round", 1, N_NEW - 1, 2, depth="numbers")
    seed: int = seed(depth="numbers")


@dataclass(frozen=True)
class Row:
    """One text of three words."""

    text: str
    alone: float  # its probability where the model writes alone
    drafted: float  # and with the draft
    drawn: float  # its share of the texts that were really drawn
    low: float  # low, high: the 95% interval of that share
    high: float


@dataclass(frozen=True)
class Same(Guessed):
    """All texts, the likeliest first."""

    guesses = GUESSES
    rows: tuple[Row, ...]
    n_way: int  # ways of drafting, keeping and correcting that lead to them
    largest: float  # difference of a text's probability
    apart: float  # total variation distance: share of texts that come too often
    guess: str

    @property
    def is_hidden(self) -> bool:
        return self.guess == NOT_YET

    @property
    def is_same(self) -> bool:
        return self.largest < ALIKE

    @property
    def n_inside(self) -> int:
        """Texts whose interval holds what the model alone gives them."""
        return sum(row.low <= row.alone <= row.high for row in self.rows)

    @property
    def shown(self) -> tuple[Row, ...]:
        """The likeliest texts of the model alone, and of the others those that come often with the draft."""
        added = [row for row in self.rows[N_LIKELY:] if row.drafted > LEAST and not self.is_hidden]
        return *self.rows[:N_LIKELY], *sorted(added, key=lambda row: -row.drafted)[:N_ADDED]

    @property
    def largest_in_words(self) -> str:
        return f"{self.largest:.0e}" if self.largest < 1e-4 else f"{self.largest:.3f}"

    @property
    def came(self) -> Came:
        answer = "same" if self.is_same else "close" if self.apart < 0.02 else "draft"
        return Came(answer)

    def table(self) -> dict[str, list[Any]]:
        """One line for each text; before the guess only what the model alone does."""
        found: dict[str, list[Any]] = {
            "text": [row.text for row in self.rows],
            "the model alone": [row.alone for row in self.rows],
        }
        if self.is_hidden:
            return found
        return found | {
            "with the draft": [row.drafted for row in self.rows],
            f"drawn of {N_DRAWN:,}": [row.drawn for row in self.rows],
            "95 % from": [row.low for row in self.rows],
            "95 % to": [row.high for row in self.rows],
        }


def compute(inputs: Inputs, run: Live) -> Same:
    """The probability of every text, added up over all ways that lead there; and real draws."""
    p, q = tables(drafts.draft_of(inputs.draft, run))
    true = alone(p, N_NEW)
    found, n_way = drafted(p, q, N_NEW, inputs.n_draft, inputs.rule)
    counts = draw_texts(p, q, N_NEW, inputs.n_draft, N_DRAWN, inputs.seed, inputs.rule)
    tokenizer = drafts.large().tokenizer
    texts = sorted(true.keys() | found.keys(), key=lambda text: (-true.get(text, 0.0), -found.get(text, 0.0), text))
    rows = []
    for text in texts:
        share = counts.get(text, 0) / N_DRAWN
        low, high = wilson(share, N_DRAWN)
        name = " ".join(map(visible, tokenizer.decode(text).strip().split(" ")))
        rows.append(Row(name, true.get(text, 0.0), found.get(text, 0.0), share, low, high))
    largest = enumeration.largest_difference(true, found)
    return Same(tuple(rows), n_way, largest, enumeration.total_variation(true, found), inputs.guess)


def tables(draft: Any) -> tuple[Chances, Chances]:
    """The probabilities of the model and of a draft after the prompt and any words more, each asked for once."""
    large = drafts.large()
    prompt = large.tokenizer.encode(PROMPT)
    cached = CachedModel(large.model)

    def kept(ask: Any) -> Chances:
        known: dict[Text, NDArray[np.float64]] = {}

        def of(text: Text) -> NDArray[np.float64]:
            if text not in known:
                known[text] = chances(ask([*prompt, *text])[None], SETTINGS)[0]
            return known[text]

        return of

    return kept(lambda text: cached.next_logits([text])[0]), kept(draft.next_logits)


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95% interval of a share of n draws. Source: Wilson 1927."""
    middle, half = (share + Z**2 / (2 * n)), Z * (share * (1 - share) / n + Z**2 / (4 * n**2)) ** 0.5
    low, high = (middle - half) / (1 + Z**2 / n), (middle + half) / (1 + Z**2 / n)
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def draw(result: Same, inputs: Inputs, run: Live) -> None:
    """A bar for the model alone, a dot for the draws, a ring for the exact sum."""
    rows = result.shown
    shown: Mapping[str, Any] = {
        "alone": [row.alone for row in rows],
        "drafted": None if result.is_hidden else [row.drafted for row in rows],
        "drawn": None if result.is_hidden else [(row.drawn, row.low, row.high) for row in rows],
    }
    ui.chart(
        same_chart([row.text for row in rows], **shown, mode=ui.color_mode()), alt=ui.words("alt"), key="same-chart"
    )
    if result.is_hidden:
        ui.say("guess")
        return
    ui.say("largest")
    ui.say("verdict")
    ui.say("told")
    ui.say("shown", n=len(rows), n_drawn=N_DRAWN)
