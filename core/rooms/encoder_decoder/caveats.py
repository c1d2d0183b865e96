"""BLEU: how it is counted, and what it does not see."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.cache import memoize
from core.inputs import Inputs as Base
from core.inputs import text_input, toggle
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.bleu import Bleu, bleu, groups
from core.rooms.encoder_decoder.compute.bleu_blind import Change, changes
from core.rooms.encoder_decoder.experiments import translation
from core.rooms.encoder_decoder.inputs import translator
from core.train.experiments.live import Live

N = 200
SETS = {"as in training, up to 2 adjectives": languages.USUAL, "longer, 3 or 4 adjectives": languages.LONGER}
MOST = 200  # signs of an own sentence
CODE = (bleu, groups, changes)


class Inputs(Base, prefix="bleu_"):
    """Two texts to compare, and how; the translator, which is judged by many."""

    run: Live = translator()
    reference: str = text_input(
        "Reference, the right translation", "lo kano pico la mila granda vides ne", max_chars=MOST
    )
    written: str = text_input("What was written", "lo kano pico la mila granda vides", max_chars=MOST)
    smooth: bool = toggle("Add 1 to the counts of pairs and longer groups")


@dataclass(frozen=True)
class Result:
    """BLEU of one text, of sentences changed on purpose, and of the translator.

    Attributes:
        found: of the text; None where a field is empty.
        changes: of 200 random sentences.
        of_model: kind of sentences -> exact share, share of words at their position, and BLEU.
    """

    found: Bleu | None
    changes: list[Change]
    of_model: dict[str, tuple[float, float, float]]

    @property
    def formula(self) -> str | None:
        """BLEU of the text."""
        if self.found is None:
            return None
        product = r" \cdot ".join(f"{p:.3f}" for p in self.found.precisions)
        return rf"\text{{BLEU}} = {self.found.brevity:.3f} \cdot ({product})^{{1/4}} = {self.found.score:.3f}"

    def table(self) -> dict[str, list[Any]]:
        """One line for each change."""
        return {
            "change": [one.name for one in self.changes],
            "meaning kept": [not one.is_wrong for one in self.changes],
            "sentences": [one.n for one in self.changes],
            "BLEU": [one.score for one in self.changes],
        }


def compute(inputs: Inputs) -> Result:
    """BLEU of all three."""
    reference, written = inputs.reference.lower().split(), inputs.written.lower().split()
    found = bleu([[reference]], [written], add_one=inputs.smooth) if reference and written else None
    return Result(found, all_changes(), of_model(inputs.run))


@memoize(1)
def all_changes() -> list[Change]:
    """The changes of 200 random sentences."""
    return changes(languages.sample(N, 0))


@memoize(64)
def of_model(run: Live) -> dict[str, tuple[float, float, float]]:
    """What the model makes of both kinds of sentences."""
    model, found = translation.model_of(run), {}
    for name, n_adjective in SETS.items():
        sentences = languages.sample(N, 0, n_adjective)
        written, truth = translation.translate(model, [s.english() for s in sentences]), [s.tamari() for s in sentences]
        shares = translation.shares(written, truth)
        score = bleu([[one.split()] for one in truth], [one.split() for one in written]).score
        found[name] = shares["exact"], shares["words"], score
    return found


def draw(result: Result, inputs: Inputs) -> None:
    """The counts of the text, the changes, and the model's own BLEU."""
    if result.found is None:
        ui.say("empty")
    else:
        left, right = ui.st.columns([1, 1], gap="medium")
        with left:
            ui.say("groups")
        with right:
            ui.st.metric("BLEU", f"{result.found.score:.3f}")
            ui.say("penalty")
    ui.say("changes", n_sentence=N)
    ui.say("kinds")
    ui.say("model", n_sentence=N)
    ui.say("freely")
