"""Rollout of the class token over the patches, compared with the measured effect of hiding each patch."""

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.images import patch_name
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, content_key, slider
from core.inspect import rollout as rolling
from core.inspect.model_inputs.input_pictures import InputPicture, digit_control
from core.inspect.tap_lines import find_source_line
from core.rooms.patches.compute import patch_effect
from core.rooms.patches.compute.patch_attention import cached_patch_attention
from core.rooms.patches.compute.patch_effect import HIDING_WAYS, WAY_TITLES, GuessComparison, compare_guesses
from core.rooms.patches.inputs import VIT_NAME, DigitsRunInputs, format_percent
from core.ui.widgets.picture_grid import to_grid

LABELS = module_labels(__name__)

LEAST_SCALE = 1.0  # nats: noise must not look like an effect
GUESS_TITLES = {
    "rollout": LABELS["guess.rollout"],
    "last layer": LABELS["guess.last_layer"],
    "ink": LABELS["guess.ink"],
}
CODE = (rolling.rollout, patch_effect.class_rollout, patch_effect.effect_per_patch, rolling.rank_correlation)


class Inputs(DigitsRunInputs, prefix="roll_"):
    picture: InputPicture = digit_control("roll", 5)
    share: float = slider(0.0, 1.0, rolling.DEFAULT_RESIDUAL, step=0.05)


