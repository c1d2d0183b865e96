"""The patches of a digit change places: the answers of a ViT with positions and of one without."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.charts.axis import format_scientific
from core.data import images
from core.data.images import DigitImages, held_out_digits
from core.data.localization.labels import module_labels
from core.exhibit import (
    NOT_YET,
    Column,
    GuessOutcome,
    Result,
    Table,
    guess_control,
    memoize,
    nearest_label,
    seed,
    slider,
)
from core.inspect.attention_record import to_numpy
from core.inspect.model_inputs.input_pictures import InputPicture, digit_control
from core.models.images.vit import ViT
from core.rooms.patches.compute import patch_embedding
from core.rooms.patches.compute.patch_embedding import shuffle_patches
from core.rooms.patches.experiments import digits as task
from core.rooms.patches.inputs import DIGIT_NAMES, DigitsRunInputs
from core.train.experiments.digit_reader import DigitReader

LABELS = module_labels(__name__)


class ReorderedLogits(NamedTuple):
    """One picture through one ViT twice: unchanged, and with its patches reordered."""

    before: NDArray[np.float32]  # before, after: (N,) logits of the classes
    after: NDArray[np.float32]

    @property
    def change(self) -> float:
        """The largest difference between the logits."""
        return float(np.abs(self.after - self.before).max())

    @property
    def said(self) -> tuple[int, int]:
        """The digits that it answers, before and after."""
        return int(self.before.argmax()), int(self.after.argmax())

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """The softmax of both, (2, N)."""
        both: NDArray[np.float32] = torch.from_numpy(np.stack([self.before, self.after])).softmax(-1).numpy()
        return both


@torch.no_grad()
def compare_orders(model: ViT, picture: NDArray[np.float32], order: Sequence[int]) -> ReorderedLogits:
    """Run the model on one picture in both orders.

    Args:
        picture: (1, C, Y, X).
        order: (P,) position t gets the patch from position order[t].

    Raises:
        ValueError: if `order` is not a permutation of the patches.
    """
    image = torch.from_numpy(picture)
    before, after = model(torch.cat([image, shuffle_patches(image, order, model.config.patch_size)]))
    return ReorderedLogits(to_numpy(before), to_numpy(after))


class ShuffleScore(NamedTuple):
    """The number of digits classified correctly, unchanged and shuffled."""

    before: int
    after: int


@torch.no_grad()
def count_right(model: ViT, digits: DigitImages, order: Sequence[int] | None = None) -> int:
    """Count the digits that the model classifies correctly, unchanged or all with their patches in the same new order.

    Raises:
        ValueError: if `order` is not a permutation of the patches.
    """
    images = torch.from_numpy(digits.shades)
    if order is not None:
        images = shuffle_patches(images, order, model.config.patch_size)
    return int((model(images).argmax(-1).numpy() == digits.labels).sum())


@memoize(64)
def _held_out_right(reader: DigitReader, variant: str, order: tuple[int, ...] | None) -> int:
    """Count the held-out digits that the trained ViT, or its copy without positions, classifies correctly."""
    return count_right(reader.model(variant), held_out_digits(), order)


MODEL_VARIANTS, SHUFFLE_TIMES = {"ViT": "vit", "bag": "bag"}, ("before", "after")
GUESS_SHARES = {"most": 1.0, "half": 0.5, "ten": 0.1}
CODE = (patch_embedding.shuffle_patches, compare_orders, ViT.embed, task.freeze_positions)


def _most(i: "Inputs") -> int:
    return DigitReader(i.run).n_patch // 2


class Inputs(DigitsRunInputs, prefix="shuffle_"):
    guess: str = guess_control(
        ("most", "half", "ten"),
    )
    picture: InputPicture = digit_control("shuffle", 3)
    pairs: int = slider(0, _most, _most)
    seed: int = seed()


class ShuffleResult(Result):
    """Two models on the same patches in two orders."""

    order: tuple[int, ...]  # position t gets the patch from position order[t]
    most: int  # the largest number of pairs that can be swapped
    both: dict[str, ReorderedLogits]  # model -> its result for one picture
    scores: dict[str, ShuffleScore]  # model -> its result for all held-out digits; empty before the guess
    n: int  # number of held-out digits
    outcome: GuessOutcome | None

    def table(self) -> Table:
        """Return one row per model: the change of its logits on one picture, and its scores on all held-out digits."""
        scores = self.scores.values()
        table: dict[str, Column] = {
            LABELS["table.model"]: list(self.both),
            LABELS["table.largest_change_logit"]: [one.change for one in self.both.values()],
        }
        return table if not scores else table | {
            LABELS["table.held_out_digits"]: [self.n for _ in scores],
            LABELS["table.read_right"]: [score.before for score in scores],
            LABELS["table.read_right_shuffled"]: [score.after for score in scores],
        }  # fmt: skip


def compute(inputs: Inputs) -> ShuffleResult:
    """Swap some pairs of patches, and run each model on the picture in both orders."""
    reader, shades, scores = inputs.reader, inputs.picture.shades, {}
    order = patch_embedding.swap_patches(reader.n_patch, inputs.pairs, inputs.seed)
    both = {name: compare_orders(reader.model(variant), shades, order) for name, variant in MODEL_VARIANTS.items()}
    if inputs.guess != NOT_YET:
        for name, variant in MODEL_VARIANTS.items():
            scores[name] = ShuffleScore(_held_out_right(reader, variant, None), _held_out_right(reader, variant, order))
    n, outcome = len(images.held_out_digits()), None
    n_moved = sum(place != patch for place, patch in enumerate(order))
    if scores and n_moved // 2 >= len(order) // 2:  # the guess is about all patches
        share = scores["ViT"].after / n
        outcome = GuessOutcome(nearest_label(share, GUESS_SHARES), f"{share:.0%}")
    return ShuffleResult(order=order, most=_most(inputs), both=both, scores=scores, n=n, outcome=outcome)


def draw(result: ShuffleResult, inputs: Inputs) -> None:
    """Draw the picture in both orders, the answers, and the scores on all held-out digits."""
    reader, picture = inputs.reader, inputs.picture
    left, right = ui.two_columns("shuffle")
    with left:
        whole = torch.from_numpy(picture.pixels[None, None].copy())
        moved = patch_embedding.shuffle_patches(whole, result.order, reader.patch_size)
        ui.pictures(
            torch.cat([whole, moved])[:, 0].numpy(),
            key="shuffle-pictures",
            label=LABELS["two_orders"],
            takeaway=LABELS("two_orders_takeaway", name=picture.name, pairs=inputs.pairs),
            titles=[LABELS["as_it_is"], LABELS("pairs_swapped", pairs=inputs.pairs)],
            lines=reader.patch_size,
            columns=2,
            size=176,
        )
    with right:
        ui.matrix(
            np.concatenate([one.probabilities for one in result.both.values()]),
            rows=[
                f"{name}{when}" for name in MODEL_VARIANTS for when in ("", "-mix")
            ],  # short, because a phone is narrow
            columns=DIGIT_NAMES,
            key="shuffle-answers",
            row_title=LABELS["models"],
            column_title=LABELS["answers"],
            value_title=LABELS["probability"],
            label=LABELS["before_and_after"],
            height=220,
        )
    ui.add_template_values(size=format_scientific(result.both["bag"].change))
