"""Is the circle real? One can be found in any embeddings; ablation shows which one the model uses."""

from collections.abc import Callable, Collection, Mapping

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    NOT_YET,
    Column,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    ViewChoice,
    guess_control,
    segmented_control,
)
from core.models.registry import with_weights
from core.rooms.circuits.compute import fourier
from core.rooms.circuits.experiments import grokking as task
from core.rooms.circuits.experiments.grokking import CONFIG, N_NUMBER
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

# The frequencies that remain of a list, strongest first, after n are removed.
CUTS: Mapping[str, Callable[[list[int], int], list[int]]] = {
    "strongest": lambda ranked, n: ranked[n:],
    "weakest": lambda ranked, n: ranked[: len(ranked) - n],
}


def right_pairs(
    model: nn.Module, embedding: NDArray[np.floating], pairs: Int[Tensor, "N 2"], answers: Int[Tensor, " N"]
) -> NDArray[np.bool_]:
    """Return which pairs the model answers correctly with these embeddings of the numbers (N,)."""
    weights = {"tok_emb.weight": torch.from_numpy(embedding.astype(np.float32))}
    with torch.no_grad():
        logits: Tensor = with_weights(model, weights)(pairs)
    return (logits[:, -1].argmax(-1) == answers).numpy()


def accuracy_after_cuts(
    model: nn.Module, embedding: NDArray[np.float64], pairs: Int[Tensor, "N 2"], answers: Int[Tensor, " N"]
) -> dict[str, NDArray[np.float64]]:
    """Return, for each cut with 0, 1, 2, ... frequencies removed, the share of right answers that stay right."""
    ranked = rank_frequencies(embedding)
    had = right_pairs(model, embedding, pairs, answers)

    def share(left: Collection[int]) -> float:
        return float(right_pairs(model, fourier.keep_frequencies(embedding, left), pairs, answers)[had].mean())

    return {name: np.array([share(cut(ranked, n)) for n in range(len(ranked) + 1)]) for name, cut in CUTS.items()}


def rank_frequencies(embedding: NDArray[np.float64]) -> list[int]:
    """Return the frequencies, the strongest first."""
    return [int(i) + 1 for i in np.argsort(-fourier.frequency_spectrum(embedding), kind="stable")]


TRAINED = "grokking"
EMBEDDING_NAMES = {
    "rule": LABELS["embedding.rule"],
    "untrained": LABELS["embedding.untrained"],
    "no_decay": LABELS["embedding.no_decay"],
    "random": LABELS["embedding.random"],
}
CUT_NAMES = {"strongest": LABELS["cut.strongest"], "weakest": LABELS["cut.weakest"]}
PROJECTION_NAMES = {"own": LABELS["projection.own"], "sought": LABELS["projection.sought"]}
MIN_ACCURACY = 0.95  # share of the right answers
RADIUS_TOLERANCE = 0.01  # allowed difference between the largest and smallest radius of a perfect circle
CODE = (fourier.fit_circle, fourier.keep_frequencies, right_pairs)


class Inputs(Base, prefix="circle_"):
    guess: str = guess_control(
        ("no", "rough", "yes"),
    )
    of: str = segmented_control(EMBEDDING_NAMES, "rule")
    way: str = segmented_control(PROJECTION_NAMES, "own", view=ViewChoice())


class Circle(Result):
    """One set of embeddings in two directions, and the effect of removing its frequencies from the model."""

    is_told: bool
    frequency: int  # the strongest one
    points: NDArray[np.float32]  # (2, 31, 2) by `PROJECTION_NAMES`
    held: tuple[float, ...]  # share of the variance that the circle explains, by `PROJECTION_NAMES`
    spectrum: NDArray[np.float64]  # (15,) share of the variance at each frequency
    n: int  # number of frequencies
    top: float  # the share of the strongest
    kept: dict[str, NDArray[np.float64]]  # cut -> (16,) share of right answers that stay right; empty if untrained
    enough: int  # how many of the strongest frequencies suffice for nearly all right answers
    alone: float  # the share that stays right with only these,
    without: float  # without them,
    without_others: float  # and without equally many others
    outcome: GuessOutcome

    def table(self) -> Table:
        """Return one row for each number of frequencies."""
        found: dict[str, Column] = {LABELS["taken_out"]: [*range(self.n + 1)]}
        strongest = np.sort(self.spectrum)[::-1].round(4).tolist()
        found[LABELS["variance"]] = ["", *strongest]
        return found | {CUT_NAMES[cut]: values.round(4).tolist() for cut, values in self.kept.items()}


def compute(inputs: Inputs, run: ExperimentRun) -> Circle:
    """Project the embeddings on two directions, chosen in two ways, and remove frequencies from the model."""
    record, of = run.record, inputs.of
    untrained = task.embedding_frames(record, "rule")[0]
    embedding = untrained if of == "untrained" else np.asarray(record[f"model.{of}.tok_emb.weight"], np.float64)
    k = rank_frequencies(embedding)[0]
    ways = [make(embedding, k) for make in (fourier.circle_directions, fourier.fit_circle)]
    kept: dict[str, NDArray[np.float64]] = {}
    if of != "untrained":
        kept = dict(
            accuracy_after_cuts(
                rebuild_model(record, of, CONFIG), embedding, task.number_pairs(), task.pair_answers(record, of)
            )
        )
    far = np.linalg.norm(fourier.project_points(untrained, fourier.fit_circle(untrained, 1)), axis=1)
    uneven, spectrum = float(far.max() - far.min()), fourier.frequency_spectrum(embedding)
    none = np.zeros(len(spectrum) + 1)
    weakest, strongest = (kept.get(which, none) for which in ("weakest", "strongest"))
    enough = int(np.argmax(weakest[::-1] >= MIN_ACCURACY))
    return Circle(
        is_told=inputs.guess != NOT_YET,
        frequency=k,
        points=np.stack([fourier.project_points(embedding, two) for two in ways]).astype(np.float32),
        held=tuple(fourier.circle_share(embedding, two, k) for two in ways),
        spectrum=spectrum,
        n=len(spectrum),
        top=float(spectrum.max()),
        kept=kept,
        enough=enough,
        alone=float(weakest[len(spectrum) - enough]),
        without=float(strongest[enough]),
        without_others=float(weakest[enough]),
        outcome=GuessOutcome("yes" if uneven < RADIUS_TOLERANCE else "rough" if uneven < 0.5 else "no"),
    )


def draw(result: Circle, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the numbers in two directions, and the share of right answers with some frequencies removed."""
    left, right = ui.two_columns("circle-pictures")
    with left:
        ui.mount_widget(
            "ring",
            points=ui.select_by_choice(result.points if result.is_told else result.points[[0, 0]], inputs.way),
            order=list(fourier.circle_order(N_NUMBER, result.frequency)),
            label=LABELS.capitalize(EMBEDDING_NAMES[inputs.of]),
            takeaway=ui.section_text("ring"),
            key=f"circle-ring-{inputs.of}",
        )
    if result.kept:
        with right:
            ui.curves(
                {CUT_NAMES[cut]: (range(result.n + 1), values) for cut, values in result.kept.items()},
                x=LABELS("frequencies_axis", n=result.n),
                y=ui.Axis(LABELS["accuracy_axis"], (0, 1.02)),
            )
    ui.add_template_values(share=ui.select_by_choice(result.held, inputs.way))
