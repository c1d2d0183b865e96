"""Grokking: a model memorizes its pairs, much later it generalizes, and its embeddings form a circle meanwhile."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    ViewChoice,
    guess_control,
    nearest_label,
    seed,
    slider,
)
from core.rooms.circuits.compute import fourier
from core.rooms.circuits.experiments import grokking as task
from core.rooms.circuits.experiments.grokking import GENERALIZED, MEMORIZED, N_NUMBER, VARIANTS
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "grokking"
N_MOMENT = len(task.log_spaced_steps(task.Options().n_step))
SHARES = {"all": 1.0, "half": 0.5, "none": 1 / N_NUMBER}
UNSEEN_NAMES = {"rule": LABELS["unseen.rule"], "no_decay": LABELS["unseen.no_decay"], "random": LABELS["unseen.random"]}
CODE = (task.Grokking, task.build_trainer, fourier.frequency_spectrum, fourier.circle_directions)


class Inputs(Base, prefix="grok_"):
    guess: str = guess_control(
        ("all", "half", "none"),
    )
    share: int = task.Options.control("share")
    seed: int = seed()
    moment: int = slider(0, N_MOMENT - 1, N_MOMENT - 1, view=ViewChoice())


class GrokkingResult(Result):
    """The run so far, and the circle in it; shares are accuracies."""

    run: ExperimentRun
    has_guess: bool
    is_told: bool
    frequency: int  # the currently strongest frequency
    points: NDArray[np.float32]  # (n, 31, 2) the numbers in its two directions, at each evaluation
    spectra: NDArray[np.float64]  # (n, 15) share of the variance at each frequency
    moments: list[dict[str, object]]  # facts of each evaluation
    learned_at: int | None  # the step at which all training pairs are memorized
    understood_at: int | None  # the step at which nearly all others are right
    unseen_then: float  # the accuracy on unseen pairs at `learned_at`
    n_right_then: int  # of `n_unseen` pairs
    n_unseen: int
    last: dict[str, float]  # variant -> the current accuracy on unseen pairs
    learned: dict[str, float]  # variant -> the current accuracy on training pairs
    norm: dict[str, float]  # the current norm of all weights of each variant, and at the start
    lowest: float  # the lowest accuracy on training pairs after `learned_at`
    lowest_unseen: float | None  # the lowest accuracy on unseen pairs after `understood_at`; None: never
    chance: float
    outcome: GuessOutcome | None

    def table(self) -> dict[str, list[float]]:
        """Return one row for each evaluation."""
        return task.table(self.run.record)


def compute(inputs: Inputs, run: ExperimentRun) -> GrokkingResult:
    """Find the currently strongest frequency, and project the numbers on its two directions at each evaluation."""
    record, shown = run.record, task.embedding_frames(run.record, "rule")
    spectra = fourier.frequency_spectrum(shown)
    frequency = int(spectra[-1].argmax()) + 1
    two = fourier.circle_directions(shown[-1], frequency)
    learned_at, understood_at = (
        task.first_step_above(record, which, share)
        for which, share in (("learned", MEMORIZED), ("unseen", GENERALIZED))
    )
    then, understood = (int(np.argmax(record["step"] == step)) for step in (learned_at, understood_at))
    learned, unseen, chance = record["curve.rule.learned"], record["curve.rule.unseen"], 1 / N_NUMBER
    n, unseen_then, outcome = int(np.sum(record["is_learned"] == 0)), float(unseen[then]), None
    if run.is_done and learned_at is not None:
        text = LABELS("unseen_then", n_right=round(unseen_then * n), n=n, n_chance=n * chance)
        outcome = GuessOutcome(nearest_label(unseen_then, SHARES), text)
    last = {
        what: {v: float(record[f"curve.{v}.{what}"][-1]) for v in VARIANTS} for what in ("unseen", "learned", "norm")
    }
    return GrokkingResult(
        run=run,
        has_guess=inputs.guess != NOT_YET,
        is_told=run.is_done and inputs.guess != NOT_YET,
        frequency=frequency,
        points=np.stack([fourier.project_points(one, two) for one in shown]).astype(np.float32),
        spectra=spectra,
        moments=[
            {
                "at": int(record["step"][i]),
                "learned_then": float(learned[i]),
                "unseen": float(unseen[i]),
                "held": float(spectra[i, frequency - 1]),
                "best": float(spectra[i].max()),
            }
            for i in range(len(record["step"]))
        ],
        learned_at=learned_at,
        understood_at=understood_at,
        unseen_then=unseen_then,
        n_right_then=round(unseen_then * n),
        n_unseen=n,
        last=last["unseen"],
        learned=last["learned"],
        norm=last["norm"] | {"start": float(record["curve.rule.norm"][0])},
        lowest=float(learned[then:].min()),
        lowest_unseen=None if understood_at is None else float(unseen[understood:].min()),
        chance=chance,
        outcome=outcome,
    )


def draw(result: GrokkingResult, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw accuracy by training step, the circle at one moment, and the frequencies over time."""
    left, right = ui.two_columns("grok-pictures")
    with left:
        _accuracy(result, run)
    with right:
        ui.mount_widget(
            "ring",
            points=ui.select_by_choice(pad_to_slider(result.points), inputs.moment),
            order=list(fourier.circle_order(N_NUMBER, result.frequency)),
            label=ui.select_by_choice(
                [ui.section_text("circle", at=one["at"]) for one in pad_to_slider(result.moments)], inputs.moment
            ),
            takeaway=ui.section_text("ring"),
            key="grok-ring",
        )
    if result.is_told:
        ui.show_text_by_choice("moment", ui.select_by_choice(pad_to_slider(result.moments), inputs.moment))
    if ui.depth_at_least("numbers"):
        _spectrum(result, inputs)
        if result.is_told:
            _inside(run)