class ClassRollout(Result):
    """Guesses at what matters in one picture, and measurements."""

    whole: NDArray[np.float64]  # (L, T, T) rollout after each layer
    layers: NDArray[np.float64]  # (L, T) the rollout of the class token
    weights: NDArray[np.float32]  # (L, H, T, T) the attention that it is computed from
    probabilities: NDArray[np.float32]  # (10,) the answer
    guesses: dict[str, NDArray[np.floating]]  # how much each patch might matter, by each of `GUESS_TITLES`: (P,)
    # (2, P) fall of the answer's log-probability without each patch, by each of `HIDING_WAYS`
    effects: NDArray[np.float64]
    share: float  # the residual share of rollout: the fraction of each token that stays in place
    found: GuessComparison  # guesses and measurements, compared over the held-out digits
    # For each guess: left out here, left out on average, painted here, painted on average.
    correlations: list[tuple[str, list[float]]]
    formula: str  # the first layer's step for the patch that rollout ranks first there

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return rollout of the class token, effects, and the attention."""
        return {"rollout": self.layers, "effects": self.effects, "weights": self.weights}

    def table(self) -> Table:
        """Return one row per patch."""
        n_patch = self.effects.shape[1]
        falls = {
            LABELS("table.fall", way=WAY_TITLES[way]): one.tolist()
            for way, one in zip(HIDING_WAYS, self.effects, strict=True)
        }
        guesses = {name: values.tolist() for name, values in self.guesses.items()}
        return (
            {LABELS["table.patch"]: [patch_name(patch, round(n_patch**0.5)) for patch in range(n_patch)]}
            | guesses
            | falls
        )


def _largest_patch(values: NDArray[np.floating]) -> str:
    """Return the name of the patch with the largest of (P,) values."""
    return patch_name(int(np.abs(values).argmax()), round(len(values) ** 0.5))


def compute(inputs: Inputs) -> ClassRollout:
    """Compute rollout, hide each patch in two ways, and compare both over the held-out digits."""
    reader, shades = inputs.reader, torch.from_numpy(inputs.picture.shades)
    seen = cached_patch_attention(reader, inputs.picture)
    given = patch_effect.importance_guesses(seen.weights[None], shades, reader.patch_size, inputs.share)
    guesses = {name: one[0] for name, one in given.items()}
    whole, found = rolling.rollout(seen.weights, inputs.share), compare_guesses(reader, inputs.share)
    effects = np.concatenate([patch_effect.effect_per_patch(reader.model(), shades, way) for way in HIDING_WAYS])
    correlations = []
    for name, title in GUESS_TITLES.items():
        here = [rolling.rank_correlation(guesses[name], np.abs(one)) for one in effects]
        mean = [found.correlation[name][way] for way in HIDING_WAYS]
        correlations.append((title, [here[0], mean[0], here[1], mean[1]]))
    row = whole[0, 0, 1:]
    mean_weight = float(seen.weights[0, :, 0, 1 + row.argmax()].mean())
    class_token = LABELS["formula.class"]
    named = rf"R_0[\text{{{class_token}}}, \text{{{_largest_patch(row)}}}]"
    return ClassRollout(
        whole=whole,
        layers=whole[:, 0],
        weights=seen.weights,
        probabilities=seen.probabilities,
        guesses=guesses,
        effects=effects,
        share=inputs.share,
        found=found,
        correlations=correlations,
        formula=rf"{named} = {1 - inputs.share:.2f} \cdot {mean_weight:.4f} = {row.max():.4f}",
    )


def draw(result: ClassRollout, inputs: Inputs) -> None:
    """Draw rollout after each layer, two measurements, and how well one predicts the other."""
    reader, pixels, layers, effects = inputs.reader, inputs.picture.pixels[None], result.layers, result.effects
    content = content_key(inputs.run.digest, inputs.picture.key)[:12]
    left, right = ui.two_columns("roll", alike=True)
    with left:
        ui.pictures(
            np.repeat(pixels, len(layers), 0),
            key=f"roll-layers-{content}",
            label=LABELS["rollout"],
            takeaway=LABELS("rollout_takeaway", patch=_largest_patch(layers[-1, 1:]), share=layers[-1, 1:].max()),
            titles=[LABELS("after_layer", layer=layer) for layer in range(len(layers))],
            details=[LABELS("on_class_token", share=one[0]) for one in layers],
            weights=to_grid(layers[:, 1:]),
            weight_title=LABELS["rollout_share"],
            limits=None,
            lines=reader.patch_size,
            badge=_badge(result, inputs),
        )
    limit, (left_out, painted) = max(LEAST_SCALE, float(np.abs(effects).max())), map(_largest_patch, effects)
    with right:
        ui.pictures(
            np.repeat(pixels, len(HIDING_WAYS), 0),
            key=f"roll-effects-{content}",
            label=LABELS["effects"],
            takeaway=LABELS("effects_takeaway", left_out=left_out, painted=painted),
            titles=[WAY_TITLES[way] for way in HIDING_WAYS],
            weights=to_grid(effects),
            weight_title=ui.quantity_label(LABELS["fall"], LABELS["nats"]),
            kind="signed",
            limits=(-limit, limit),
            lines=reader.patch_size,
        )
    said = int(result.probabilities.argmax())
    sure = float(result.probabilities[said])
    falls = [float(one[np.abs(one).argmax()]) for one in effects]
    ui.add_template_values(
        said=said,
        sure=format_percent(sure),
        first=_largest_patch(layers[-1, 1:]) if layers[-1, 1:].any() else None,
        strongest=[
            (way, patch, fall, format_percent(sure * float(np.exp(-fall))))
            for way, patch, fall in zip(HIDING_WAYS, (left_out, painted), falls, strict=True)
        ],
        least=rolling.MIN_CHANGE,
    )


def _badge(result: ClassRollout, inputs: Inputs) -> "ui.ProvenanceBadge":
    """Return the badge: rollout follows from weights that a second pass has; column 0 is the class token's."""
    names, share = [f"blocks.{layer}.attn.weights" for layer in range(len(result.whole))], result.share
    made = ui.badges.TensorDerivation(
        find_source_line(rolling.rollout, "@ so_far"),
        lambda taps: rolling.rollout_by_rows([taps[name] for name in names], share),
        option=f"residual={share}",
    )
    badge = ui.badges.run_tensor_badge(
        inputs.run, inputs.reader.model(), "rollout", ("row", 0, "column"), result.whole, VIT_NAME, derived=made,
        image=inputs.picture.shades[0],
    )  # fmt: skip
    return replace(badge, columns=tuple(range(1, result.whole.shape[-1])))
