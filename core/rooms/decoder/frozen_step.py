"""Self-supervised training, frozen at one step: a window is shifted by one, and each place becomes a lesson."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core import ui
from core.exhibit import Column, Result, Table, seed
from core.inspect.reading.model_and_text import vocabulary
from core.models import registry
from core.rooms.decoder import inputs as room
from core.rooms.decoder.compute import training_window
from core.rooms.decoder.compute.training_window import Teaching
from core.rooms.decoder.inputs import Looked, is_small

CODE = (training_window.teach,)


class Inputs(Looked, prefix="step_"):
    """The model's untrained copy has the same sizes, and weights drawn anew."""

    seed: int = seed(label="Seed of the untrained copy", when=is_small)


class FrozenStep(Result):
    """A window as lessons, for the model and its untrained copy."""

    step: Teaching  # of the trained model
    untrained: Teaching | None  # of its copy, None for a large model
    words: Sequence[str]  # (V,) all tokens as they can be read
    blind: float  # the loss of one who gives every token the same probability: ln V nats
    formula: str

    def loss_of(self, word: str) -> float:
        """The loss of the first lesson whose answer is this word. Raises ValueError if there is none."""
        answers = [self.words[int(i)].strip() for i in self.step.targets]
        return float(self.step.loss[answers.index(word)])

    def table(self) -> Table:
        step, other = self.step, self.untrained
        found: dict[str, Column] = {
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
    given, step, other = inputs.given, training_window.taught(inputs.given), None
    if is_small(inputs):
        other = training_window.teach(registry.build(given.config, inputs.seed), given.ids)
    losses = [f"{loss:.2f}" for loss in step.loss]
    terms = losses if len(losses) <= 4 else [*losses[:2], r"\dots", losses[-1]]
    return FrozenStep(
        step=step,
        untrained=other,
        words=vocabulary(given.key),
        blind=math.log(given.config.vocab_size),
        formula=rf"\frac{{{' + '.join(terms)}}}{{{len(losses)}}} = {step.mean:.4f}",
    )


def draw(result: FrozenStep, inputs: Inputs) -> None:
    """The window as lessons; the losses and their mean are computed in the browser, with a line at ln V."""
    step, other, words = result.step, result.untrained, result.words
    arrays: dict[str, Any] = {"probability": step.probability}
    if other is not None:
        arrays["untrained"] = other.probability
    ui.facts(most=room.MOST_WEIGHTS)
    ui.widget(
        "training_step",
        key=f"step.{inputs.content}",
        label="One window, and what the model is asked at each position",
        takeaway=ui.words("takeaway"),
        plain=not ui.at_least("numbers"),
        inputs=[words[int(i)] for i in step.inputs],
        targets=[words[int(i)] for i in step.targets],
        top=_top(step, words),
        untrained_top=None if other is None else _top(other, words),
        blind=result.blind,
        vocab_size=inputs.given.config.vocab_size,
        first=int(np.argmax(step.loss)),  # at first the dearest lesson is looked at
        **arrays,
    )


def _top(one: Teaching, words: Sequence[str]) -> list[list[tuple[str, float]]]:
    rows = zip(one.top, one.top_probabilities, strict=True)
    return [[(words[int(i)], float(share)) for i, share in zip(*row, strict=True)] for row in rows]
