"""Probe each layer of an ImageGPT: a linear classifier reads digits from its vectors."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data import images
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, memoize, segmented_control
from core.models import registry
from core.nn.tap import Trace
from core.rooms.pixels.compute import pixel_text
from core.rooms.pixels.compute.pixel_generation import shift_pixels_right
from core.rooms.pixels.compute.pixel_text import ORDER_TITLES
from core.rooms.pixels.experiments import pixels as task
from core.rooms.pixels.inputs import ClassifierInputs
from core.train.experiments.digit_reader import DigitReader
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

Pool = Literal["mean", "last", "first"]
BATCH_PICTURES = 240  # pictures in one forward pass: some tens of megabytes
INVERSE_PENALTY = (
    1.0  # C of the logistic regression, scikit-learn's default; not tuned, least of all on held-out pictures
)
MOST_ITERATIONS = 2_000


class ProbeAccuracy(NamedTuple):
    """The accuracy of a linear classifier."""

    n_feature: int  # numbers it reads per picture
    learned: float  # accuracy on the training pictures
    held_out: float  # accuracy on held-out pictures


def layer_names(model: nn.Module) -> dict[str, str]:
    """Return each tap with its name on screen: before the first block, after each layer, after the last norm."""
    blocks = model.blocks
    assert isinstance(blocks, nn.ModuleList)
    after = {f"blocks.{i}.resid_out": LABELS("after_layer", layer=i) for i in range(len(blocks))}
    return {"embed": LABELS["embedding"], **after, "final": LABELS["after_norm"]}


@torch.inference_mode()
def layer_features(
    model: nn.Module, inputs: Tensor, pools: Sequence[Pool] = ("mean",)
) -> dict[Pool, dict[str, NDArray[np.float32]]]:
    """Return a model's vectors of each input at each layer, pooled to one vector each.

    Args:
        model: with blocks, whose residual stream is tapped as (B, T, D).
        inputs: (N, ...) the model's inputs.
        pools: "mean" averages all tokens; "last" and "first" take a single token.

    Returns:
        Pool -> tap -> (N, D), the taps as in `layer_names`.

    Source: Chen et al. 2020, Generative Pretraining from Pixels, section 2.3: averages over the sequence.
    """
    names = layer_names(model)
    found: dict[Pool, dict[str, list[Tensor]]] = {pool: {name: [] for name in names} for pool in pools}
    for first in range(0, len(inputs), BATCH_PICTURES):
        with Trace(model, keep=tuple(names)) as trace:
            model(inputs[first : first + BATCH_PICTURES])
        for pool, by_name in found.items():
            for name, kept in by_name.items():
                kept.append(pool_tokens(trace[name], pool))
    return {pool: {name: torch.cat(kept).numpy() for name, kept in some.items()} for pool, some in found.items()}


def pool_tokens(x: Float[Tensor, "B T D"], pool: Pool) -> Float[Tensor, "B D"]:
    """Return one vector for each row of tokens. Raises ValueError if there is no such pooling."""
    if pool == "mean":
        return x.mean(1)
    if pool in ("last", "first"):
        return x[:, -1 if pool == "last" else 0]
    raise ValueError(f"there is no way {pool!r:.40} to bring a row of vectors to one; there are mean, last and first")


def _probe_digits(features: NDArray[np.float32]) -> ProbeAccuracy:
    """Probe the features of all 1,797 digits.

    Args:
        features: (1797, ...) features of the training digits, then of the held-out ones.
    """
    learn, held = images.training_digits(), images.held_out_digits()
    flat, n = features.reshape(len(features), -1), len(learn)
    return linear_probe(flat[:n], learn.labels, flat[n:], held.labels)


def _all_digit_shades() -> NDArray[np.float32]:
    """Return (1797, 1, 8, 8) all digits as models read them, the training digits first."""
    return np.concatenate([images.training_digits().shades, images.held_out_digits().shades])


def _probe_table(found: Mapping[str, ProbeAccuracy]) -> Table:
    """Return the accuracies for each kind of features, with their names."""
    return {
        LABELS["table.features"]: list(found),
        LABELS["table.n_feature"]: [one.n_feature for one in found.values()],
        LABELS["table.learned"]: [one.learned for one in found.values()],
        LABELS["table.held_out"]: [one.held_out for one in found.values()],
    }


def linear_probe(
    learn: NDArray[np.float32], learn_labels: NDArray[np.int64], held: NDArray[np.float32], labels: NDArray[np.int64]
) -> ProbeAccuracy:
    """Fit a logistic regression to features and labels, and evaluate it on held-out ones.

    Each feature is scaled to mean 0 and standard deviation 1 over the training pictures, so that the penalty treats
    features of any size alike; a constant feature stays 0.

    Args:
        learn, held: (N, D) and (M, D).
        learn_labels, labels: (N,) and (M,).

    Raises:
        ValueError: if features and labels do not match.
    """
    if len(learn) != len(learn_labels) or len(held) != len(labels) or learn.shape[1:] != held.shape[1:]:
        raise ValueError(
            f"features {learn.shape} and {held.shape} do not match {len(learn_labels)} and {len(labels)} labels"
        )
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    middle, spread = learn.mean(0, dtype=np.float64), learn.std(0, dtype=np.float64)
    # Rounding noise in a constant feature is not a signal.
    spread = np.where(spread > 1e-6 * (np.abs(middle) + 1e-6), spread, np.inf)
    with threadpool_limits(1):  # threads that wait for each other are many times slower on matrices this small
        fitted = LogisticRegression(C=INVERSE_PENALTY, max_iter=MOST_ITERATIONS).fit(
            (learn - middle) / spread, learn_labels
        )
    scores = [
        float((fitted.predict((x - middle) / spread) == y).mean()) for x, y in ((learn, learn_labels), (held, labels))
    ]
    return ProbeAccuracy(learn.shape[1], *scores)


TRAINED = "pixels"
CHANCE_MARGIN = 0.015  # five of 360 digits: layers whose accuracies differ by less cannot be distinguished
POOL_LABELS: Mapping[Pool, str] = {"mean": LABELS["pool.mean"], "last": LABELS["pool.last"]}
N_CACHED = 16  # results of up to 5 MB, each with its record of some hundred kilobytes
CODE = (layer_features, pool_tokens, linear_probe)


def warm_up() -> None:
    """Probe the untrained model before a visitor waits for it; the trained one takes as long."""
    _probe_layers(None, task.Options().n_level, "raster", "mean")


class Inputs(ClassifierInputs, prefix="probe_"):
    pool: Pool = segmented_control(POOL_LABELS, "mean")
    order: str = segmented_control(ORDER_TITLES, "raster")


class LayerProbes(Result):
    """The accuracy of the digits read from each layer and from the baselines."""

    names: Mapping[str, str]  # tap -> name of the layer
    trained: Mapping[str, ProbeAccuracy]  # trained, untrained: tap -> accuracy from its vectors
    untrained: Mapping[str, ProbeAccuracy]
    raw: ProbeAccuracy  # from the shades of the 64 pixels
    vit: ProbeAccuracy  # from the ViT's class token after its last norm
    best: str  # the tap with the highest accuracy; if several are equal, the first
    n_near: int  # other layers within chance of the best
    place: str  # of the best: "start", "middle", "end"; "near" if others are within chance

    def table(self) -> Table:
        """Return one row per layer, then the baselines."""
        rows = {LABELS("table.trained", layer=self.names[tap]): one for tap, one in self.trained.items()}
        rows |= {LABELS("table.untrained", layer=self.names[tap]): one for tap, one in self.untrained.items()}
        return _probe_table(rows | {LABELS["table.raw"]: self.raw, LABELS["table.vit"]: self.vit})


@memoize(N_CACHED)
def _digit_vectors(
    run: ExperimentRun | None, n_level: int, order: str
) -> Mapping[Pool, Mapping[str, NDArray[np.float32]]]:
    """Return one vector per digit and layer, for the model of a run or an untrained one: by far the slowest part.

    Returns:
        Pool -> tap -> (1797, D), the training digits first.
    """
    model = registry.build(task.config(n_level), 0).eval() if run is None else task.trained_pixel_model(run, order)
    return layer_features(
        model, shift_pixels_right(model, torch.cat(pixel_text.digit_sequences(n_level, order))), tuple(POOL_LABELS)
    )


@memoize(N_CACHED)
def _probe_layers(run: ExperimentRun | None, n_level: int, order: str, pool: Pool) -> dict[str, ProbeAccuracy]:
    """Probe the layers of such a model: tap -> accuracy."""
    return {tap: _probe_digits(x) for tap, x in _digit_vectors(run, n_level, order)[pool].items()}


@memoize(1)
def _probe_raw_pixels() -> ProbeAccuracy:
    """Probe without a model: the same classifier on the shades of the 64 pixels."""
    return _probe_digits(_all_digit_shades())


@memoize(N_CACHED)
def _probe_class_token(judge: ExperimentRun) -> ProbeAccuracy:
    """Probe the ViT's class token after its last norm."""
    shades = torch.from_numpy(_all_digit_shades())
    return _probe_digits(layer_features(DigitReader(judge).model(), shades, ("first",))["first"]["final"])


