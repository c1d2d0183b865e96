"""Attention only against recurrent nets with attention, in the same time."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, guess, seed, segmented, select, text_input
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
GUESSES = {"transformer": "attention only", "recurrent": "the recurrent one", "same": "both alike"}
KINDS = {n: f"{n} adjective{'s' * (n != 1)}{' (longer than in training)' * (n > 2)}" for n in ADJECTIVES}
SECONDS = "processor seconds"
CODE = (Transformer.forward, Stack.forward, Encoder.forward, Decoder.step, task.TranslationRivals)


class Inputs(Base, prefix="rivals_"):
    """The guess, what is trained, what the curves show, and a sentence for both."""

    guess: str = guess("Small data, a few seconds: who will translate better?", GUESSES)
    seed: int = seed()
    kind: int = select("Sentences with", KINDS, 2)
    axis: str = segmented("Horizontal axis", [SECONDS, "training steps"], SECONDS)
    text: str = text_input(
        default="the young good girl finds some big red horses",
        when=lambda i: i.guess != NOT_YET,
        heading="",
        **SENTENCE,
    )


@dataclass(frozen=True)
class Result(Guessed):
    """Both translators as far as they are trained; `guess`: `NOT_YET` hides the recurrent one."""

    guesses = GUESSES
    run: Live
    guess: str
    english: str  # the known words of the learner's sentence
    answers: dict[str, str]  # variant -> its translation

    @property
    def hidden(self) -> tuple[str, ...]:
        """Variants that have still to be guessed."""
        return ("recurrent",) if self.guess == NOT_YET else ()

    @property
    def names(self) -> dict[str, str]:
        """Variants that may be seen, and what they are called."""
        return {name: label for name, label in NAMES.items() if name not in self.hidden}

    def exact(self, name: str, first: int = 0, last: int = ADJECTIVES[-1]) -> float:
        """Share of whole sentences that are right by now, with so many adjectives."""
        shares = self.run.record[f"curve.{name}.exact"][-1]
        return float(shares[[first <= n <= last for n in ADJECTIVES]].mean())

    @property
    def ahead(self) -> str:
        """Who is right more often, over sentences that are as long as in training, and longer ones."""
        return max(NAMES, key=lambda name: self.exact(name, 0, 2) + self.exact(name, 3))

    @property
    def came(self) -> Came:
        return Came(self.ahead, NAMES[self.ahead])

    @property
    def truth(self) -> str | None:
        """The right translation of the sentence; None where the grammar has no such sentence."""
        return languages.to_tamari(self.english)

    def numbers(self, name: str) -> dict[str, float]:
        """What a training took: seconds, steps, parameters."""
        record = self.run.record
        n_parameter = sum(array.size for key, array in record.items() if key.startswith(f"model.{name}."))
        steps = int(record["step"][-1]) * task.VARIANTS[name]
        return {"seconds": float(record[f"seconds.{name}"][-1]), "steps": steps, "parameters": n_parameter}

    def table(self) -> dict[str, list[Any]]:
        """Processor time, and shares of whole sentences right by their number of adjectives, at each look."""
        record, table = self.run.record, {"round": self.run.record["step"].tolist()}
        for name, label in NAMES.items():
            table[f"{label}: seconds"] = record[f"seconds.{name}"].tolist()
            for i, n in enumerate(ADJECTIVES):
                table[f"{label}: {n} adjectives"] = record[f"curve.{name}.exact"][:, i].tolist()
        return table


def compute(inputs: Inputs, run: Live) -> Result:
    """The record, and once the guess is made, the learner's sentence in the words of both."""
    english = " ".join(languages.read(inputs.text)[0][:MOST_WORDS])
    answers = {}
    if inputs.guess != NOT_YET and english:
        answers = {name: translate(task.model_of(run, name), [english])[0] for name in NAMES}
    return Result(run, inputs.guess, english, answers)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
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
            alt=ui.words("alt", kinds=ADJECTIVES),
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
            hidden=[NAMES[name] for name in result.hidden],
            height=280,
            alt=ui.words("alt", kinds=[inputs.kind]),
        )
    if result.hidden:
        ui.say("hidden")
        return
    ui.say("verdict", label=NAMES[result.ahead])
    ui.say("caveat")
    ui.say("answers" if result.english else "nothing")
