"""A ViT learns to read digits, beside two plain classifiers on the same split; and what they get wrong."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data import images
from core.exhibit import Inputs as Base
from core.exhibit import seed, segmented
from core.models.vit import ViT
from core.rooms.patches.answer_bars_widget import in_percent
from core.rooms.patches.experiments import digits as task
from core.rooms.patches.inputs import DIGITS
from core.train.experiments.augment import augment
from core.train.experiments.live import Live
from core.train.experiments.plain_classifiers import logistic_regression, support_vectors

EXPERIMENT = "digits"
WHO = {"vit": "ViT", "logistic": "logistic regression", "vectors": "support vector machine"}
LOWEST = 0.8  # of the chart of accuracies, unless the model stays below
N_SHOWN = 24
CODE = (ViT.forward, augment, task.Digits, logistic_regression, support_vectors)


class Inputs(Base, prefix="train_"):
    """What is trained, and what is shown of it."""

    seed: int = seed()
    patch_size: int = task.Options.control("patch_size")
    n_layer: int = task.Options.control("n_layer")
    warped: bool = task.Options.control("warped")
    over: str = segmented("Drawn over", {"step": "training step", "seconds": "seconds of processor time"}, "step")
    who: str = segmented("Mistakes of", WHO, "vit")


@dataclass(frozen=True)
class Result:
    """The training as far as it is, beside two plain classifiers."""

    run: Live  # of the experiment
    labels: NDArray[np.int64]  # (360,) which digits the held-out ones are
    said: Mapping[str, NDArray[np.int64]]  # for which each takes them, as far as that is computed

    @property
    def n(self) -> int:
        return len(self.labels)

    @property
    def n_right(self) -> dict[str, int]:
        """Of each."""
        return {name: int((said == self.labels).sum()) for name, said in self.said.items()}

    @property
    def percent(self) -> dict[str, str]:
        """The same as a share."""
        return {name: in_percent(right / self.n) for name, right in self.n_right.items()}

    def table(self) -> dict[str, list[Any]]:
        """What was measured, look by look."""
        return task.table(self.run.record)


def compute(inputs: Inputs, run: Live) -> Result:
    """Which digit each takes the 360 held-out ones for."""
    said = {"vit": run.record["p.vit"].argmax(-1).astype(np.int64)}
    said |= {name: run.record[f"said.{name}"].astype(np.int64) for name in task.PLAIN if f"said.{name}" in run.record}
    return Result(run, images.held_out().labels, said)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The curves, whom the ViT has to beat, and the mistakes of each."""
    curves, wrong = ui.pair("train-sides")
    with curves:
        _curves(result, inputs)
    with wrong:
        if inputs.who in result.said:
            _mistakes(result, inputs.who)
        else:
            ui.say("not-yet", title=WHO[inputs.who])
    seconds = {name: float(np.ravel(run.record[f"seconds.{name}"])[-1]) for name in result.said}
    ahead = result.n_right["vit"] - result.n_right.get("vectors", 0)
    times = seconds["vit"] / max(seconds.get("vectors", 0), 1e-3)
    ui.say("beside", step=int(run.record["step"][-1]), seconds=seconds, ahead=ahead, times=times)
    twin, n_learn = in_percent(float(run.record["curve.bag.accuracy"][-1])), len(images.to_learn())
    ui.say("fair", one_digit=in_percent(1 / result.n), n_learn=n_learn, twin=twin)
    ui.say("settled")


def _curves(result: Result, inputs: Inputs) -> None:
    """Accuracy with both lines to reach, and the losses."""
    run, record = result.run, result.run.record
    is_step, now = inputs.over == "step", float(record["curve.vit.accuracy"][-1])
    x, x_title = (record["step"], "training step") if is_step else (record["seconds.vit"], "seconds of processor time")
    end = run.n_step if is_step else max(1.0, float(x[-1]) * run.n_step / max(1, int(record["step"][-1])))
    time = ui.Axis(x_title, format=",d" if is_step else ".1f")
    plain = [name for name in result.said if name != "vit"]
    below = ui.st.container()
    if ui.at_least("numbers"):
        with below:
            losses = {"loss on held-out digits": "loss", "on digits it learns from": "known_loss"}
            ui.curves(
                {name: (x, record[f"curve.vit.{of}"]) for name, of in losses.items()},
                x=time,
                n_step=end,
                y=ui.measured("loss", "nats per digit"),
                height=200,
            )
    ui.curves(  # the one to download
        {"right on held-out digits": (x, record["curve.vit.accuracy"])},
        x=time,
        n_step=end,
        y=ui.Axis("share that is right", (LOWEST if now > LOWEST + 0.05 else 0.0, 1.005)),
        references={f"{WHO[name]}, {result.percent[name]}": result.n_right[name] / result.n for name in plain},
    )


def _mistakes(result: Result, who: str) -> None:
    """The digits that it takes for others, and how often each for which."""
    title, labels, said = WHO[who], result.labels, result.said[who]
    wrong = np.flatnonzero(said != labels)
    some = wrong[:N_SHOWN]
    if not len(wrong):
        ui.say("all-right", title=title)
    else:
        ui.pictures(
            images.held_out().pixels[some],
            key=f"train-wrong-{who}",
            label=f"Mistakes of the {title}",
            takeaway=f"{len(wrong)} of {len(labels)} held-out digits are misread.",
            titles=[f"{labels[i]}, said {said[i]}" for i in some],
            details=[_detail(result, who, int(i)) for i in some],
            size=84,
        )
        ui.say("mistakes", n_some=len(some), n_wrong=len(wrong))
    if ui.at_least("numbers"):
        _confusion(labels, said, title)


def _confusion(labels: NDArray[np.int64], said: NDArray[np.int64], title: str) -> None:
    """How often each digit is taken for which."""
    counts = task.confusion(labels, said)
    ui.matrix(
        np.where(counts > 0, counts, np.nan),
        rows=DIGITS,
        columns=DIGITS,
        row_title="truth (it is)",
        column_title="answer (it says)",
        value_title="digits",
        empty_title="none",
        kind="value",
        limits=(0, images.N_HELD_OUT_OF_EACH),
        key="train-confusion",
        label=f"Confusions of the {title}",
        takeaway=f"{int(np.trace(counts))} of {len(labels)} are right.",
        height=340,
    )


def _detail(result: Result, who: str, i: int) -> str:
    label, said = result.labels[i], result.said[who][i]
    detail = f"held-out digit {i}: a {label}; the {WHO[who]} says {said}"
    if who != "vit":
        return detail
    p = result.run.record["p.vit"][i].astype(np.float32)
    return f"{detail} with probability {p[said]:.2f}, and {label} with {p[label]:.2f}"
