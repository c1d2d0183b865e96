"""Three switches on one sentence: what a causal mask costs, what positions and a second layer are for, by training."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from core import ui
from core.charts.curves import Reference
from core.charts.race import race
from core.data.synthetic import NOUNS, referents
from core.exhibit import NOT_YET, Came, Guessed, guess, nearest, seed, segmented
from core.exhibit import Inputs as Base
from core.rooms.heads_at_work.compute import naming
from core.rooms.heads_at_work.compute.naming import Naming
from core.rooms.heads_at_work.experiments import three_switches as task
from core.rooms.heads_at_work.experiments.three_switches import NAMES, VARIANTS
from core.rooms.heads_at_work.sentence import ENDING, FIRST_NOUN, SECOND_NOUN, of_it, say_if_same, sentence_of
from core.train.experiment import rebuild
from core.train.experiments.live import Live
from core.train.experiments.naming import ReferentExperiment, answer_logits

EXPERIMENT = "three-switches"
GUESSES = {"all": "about 100%", "half": "about 50%", "noun": "one in eight, as by guessing"}
SHARES = {"all": 1.0, "half": 0.5, "noun": 1 / 8}
CODE = (task.ThreeSwitches, ReferentExperiment, answer_logits, naming.name_it)


class Inputs(Base, prefix="switch_"):
    """A guess, the training, and what is asked of one of the models."""

    guess: str = guess("Before you look: how often will the model with a causal mask be right?", GUESSES)
    ending: str = ENDING
    model: str = segmented("Model", NAMES, "full")
    seed: int = seed()
    n_step: int = segmented("Training steps", (200, 400, 600), 200, name="switch_steps")
    first: str = FIRST_NOUN
    second: str = SECOND_NOUN


class Turn(NamedTuple):
    """What a head gives the first noun of what it gives both, by the ending."""

    layer: int
    head: int
    full: float
    empty: float


@dataclass(frozen=True)
class Result(Guessed):
    """Four models as far as they are trained, and one of them asked about a sentence."""

    guesses = GUESSES
    run: Live
    guess: str  # `NOT_YET` hides all but the first model
    readings: Mapping[str, Naming]  # ending -> the model's answer
    best: tuple[int, int]  # (layer, head) that most prefers the right noun, on average over the sentences held out

    @property
    def hidden(self) -> tuple[str, ...]:
        return tuple(variant for variant in VARIANTS if variant != "full") if self.guess == NOT_YET else ()

    @property
    def right(self) -> dict[str, float]:
        """Share of right answers of each variant by now."""
        return {variant: float(self.run.record[f"curve.{variant}.accuracy"][-1]) for variant in VARIANTS}

    @property
    def came(self) -> Came:
        share = self.right["causal"]
        return Came(nearest(share, SHARES), f"{share:.0%}")

    @property
    def n_held(self) -> int:
        return len(referents.split(self.run.seed)[1])

    @property
    def n_right(self) -> dict[str, int]:
        """In how many of them each variant is right."""
        return {variant: round(share * self.n_held) for variant, share in self.right.items()}

    @property
    def turns(self) -> Turn:
        """In the head where the ending changes most which of the two nouns "it" reads."""
        shares = []
        for ending in referents.ENDINGS:
            rows = self.readings[ending].rows.astype(np.float64)
            one, two = rows[..., referents.FIRST], rows[..., referents.SECOND]
            shares.append(one / (one + two))
        moved = np.abs(shares[0] - shares[1])
        layer, head = map(int, np.unravel_index(int(moved.argmax()), moved.shape))
        return Turn(layer, head, *(float(share[layer, head]) for share in shares))

    @property
    def moved(self) -> float:
        """By how much the ending changes a weight at "it", or a noun's probability, at most."""
        full, empty = self.readings.values()
        return max(float(np.abs(full.rows - empty.rows).max()), float(np.abs(full.nouns - empty.nouns).max()))

    def table(self) -> dict[str, list[Any]]:
        """Share of right answers of each variant, on pairs of nouns that never met in training."""
        run, names = self.run, [NAMES[variant] for variant in VARIANTS]
        step, seed = ([number] * len(names) for number in (run.step, run.seed))
        return {"model": names, "accuracy": [*self.right.values()], "step": step, "seed": seed}