def pad_to_slider(values: Any) -> Any:
    """Return the values at each position of the slider, repeating the last value where there are too few.

    During a run the last value is the current one; of a longer run, the values beyond the slider are left out.
    """
    places = [min(i, len(values) - 1) for i in range(N_MOMENT)]
    return values[places] if isinstance(values, np.ndarray) else [values[i] for i in places]


def _decades(run: ExperimentRun) -> list[float]:
    return [*(float(10**i) for i in range(4) if 10**i < run.n_step), float(max(run.n_step, 2))]


def _curves(run: ExperimentRun, named: dict[str, str], **look: Any) -> None:
    """Draw curves of the record by name; the first step cannot be on a logarithmic axis."""
    decades = _decades(run)
    steps = ui.Axis(LABELS["step_axis"], (decades[0], decades[-1]), ticks=decades, is_log=True)
    ui.curves({name: (run.record["step"], run.record[key]) for key, name in named.items()}, x=steps, **look)


def _accuracy(result: GrokkingResult, run: ExperimentRun) -> None:
    named = {"curve.rule.learned": LABELS["learned"]}
    if result.has_guess:
        named |= {f"curve.{variant}.unseen": name for variant, name in UNSEEN_NAMES.items()}
    share = ui.Axis(LABELS["accuracy_axis"], (0, 1.02))
    _curves(run, named, y=share, at=result.learned_at)


def _spectrum(result: GrokkingResult, inputs: Inputs) -> None:
    steps = result.run.record["step"]
    ui.matrix(
        result.spectra.T,
        rows=[str(k) for k in range(1, result.spectra.shape[1] + 1)],
        columns=[str(step) for step in steps],
        row_title=LABELS["frequency"],
        column_title=LABELS["step_axis"],
        value_title=LABELS["variance"],
        kind="value",
        limits=(0.0, max(0.3, float(result.spectra.max()))),
        selected=(result.frequency - 1, ui.choice_ref(inputs.moment)),
        click_sets={"column": ui.choice_ref(inputs.moment).name},
        key="grok-spectrum",
        label=ui.section_text("spectrum"),
        height=240,
    )


def _inside(run: ExperimentRun) -> None:
    """Draw the losses and the norms of the weights."""
    left, right = ui.two_columns("grok-inside")
    losses = {
        "curve.rule.loss": LABELS["learned"],
        **{f"curve.{v}.unseen_loss": n for v, n in UNSEEN_NAMES.items()},
    }
    names = {"rule": LABELS["variant.rule"], "no_decay": LABELS["variant.no_decay"], "random": LABELS["variant.random"]}
    with left:
        _curves(run, losses, y=ui.quantity_label(LABELS["loss"], LABELS["nats"]), height=260)
    with right:
        norms = {f"curve.{v}.norm": name for v, name in names.items()}
        _curves(run, norms, y=LABELS["norm_axis"], height=260)
