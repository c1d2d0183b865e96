"""Self-supervised training, frozen at one step: a window is shifted by one, and each place becomes a lesson."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core import ui
from core.exhibit import seed
from core.inspect.reading.model_and_text import vocabulary
from core.models import registry
from core.rooms.decoder import inputs as room
from core.rooms.decoder.compute import training_window
from core.rooms.decoder.compute.training_window import Teaching
from core.rooms.decoder.inputs import Looked, is_small
from core.rooms.decoder.predictions_widget import training_step

CODE = (training_window.teach,)


class Inputs(Looked, prefix="step_"):
    """The model's untrained copy has the same sizes, and weights drawn anew."""

    seed: int = seed(label="Seed of the untrained copy", when=is_small)


@dataclass(frozen=True)
class FrozenStep:
    """A window as lessons, for the model and its untrained copy."""

    step: Teaching  # of the trained model
    untrained: Teaching | None  # of its copy, None for a large model
    words: Sequence[str]  # (V,) all tokens as they can be read
    blind: float  # the loss of one who gives every token the same probability: ln V nats

    def loss_of(self, word: str) -> float:
        """Of the first lesson whose answer is this word. Raises ValueError if there is none."""
        answers = [self.words[int(i)].strip() for i in self.step.targets]
        return float(self.step.loss[answers.index(word)])

    @property
    def formula(self) -> str:
        losses = [f"{loss:.2f}" for loss in self.step.loss]
        terms = losses if len(losses) <= 4 else [*losses[:2], r"\dots", losses[-1]]
        return rf"\frac{{{' + '.join(terms)}}}{{{len(losses)}}} = {self.step.mean:.4f}"

    def table(self) -> dict[str, list[Any]]:
        step, other = self.step, self.untrained
        found: dict[str, list[Any]] = {
            "position": list(range(len(step.loss))),
            "input": [self.words[int(i)] for i in step.inputs],
            "target": [self.words[int(i)] for i in step.targets],
            "p(target)": step.probability.tolist(),
            "loss": step.loss.tolist(),
        }
        if other is not None:
            found |= {"untrained p(target)": other.probability.tolist(), "untrained loss": other.loss.tolist()}
        return found


def compute(inputs: Inputs) -> FrozenStep:
    """The window, shifted by one: each token is the answer to all that stand before it."""
    given, other = inputs.given, None
    if is_small(inputs):
        other = training_window.teach(registry.build(given.config, inputs.seed), given.ids)
    blind = math.log(given.config.vocab_size)
    return FrozenStep(training_window.taught(given), other, vocabulary(given.key), blind)


def draw(result: FrozenStep, inputs: Inputs) -> None:
    training_step(
        result.step,
        result.untrained,
        result.words,
        vocab_size=inputs.given.config.vocab_size,
        key=f"step.{inputs.content}",
        label="One window, and what the model is asked at each position",
        takeaway=ui.words("takeaway"),
    )
    ui.say("mean")
    if result.untrained is None:
        ui.say("large", most=room.MOST_WEIGHTS)
    ui.say("nats")
