"""Attention only against recurrent nets with attention, in the same time."""

from typing import Any

import numpy as np

from core import ui
from core.exhibit import NOT_YET, Outcome, Result, guess, seed, segmented, select, text_input
from core.exhibit import Inputs as Base
from core.models.seq2seq import Decoder, Encoder
from core.models.transformer import Stack, Transformer
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.experiments import translation_rivals as task
from core.rooms.encoder_decoder.experiments.translation import translate
from core.rooms.encoder_decoder.experiments.translation_rivals import ADJECTIVES, NAMES
from core.rooms.encoder_decoder.inputs import MOST_WORDS, SENTENCE
from core.train.experiments.live import Live

EXPERIMENT = "translation-rivals"
KINDS = {n: f"{n} adjective{'s' * (n != 1)}{' (longer than in training)' * (n > 2)}" for n in ADJECTIVES}
SECONDS = "processor seconds"
CODE = (Transformer.forward, Stack.forward, Encoder.forward, Decoder.step, task.TranslationRivals)


class Inputs(Base, prefix="rivals_"):
    guess: str = guess(
        "Small data, a few seconds: who will translate better?",
        {"transformer": "attention only", "recurrent": "the recurrent one", "same": "both alike"},
    )
    seed: int = seed()
    kind: int = select("Sentences with", KINDS, 2)
    axis: str = segmented("Horizontal axis", [SECONDS, "training steps"], SECONDS)
    text: str = text_input(
        default="the young good girl finds some big red horses",
        when=lambda i: i.guess != NOT_YET,
        heading="",
        **SENTENCE,
    )


class Rivals(Result):
    """Both translators as far as they are trained."""

    run: Live
    is_hidden: bool  # the recurrent one, until there is a guess
    names: dict[str, str]  # variants that may be seen, and their titles
    leader: str  # who is right more often, over sentences that are as long as in training, and longer ones
    seconds: dict[str, float]  # that the training of each took
    english: str  # the known words of the learner's sentence
    answers: dict[str, str]  # variant -> its translation
    truth: str | None  # the right translation; None where the grammar has no such sentence
    outcome: Outcome

    def table(self) -> dict[str, list[Any]]:
        """Processor time, and shares of whole sentences right by their number of adjectives, at each evaluation."""
        record, table = self.run.record, {"round": self.run.record["step"].tolist()}
        for name, label in NAMES.items():
            table[f"{label}: seconds"] = record[f"seconds.{name}"].tolist()
            for i, n in enumerate(ADJECTIVES):
                table[f"{label}: {n} adjectives"] = record[f"curve.{name}.exact"][:, i].tolist()
        return table


def compute(inputs: Inputs, run: Live) -> Rivals:
    """The record, and once the guess is made, the learner's sentence in the words of both."""
    english = " ".join(languages.read(inputs.text)[0][:MOST_WORDS])
    answers = {}
    if inputs.guess != NOT_YET and english:
        answers = {name: translate(task.model_of(run, name), [english])[0] for name in NAMES}
    is_long = np.array([n > languages.USUAL[-1] for n in ADJECTIVES])
    exact = {name: run.record[f"curve.{name}.exact"][-1] for name in NAMES}
    ahead = max(NAMES, key=lambda name: float(exact[name][is_long].mean()) + float(exact[name][~is_long].mean()))
    is_hidden = inputs.guess == NOT_YET
    return Rivals(
        run=run,
        is_hidden=is_hidden,
        names={name: label for name, label in NAMES.items() if not (is_hidden and name == "recurrent")},
        leader=NAMES[ahead],
        seconds={name: float(run.record[f"seconds.{name}"][-1]) for name in NAMES},
        english=english,
        answers=answers,
        truth=languages.to_tamari(english),
        outcome=Outcome(ahead, NAMES[ahead]),
    )


def draw(result: Rivals, inputs: Inputs, run: Live) -> None:
    """The race, who is ahead, and a sentence for both."""
    names, is_time = result.names, inputs.axis == SECONDS
    left, right = ui.pair("rivals-curves")
    with right:
        ui.curves(
            {label: (ADJECTIVES, run.record[f"curve.{name}.exact"][-1]) for name, label in names.items()},
            x="adjectives in the sentence",
            y=ui.Axis("whole sentences right", (0, 1.05)),
            at=float(languages.USUAL[-1]),
            height=280,
        )
    with left:
        steps = {name: run.record["step"] * n for name, n in task.VARIANTS.items()}
        x = {name: run.record[f"seconds.{name}"] if is_time else steps[name] for name in NAMES}
        place = ADJECTIVES.index(inputs.kind)
        ui.curves(
            {label: (x[name], run.record[f"curve.{name}.exact"][:, place]) for name, label in NAMES.items()},
            x=ui.Axis(
                "processor seconds of training" if is_time else "training step", format=".1f" if is_time else ",d"
            ),
            n_step=max(0.1, *(float(seconds[-1]) for seconds in x.values()))
            if is_time
            else run.n_step * max(task.VARIANTS.values()),
            y=ui.Axis("whole sentences right", (0, 1.05)),
            hidden=[NAMES[name] for name in NAMES if name not in names],
            height=280,
        )
