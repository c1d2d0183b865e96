"""A ViT learns to read digits, compared with two plain classifiers on the same split; and the mistakes of each."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data import images
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, seed, segmented_control
from core.models.images.vit import ViT
from core.rooms.patches.experiments import digits as task
from core.rooms.patches.inputs import DIGIT_NAMES, format_percent
from core.train.experiments.augment import augment
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.plain_classifiers import (
    classify_with_logistic_regression,
    classify_with_support_vector_machine,
)

LABELS = module_labels(__name__)

EXPERIMENT = "digits"
CLASSIFIER_NAMES = {
    "vit": LABELS["classifier.vit"],
    "logistic": LABELS["classifier.logistic"],
    "vectors": LABELS["classifier.vectors"],
}
LOWEST_ACCURACY = 0.8  # lower end of the chart of accuracies, unless the model is below it
N_SHOWN = 24
CODE = (ViT.forward, augment, task.Digits, classify_with_logistic_regression, classify_with_support_vector_machine)


class Inputs(Base, prefix="train_"):
    seed: int = seed()
    patch_size: int = task.Options.control("patch_size")
    n_layer: int = task.Options.control("n_layer")
    warped: bool = task.Options.control("warped")
    over: str = segmented_control(("step", "seconds"), "step")
    who: str = segmented_control(CLASSIFIER_NAMES, "vit")


class DigitsTraining(Result):
    """The run so far, compared with two plain classifiers; the dicts are indexed by the model's name."""

    run: ExperimentRun
    labels: NDArray[np.int64]  # (360,) the true digits
    n: int
    said: dict[str, NDArray[np.int64]]  # each model's answers, if they are computed already
    n_right: dict[str, int]
    percent: dict[str, str]  # the same as a percentage
    seconds: dict[str, float]  # of processor time
    ahead: int  # how many more digits the ViT gets right than the support vector machine
    times: float  # and how many times longer it takes
    twin: str  # the accuracy of the ViT without positions

    def table(self) -> Table:
        """Return the measured curves at each evaluation."""
        return task.table(self.run.record)


def compute(inputs: Inputs, run: ExperimentRun) -> DigitsTraining:
    """Return each model's answers for the 360 held-out digits, and their scores."""
    record, labels = run.record, images.held_out_digits().labels
    said = {"vit": record["p.vit"].argmax(-1).astype(np.int64)}
    said |= {
        name: record[f"said.{name}"].astype(np.int64) for name in task.PLAIN_CLASSIFIERS if f"said.{name}" in record
    }
    n_right = {name: int((one == labels).sum()) for name, one in said.items()}
    seconds = {name: float(np.ravel(record[f"seconds.{name}"])[-1]) for name in said}
    return DigitsTraining(
        run=run,
        labels=labels,
        n=len(labels),
        said=said,
        n_right=n_right,
        percent={name: format_percent(right / len(labels)) for name, right in n_right.items()},
        seconds=seconds,
        ahead=n_right["vit"] - n_right.get("vectors", 0),
        times=seconds["vit"] / max(seconds.get("vectors", 0), 1e-3),
        twin=format_percent(float(record["curve.bag.accuracy"][-1])),
    )


def draw(result: DigitsTraining, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the curves, the two baselines, and the mistakes of one model."""
    curves, wrong = ui.two_columns("train-sides")
    with curves:
        _curves(result, inputs)
    n_wrong = 0
    if inputs.who in result.said:
        with wrong:
            n_wrong = _mistakes(result, inputs.who)
    ui.add_template_values(
        title=CLASSIFIER_NAMES[inputs.who],
        n_wrong=n_wrong,
        n_some=min(N_SHOWN, n_wrong),
        one_digit=format_percent(1 / result.n),
        n_learn=len(images.training_digits()),
    )


def _curves(result: DigitsTraining, inputs: Inputs) -> None:
    """Draw the accuracy with both baselines, and the losses."""
    run, record = result.run, result.run.record
    is_step, now = inputs.over == "step", float(record["curve.vit.accuracy"][-1])
    steps = record["step"] if is_step else record["seconds.vit"]
    end = run.n_step if is_step else max(1.0, float(steps[-1]) * run.n_step / max(1, int(record["step"][-1])))
    x = ui.Axis(LABELS["step_axis"]) if is_step else ui.Axis(LABELS["seconds_axis"], format=".1f")
    below = ui.st.container()
    if ui.depth_at_least("numbers"):
        with below:
            ui.curves(
                {
                    LABELS["held_out_loss"]: (steps, record["curve.vit.loss"]),
                    LABELS["known_loss"]: (steps, record["curve.vit.known_loss"]),
                },
                x=x,
                y=ui.quantity_label(LABELS["loss"], LABELS["nats_per_digit"]),
                n_step=end,
                height=200,
            )
    plain = [name for name in result.said if name != "vit"]
    ui.curves(  # the one to download
        {LABELS["held_out_right"]: (steps, record["curve.vit.accuracy"])},
        x=x,
        y=ui.Axis(LABELS["share_right"], (LOWEST_ACCURACY if now > LOWEST_ACCURACY + 0.05 else 0.0, 1.005)),
        n_step=end,
        references={
            LABELS("reference", classifier=CLASSIFIER_NAMES[name], percent=result.percent[name]): result.n_right[name]
            / result.n
            for name in plain
        },
    )


def _mistakes(result: DigitsTraining, who: str) -> int:
    """Draw the misclassified digits and the confusion matrix; return the number of mistakes."""
    title, labels, said = CLASSIFIER_NAMES[who], result.labels, result.said[who]
    wrong = np.flatnonzero(said != labels)
    some = wrong[:N_SHOWN]
    if len(wrong):
        ui.pictures(
            images.held_out_digits().pixels[some],
            key=f"train-wrong-{who}",
            label=LABELS("mistakes", title=title),
            takeaway=LABELS("mistakes_takeaway", n_wrong=len(wrong), n_digit=len(labels)),
            titles=[LABELS("misread_digit", label=labels[i], said=said[i]) for i in some],
            details=[_detail(result, who, int(i)) for i in some],
            size=84,
        )
    if ui.depth_at_least("numbers"):
        _confusion(labels, said, title)
    return len(wrong)


def _confusion(labels: NDArray[np.int64], said: NDArray[np.int64], title: str) -> None:
    """Draw how often each digit is classified as each digit."""
    counts = task.confusion_matrix(labels, said)
    ui.matrix(
        np.where(counts > 0, counts, np.nan),
        rows=DIGIT_NAMES,
        columns=DIGIT_NAMES,
        row_title=LABELS["truth"],
        column_title=LABELS["answer"],
        value_title=LABELS["digits"],
        empty_title=LABELS["none"],
        kind="value",
        limits=(0, images.N_HELD_OUT_OF_EACH),
        key="train-confusion",
        label=LABELS("confusions", title=title),
        takeaway=LABELS("confusions_takeaway", n_right=int(np.trace(counts)), n_digit=len(labels)),
        height=340,
    )


def _detail(result: DigitsTraining, who: str, i: int) -> str:
    label, said = result.labels[i], result.said[who][i]
    told = {"i": i, "label": label, "classifier": CLASSIFIER_NAMES[who], "said": said}
    if who != "vit":
        return LABELS("digit_detail", **told)
    p = result.run.record["p.vit"][i].astype(np.float32)
    return LABELS("digit_detail_probabilities", **told, p_said=p[said], p_label=p[label])
