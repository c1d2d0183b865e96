"""The update at full strength, at half, at none: what the model expects, and what it knows of lines and stories."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.race import race
from core.exhibit import MAX_TRACES, NOT_YET, Came, Guessed, Look, guess, memoize, segmented, text_input
from core.exhibit import Inputs as Base
from core.inspect.reading.model_and_text import vocabulary
from core.inspect.reading.model_key import ModelKey
from core.rooms.adapters.compute.adapted import adapted, expected, merging_changes, written
from core.rooms.adapters.compute.lora import merge, update
from core.rooms.adapters.experiments.adapters import measured_on, nats
from core.rooms.adapters.inputs import RANK, STRENGTH, STRENGTHS
from core.train.experiments.live import Live

TRAINED = "adapters"
N_TOKEN = 3  # the likeliest without the update, and as many with it
HEIGHT = 280
AT = "lora_on_strength"
GUESSES = {"new": "only the new world", "old": "only the stories", "both": "both", "neither": "neither of them"}
CODE = (merge, update)


class Inputs(Base, prefix="lora_on_"):
    """Which update, a beginning, and how much of the update is added."""

    guess: str = guess("With half of the update, what does the model know?", GUESSES)
    rank: int = segmented("Rank", RANK, 4, depth="numbers")
    beginning: str = text_input("A line that begins with", "A cake was hungry. It", max_chars=60, depth="numbers")
    strength: float = segmented("Strength of the update", STRENGTH, 1.0, look=Look())


@dataclass(frozen=True)
class Result(Guessed):
    """The model at each strength of the update."""

    guesses = GUESSES
    guess: str
    tokens: tuple[str, ...]  # the likeliest next ones, at no strength and at the whole
    probabilities: NDArray[np.float64]  # (S, N) at each strength
    losses: NDArray[np.float64]  # (S, 2) on lines that were held out, and on stories
    texts: tuple[str, ...]  # what it writes
    merging: float  # the most that any logit differs between update beside and update merged

    @property
    def half(self) -> tuple[float, float]:
        """Of what the whole update brings, the share that half of it brings: learned of the lines, and forgotten."""
        start, half, whole = (self.losses[STRENGTHS.index(s)] for s in (0.0, 0.5, 1.0))
        learned, forgotten = np.divide(start - half, start - whole, out=np.ones(2), where=start != whole)
        return float(learned), float(forgotten)

    @property
    def came(self) -> Came:
        learned, forgotten = self.half
        knows = {(True, True): "both", (True, False): "new", (False, True): "old", (False, False): "neither"}
        words = f"it has {learned:.0%} of what the whole update learns, and has lost {forgotten:.0%} of what it forgets"
        return Came(knows[learned > 0.5, forgotten < 0.5], words)

    @property
    def lost(self) -> float:
        """By how much the loss on the stories is higher with the update."""
        return float(self.losses[STRENGTHS.index(1.0), 1] - self.losses[0, 1])

    def table(self) -> dict[str, list[Any]]:
        """One line for each strength."""
        new, old = self.losses.T.round(4).tolist()
        found: dict[str, list[Any]] = {"strength": [*STRENGTHS], "loss, new lines": new, "loss, stories": old}
        return found | {token: self.probabilities[:, i].round(5).tolist() for i, token in enumerate(self.tokens)}


@memoize(MAX_TRACES)
def losses(run: Live, rank: int) -> NDArray[np.float64]:
    """(S, 2) at each strength the loss on lines that were held out, and on stories."""
    models = [adapted(run, rank, strength) for strength in STRENGTHS]
    length: Any = models[0].config.context_length
    pieces = measured_on(models[0].tokenizer, length, str(run.options["text"]))
    return np.array([[nats(one.model, some) for some in pieces] for one in models])


def compute(inputs: Inputs, run: Live) -> Result:
    """The same update, added a little or a lot."""
    models = [adapted(run, inputs.rank, strength) for strength in STRENGTHS]
    p = np.stack([expected(one, inputs.beginning) for one in models])
    whole = STRENGTHS.index(1.0)
    best = dict.fromkeys(int(i) for at in (0, whole) for i in np.argsort(-p[at], kind="stable")[:N_TOKEN])
    names = vocabulary(ModelKey.at("stories"))
    return Result(
        inputs.guess,
        tuple(names[i] for i in best),
        p[:, list(best)],
        losses(run, inputs.rank),
        tuple(written(one, inputs.beginning, run.seed) for one in models),
        merging_changes(run, inputs.rank, inputs.beginning),
    )


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """What comes next at the chosen strength, and both losses at each."""
    ui.say_each("writes", [{"text": one, "at": s} for one, s in zip(result.texts, STRENGTHS, strict=True)], AT)
    left, right = ui.pair("lora-strength")
    with left:
        pairs = np.stack([np.stack([result.probabilities[0], p], axis=-1) for p in result.probabilities])  # (S, N, 2)
        ui.matrix(
            ui.along(pairs, AT),
            rows=result.tokens,
            columns=("off", "on"),
            row_title="next token",
            column_title="update",
            value_title="probability",
            key=f"lora-next-{inputs.rank}",
            label=ui.words("next"),
        )
    with right:
        known = slice(None) if inputs.guess != NOT_YET else [0, STRENGTHS.index(1.0)]
        curves = {
            name: (np.array(STRENGTHS)[known], result.losses[known, i])
            for i, name in enumerate(("new lines", "stories"))
        }
        axes: dict[str, Any] = {"x_title": "strength of the update", "x_format": ".2f", "n_step": STRENGTHS[-1]}
        spec = race(curves, y_title=ui.measured("loss", "nats per token"), mode=ui.color_mode(), height=HEIGHT, **axes)
        ui.chart(spec, alt=ui.words("alt"))
    if inputs.guess != NOT_YET:
        ui.say("half")
    ui.say("off")
    ui.say("merged")
