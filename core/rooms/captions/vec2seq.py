"""All patches, or one vector? The same captioner with a bottleneck between picture and sentence."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from core import ui
from core.data import images
from core.exhibit import Inputs as Base
from core.exhibit import seed, segmented
from core.models.captioner import Captioner
from core.rooms.captions.experiments import captions, captions_class
from core.train.experiment import newest_run
from core.train.experiments.live import Live

EXPERIMENT = "captions-class"
WHAT = {"exact": "whole caption", "digit": "digit", "ink": "ink", "slant": "slant", "loss": "loss"}
CODE = (Captioner.encode, Captioner.decode, captions_class.CaptionsClass)


class Inputs(Base, prefix="vector_"):
    """The training with the bottleneck, the one beside it, and what is compared."""

    seed: int = seed()
    other: Live = newest_run("captions")
    what: str = segmented("Compare", WHAT, "exact")


@dataclass(frozen=True)
class Result:
    """Two trainings by what their decoders read."""

    runs: dict[str, Live]

    @property
    def n_right(self) -> dict[str, int]:
        """How many captions of the held-out digits are right, word for word."""
        true = captions.truth(images.held_out())
        return {name: int((run.record["written"] == true).all(1).sum()) for name, run in self.runs.items()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The curves of both."""
        runs = {run.name: run.record for run in self.runs.values()}
        return {f"{name}.{key}": record[key] for name, record in runs.items() for key in record if key[:5] == "curve"}

    def table(self) -> dict[str, list[Any]]:
        """What each gets right now."""
        last = {name: [float(run.record[f"curve.{what}"][-1]) for what in WHAT] for name, run in self.runs.items()}
        return {"what": list(WHAT.values()), **last}


def compute(inputs: Inputs, run: Live) -> Result:
    """Both, side by side."""
    return Result({"reads all patches": inputs.other, "reads one vector": run})


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """Two curves."""
    curves = {name: (one.record["step"], one.record[f"curve.{inputs.what}"]) for name, one in result.runs.items()}
    is_loss = inputs.what == "loss"
    "; ".join(f"{name}: now {float(values[-1]):.3f}" for name, (_, values) in curves.items())
    ui.curves(
        curves,
        n_step=max(one.n_step for one in result.runs.values()),
        y=ui.Axis(
            ui.measured("loss", "nats per token") if is_loss else "share that is right", None if is_loss else (0, 1.05)
        ),
        height=280,
    )
    runs, n = list(result.runs.values()), len(images.held_out())
    right = [round(float(one.record["curve.exact"][-1]) * n) for one in runs]
    steps = [int(one.record["step"][-1]) for one in runs]
    ui.say("ahead", n=n, right=right)
    ui.say("equal", steps=steps, seeds=[one.seed for one in runs])
