"""Self-supervised training, frozen at one step: a window is shifted by one, so each position gets a target."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Column, Result, Table, seed
from core.inspect.model_inputs.model_and_text import model_vocabulary
from core.models import registry
from core.rooms.decoder import inputs as room
from core.rooms.decoder.compute import training_window
from core.rooms.decoder.compute.training_window import WindowPredictions
from core.rooms.decoder.inputs import DecoderInputs, is_small_model

LABELS = module_labels(__name__)

CODE = (training_window.predict_window,)


class Inputs(DecoderInputs, prefix="step_"):
    """The seed of the model's untrained copy, which has the same sizes and new random weights."""

    seed: int = seed(when=is_small_model)


class FrozenStep(Result):
    """The predictions on a window, of the model and of its untrained copy."""

    step: WindowPredictions  # by the trained model
    untrained: WindowPredictions | None  # by its untrained copy, None for a large model
    words: Sequence[str]  # (V,) all tokens, printable
    blind: float  # the loss if every token had the same probability: ln V nats
    formula: str

    def loss_of(self, word: str) -> float:
        """Return the loss of the first prediction whose target is this word.

        Raises:
            ValueError: if there is no such word.
        """
        answers = [self.words[int(i)].strip() for i in self.step.targets]
        return float(self.step.loss[answers.index(word)])

    def table(self) -> Table:
        step, other = self.step, self.untrained
        found: dict[str, Column] = {
            LABELS["position"]: list(range(len(step.loss))),
            LABELS["input"]: [self.words[int(i)] for i in step.inputs],
            LABELS["target"]: [self.words[int(i)] for i in step.targets],
            LABELS["probability"]: step.probability.tolist(),
            LABELS["loss"]: step.loss.tolist(),
        }
        if other is not None:
            found |= {
                LABELS["untrained_probability"]: other.probability.tolist(),
                LABELS["untrained_loss"]: other.loss.tolist(),
            }
        return found


def compute(inputs: Inputs) -> FrozenStep:
    """Shift the window by one, so that each token is the target of the tokens before it."""
    given, step, other = inputs.given, training_window.cached_predictions(inputs.given), None
    if is_small_model(inputs):
        other = training_window.predict_window(registry.build(given.config, inputs.seed), given.ids)
    losses = [f"{loss:.2f}" for loss in step.loss]
    terms = losses if len(losses) <= 4 else [*losses[:2], r"\dots", losses[-1]]
    return FrozenStep(
        step=step,
        untrained=other,
        words=model_vocabulary(given.key),
        blind=math.log(given.config.vocab_size),
        formula=rf"\frac{{{' + '.join(terms)}}}{{{len(losses)}}} = {step.mean:.4f}",
    )


def draw(result: FrozenStep, inputs: Inputs) -> None:
    """Draw the window; the losses and their mean are computed in the browser, with a line at ln V."""
    step, other, words = result.step, result.untrained, result.words
    arrays: dict[str, Any] = {"probability": step.probability}
    if other is not None:
        arrays["untrained"] = other.probability
    ui.add_template_values(most=room.MAX_WEIGHTS)
    ui.mount_widget(
        "training_step",
        key=f"step.{inputs.content}",
        label=LABELS["window"],
        takeaway=ui.section_text("takeaway"),
        plain=not ui.depth_at_least("numbers"),
        inputs=[words[int(i)] for i in step.inputs],
        targets=[words[int(i)] for i in step.targets],
        top=_top(step, words),
        untrained_top=None if other is None else _top(other, words),
        blind=result.blind,
        vocab_size=inputs.given.config.vocab_size,
        first=int(np.argmax(step.loss)),  # the position with the highest loss is selected at first
        **arrays,
    )


def _top(one: WindowPredictions, words: Sequence[str]) -> list[list[tuple[str, float]]]:
    rows = zip(one.top, one.top_probabilities, strict=True)
    return [[(words[int(i)], float(share)) for i, share in zip(*row, strict=True)] for row in rows]
