"""A multi-scale ViT and two plain ones of equal cost learn digits, live."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from core import ui
from core.data.images import N_HELD_OUT_OF_EACH
from core.exhibit import Inputs as Base
from core.exhibit import seed, segmented
from core.inspect.costs import model_cost, parameters
from core.models.multiscale import Merge, MultiScale, Stage
from core.models.registry import family_of
from core.rooms.multiscale import stages
from core.rooms.multiscale.experiments import scales as task
from core.rooms.multiscale.experiments.scales import CONFIGS, TITLES
from core.train.experiments.live import Live

EXPERIMENT = "scales"
LOWEST = 0.6  # accuracy at the foot of the charts: what is below is passed through in seconds
N_HELD = 10 * N_HELD_OUT_OF_EACH
CODE = (MultiScale.forward, Stage.forward, Merge.forward, task.upsampled, task.Scales, stages.count)


class Inputs(Base, prefix="scales_"):
    seed: int = seed()
    n_step: int = segmented("Training steps", [125, 250, 500], 250, name="scales_steps")


def compute(inputs: Inputs, run: Live) -> Live:
    """Return the record as it is."""
    return run


def costs() -> dict[str, tuple[str, str, int, int]]:
    """Per model: blocks × width, tokens, multiply-adds of one picture, parameters."""
    found, configs = {}, dict[str, Any](CONFIGS)
    for name, config in configs.items():
        if family_of(config).kind == "multiscale":
            each = stages.stages(config)
            blocks = ", ".join(f"{stage.n_layer} × {stage.width}" for stage in each)
            tokens, total = ", ".join(str(stage.n_token) for stage in each), stages.count(config).total
        else:
            blocks, tokens = f"{config.n_layer} × {config.d_model}", str(1 + config.n_patch)
            total = model_cost.forward(config, 0).total
        found[name] = (blocks, tokens, total, parameters.count_config(config).total)
    return found


def draw(result: Live, inputs: Inputs, run: Live) -> None:
    """The race by step and by second, and what each model costs."""
    step = run.record["step"]
    accuracy = {name: run.record[f"curve.{name}.accuracy"] for name in TITLES}
    seconds = {name: run.record[f"seconds.{name}"] for name in TITLES}
    longest = max(float(spent[-1]) for spent in seconds.values()) * run.n_step / max(run.step, 1) or 1.0
    y = ui.Axis("accuracy", (LOWEST, 1.0))
    first, second = ui.pair("scales-race", alike=True)
    with second:
        ui.curves(
            {title: (seconds[name], accuracy[name]) for name, title in TITLES.items()},
            x=ui.Axis("seconds of processor time", format=".1f"),
            y=y,
            n_step=longest,
            height=240,
        )
    with first:  # drawn last: the one to download
        ui.curves({title: (step, accuracy[name]) for name, title in TITLES.items()}, y=y, n_step=run.n_step, height=240)
    ui.write(_table(accuracy, seconds, is_short=not ui.at_least("numbers")))
    ui.facts(n_held=N_HELD, lowest=LOWEST)


def _table(accuracy: Mapping[str, NDArray[Any]], seconds: Mapping[str, NDArray[Any]], is_short: bool) -> str:
    """What each model is, its cost and its accuracy: a column for each, so that a phone shows all."""
    made = [] if is_short else ["blocks × width", "tokens", "multiply-adds", "parameters"]
    columns = [["", "---", *made, "accuracy", "seconds"]]
    for name, (blocks, tokens, total, n_parameter) in costs().items():
        model = [] if is_short else [blocks, tokens, f"{total:,}", f"{n_parameter:,}"]
        columns.append([TITLES[name], "---:", *model, f"{accuracy[name][-1]:.1%}", f"{seconds[name][-1]:.1f}"])
    return "\n".join("| " + " | ".join(row) + " |" for row in zip(*columns, strict=True))