def model_of(run: Live, variant: str) -> Any:
    """A trained model."""
    return rebuild(run.record, variant, VARIANTS[variant])


def compute(inputs: Inputs, run: Live) -> Result:
    """One of the models asked in both readings, and where its heads look in the sentences held out."""
    model = model_of(run, inputs.model)
    readings = {ending: naming.name_it(model, sentence_of(inputs, ending)) for ending in referents.ENDINGS}
    return Result(run, inputs.guess, readings, naming.pointing(model, referents.split(run.seed)[1]).best)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """One of four variants asked about a sentence, and their race."""
    is_asked = not ui.is_hidden("switch_guess")  # a lesson that hides the question asks it later
    words, reading, best = referents.tokens(sentence_of(inputs)), result.readings[inputs.ending], result.best
    reads = np.where(reading.mask, reading.rows[best], np.nan)
    strongest = int(np.nanargmax(reads))
    ui.say("answer", reading=reading, sentence=sentence_of(inputs))
    say_if_same(inputs)
    if not float(np.abs(result.readings["full"].rows - result.readings["empty"].rows).max()):
        ui.say("unmoved")
    ui.token_row(
        words,
        key="switch-row",
        values=reads,
        kind="probability",
        value_title="weight",
        selected=referents.IT,
        title=f"Where “it” looks: layer {best[0]}, head {best[1]}",
        takeaway=f"“it” looks most at “{words[strongest]}”, weight {reads[strongest]:.2f}.",
    )
    ui.say("verdict", is_asked=is_asked)
    if ui.at_least("numbers"):
        _heads(result, inputs)
        _nouns(result, inputs)
    _curves(result)


def _curves(result: Result) -> None:
    run, hidden = result.run, result.hidden
    curve = {name: f"curve.{variant}" for variant, name in NAMES.items()}
    spec = race(
        {name: (run.record["step"], run.record[f"{of}.accuracy"]) for name, of in curve.items()},
        [Reference(0.5, "half: cannot tell the two nouns apart")],
        y_title="share of right answers",
        n_step=run.n_step,
        mode=ui.color_mode(),
        y_limits=(0, 1.05),
        hidden=[NAMES[variant] for variant in hidden],
        height=215,
    )
    now = ", ".join(f"{NAMES[one]}: {right:.0%}" for one, right in result.right.items() if one not in hidden)
    ui.chart(spec, alt=f"Curves of accuracy by training step. After step {run.step}: {now}.", key="switch-curves")


def _nouns(result: Result, inputs: Inputs) -> None:
    """What the model says in both readings."""
    full, empty = (result.readings[ending] for ending in ("full", "empty"))
    first = sentence_of(inputs).first, sentence_of(inputs).second
    nouns = [*first, *(noun for noun in NOUNS if noun not in first)]
    order = [NOUNS.index(noun) for noun in nouns]
    ui.before_after(
        nouns,
        full.nouns[order].tolist(),
        empty.nouns[order].tolist(),
        names=("full", "empty"),
        takeaway=" ".join(
            f"Until it was {ending}: {one.said} with {one.nouns.max():.2f}." for ending, one in result.readings.items()
        ),
        key="switch-bars",
    )


def _heads(result: Result, inputs: Inputs) -> None:
    """The row of "it" in every head, in both readings side by side."""
    model, best = model_of(result.run, inputs.model), result.best
    heads = [*np.ndindex(result.readings["full"].rows.shape[:2])]
    parts = [("", model, layer) for layer in range(heads[-1][0] + 1)]
    for place, (ending, reading) in zip(ui.pair("switch-heads"), result.readings.items(), strict=True):
        sentence = sentence_of(inputs, ending)
        with place:
            ui.matrix(
                reading.rows.reshape(len(heads), -1),
                rows=[f"{'★' if head == best else ''}{head[0]}.{head[1]}" for head in heads],
                columns=referents.tokens(sentence),
                key=f"switch-heads-{inputs.model}-{ending}",
                mask=np.tile(reading.mask, (len(heads), 1)),
                row_title="head",
                column_title="word that “it” looks at",
                selected=(heads.index(best), referents.right_place(sentence)),
                label=f"All heads, until it was {ending}",
                height=180,
                badge=of_it(parts, sentence, result.run, f"the model “{NAMES[inputs.model]}”"),
            )
    ui.say("star")