def best_layer(trained: Mapping[str, ProbeAccuracy]) -> tuple[str, int, str]:
    """Return the tap with the highest accuracy, the number of other layers within chance of it, and its place.

    The last block's vectors and the same vectors after the norm both count as the end.
    """
    best = max(trained, key=lambda tap: trained[tap].held_out)
    n_near = sum(trained[best].held_out - one.held_out < CHANCE_MARGIN for one in trained.values()) - 1
    at = list(trained).index(best)
    return best, n_near, "start" if at == 0 else "near" if n_near else "middle" if at < len(trained) - 2 else "end"


def compute(inputs: Inputs, run: ExperimentRun) -> LayerProbes:
    """Fit linear classifiers to the vectors of each layer, for the trained model and for an untrained one."""
    trained, untrained = (_probe_layers(one, run.options["n_level"], inputs.order, inputs.pool) for one in (run, None))
    best, n_near, place = best_layer(trained)
    return LayerProbes(
        names=layer_names(task.trained_pixel_model(run, inputs.order)),
        trained=trained,
        untrained=untrained,
        raw=_probe_raw_pixels(),
        vit=_probe_class_token(inputs.judge),
        best=best,
        n_near=n_near,
        place=place,
    )


def draw(result: LayerProbes, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the bars of all layers and a line for the pixels themselves."""
    names, both = result.names, {LABELS["trained"]: result.trained, LABELS["untrained"]: result.untrained}
    chart, text = ui.two_columns("probe-sides")
    with chart:
        ui.grouped_bars(
            {name: [some[tap].held_out for tap in names] for name, some in both.items()},
            labels=list(names.values()),
            x=LABELS["right_axis"],
            strokes=[result.raw.held_out] * len(names),
            stroke=LABELS["raw_pixels"],
        )
    with text:
        ui.show_text_section("compared")
    ui.add_template_values(
        chance=f"{100 * CHANCE_MARGIN:g}", n_learn=len(images.training_digits()), n_held=len(images.held_out_digits())
    )
