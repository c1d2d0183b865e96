"""Hide patches by clicking, and watch the model's answer; and measure how many patches it can do without."""

from collections.abc import Collection
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, ViewChoice, seed, segmented_control, slider, text_input, toggle
from core.inspect.model_inputs.input_pictures import InputPicture, digit_control
from core.rooms.patches.compute import patch_effect
from core.rooms.patches.compute.patch_attention import cached_patch_attention
from core.rooms.patches.compute.patch_effect import HIDING_ORDERS, HidingWay, hidden_counts
from core.rooms.patches.inputs import DIGIT_NAMES, DigitsRunInputs, answer_bars, format_percent
from core.train.experiments.digit_reader import DigitReader
from core.ui.widgets.picture_grid import INK_LEVELS

LABELS = module_labels(__name__)
ORDER_TITLES = LABELS.options("order", *HIDING_ORDERS)
CLEAR_3 = 348  # a held-out 3 that people read easily, and that the model reads as a 1 without three patches
N_AT_FIRST = 3  # hidden when the exhibit opens


def patches_to_address(gone: Collection[int], n_patch: int) -> str:
    """Encode hidden patches: "16.5" hides the first and third of 16. The digits after the point are bits in hex.

    Example:
        `patches_to_address([0, 2], 16) == "16.5"`
    """
    return f"{n_patch}.{sum(1 << patch for patch in set(gone)):x}"


def patches_from_address(text: str, n_patch: int) -> list[int]:
    """Decode the hidden patches of an address, in ascending order.

    Raises:
        ValueError: if it is not such an address; the message is for the user.
    """
    count, point, bits = text.partition(".")
    is_hex = bool(bits) and len(bits) <= n_patch // 4 + 1 and all(one in "0123456789abcdef" for one in bits)
    if not point or not is_hex or not (count.isascii() and count.isdigit()):
        raise ValueError(LABELS["link.unreadable"])
    if count.lstrip("0") != str(n_patch):
        raise ValueError(LABELS("link.other_picture", count=count[:6], n_patch=n_patch))
    number = int(bits, 16)
    if number >> n_patch:
        raise ValueError(LABELS("link.beyond", n_patch=n_patch))
    return [patch for patch in range(n_patch) if number >> patch & 1]


CODE = (
    patch_effect.run_on_patches,
    patch_effect.paint_patches,
    patch_effect.logits_without_patches,
    patch_effect.accuracy_without_patches,
)


def _n_patch(i: "Inputs") -> int:
    return DigitReader(i.run).n_patch


def _hidden_at_first(i: "Inputs") -> str:
    """Return the address that hides the few patches which the class token looks at most."""
    return patches_to_address(_attended_order(i)[:N_AT_FIRST].tolist(), _n_patch(i))


def _attended_order(i: "Inputs") -> NDArray[np.int64]:
    """Return the patches by the rollout of the class token in the whole picture, the most attended first."""
    return np.argsort(-_class_rollout(i), kind="stable")


def _class_rollout(i: "Inputs") -> NDArray[np.float64]:
    seen = cached_patch_attention(DigitReader(i.run), i.picture)
    return patch_effect.class_rollout(seen.weights[None])[0, -1, 1:]


class Inputs(DigitsRunInputs, prefix="hide_"):
    picture: InputPicture = digit_control("hide", CLEAR_3)
    gone: str = text_input(
        _hidden_at_first,
        max_chars=80,
        name="hide.gone",
        view=ViewChoice(scope=lambda i: str(_n_patch(i)), is_drawn=False),
    )
    way: HidingWay = segmented_control(("removed", "painted"), "removed")
    k: int = slider(1, _n_patch, N_AT_FIRST, view=ViewChoice())
    seed: int = seed()
    map: bool = toggle()


def _parse_hidden(inputs: Inputs) -> tuple[list[int], str]:
    """Return the hidden patches, and a message that says why they are not those of the link; "" if they are."""
    try:
        return patches_from_address(inputs.gone, inputs.reader.n_patch), ""
    except ValueError as refused:
        return [], LABELS("no_patch_hidden", refused=refused)


class HiddenPatches(Result):
    """One picture without some patches, and statistics over many pictures."""

    n_patch: int  # per picture
    hidden: NDArray[np.int64]  # the hidden patches
    # probabilities, before: (10,) the answer without them, and for the whole picture
    probabilities: NDArray[np.float32]
    before: NDArray[np.float32]
    rollout: NDArray[np.float64]  # (P,) rollout of the class token in the whole picture, through all layers
    places: list[int]  # numbers of hidden patches at which the curves are measured
    # order of hiding -> the accuracy on held-out digits, at each of `places`
    curves: dict[str, NDArray[np.float64]]
    n: int  # number of these digits
    whole: float  # the accuracy without hidden patches
    half: int  # the number of hidden patches nearest to half of all, followed by the accuracy there for each order
    most: float
    least: float
    random: float

    def table(self) -> Table:
        """Return the curves by the number of hidden patches."""
        curves = {ORDER_TITLES[order]: one.tolist() for order, one in self.curves.items()}
        return {LABELS["table.patches_hidden"]: self.places} | curves


def compute(inputs: Inputs) -> HiddenPatches:
    """Compute the answer for the rest of the picture, and the curves over held-out digits."""
    reader, seen = inputs.reader, cached_patch_attention(inputs.reader, inputs.picture)
    gone = np.array(_parse_hidden(inputs)[0], np.int64)
    logits = patch_effect.logits_without_patches(
        reader.model(), torch.from_numpy(inputs.picture.shades), torch.from_numpy(gone)[None], inputs.way
    )
    places, curves = hidden_counts(reader.n_patch), dict(patch_effect.accuracy_curves(reader, inputs.way))
    half = int(np.abs(np.array(places) - reader.n_patch / 2).argmin())
    most, least, random = (float(curves[name][half]) for name in HIDING_ORDERS)
    return HiddenPatches(
        n_patch=reader.n_patch,
        hidden=gone,
        probabilities=logits[0].softmax(-1).numpy(),
        before=seen.probabilities,
        rollout=_class_rollout(inputs),
        places=places,
        curves=curves,
        n=len(patch_effect.evaluation_digits(reader.n_patch)),
        whole=float(curves[HIDING_ORDERS[0]][0]),
        half=places[half],
        most=most,
        least=least,
        random=random,
    )


def draw(result: HiddenPatches, inputs: Inputs) -> None:
    """Draw the picture with its switches, the answer, and the curves."""
    picture = inputs.picture
    if why := _parse_hidden(inputs)[1]:
        ui.st.warning(ui.escape_markdown(why))
    order = _attended_order(inputs)
    answer = _compute_answer(result, inputs)
    before = result.before
    left, right = ui.two_columns("hide", alike=True)
    with left:
        n_side = inputs.reader.n_side
        shown: dict[str, Any] = {"weights": result.rollout.reshape(1, n_side, n_side)} if inputs.map else {}
        ui.mount_widget(
            "patch_switches",
            pixels=picture.pixels[None],
            **shown,
            weight_title=LABELS["rollout"],
            kind="probability",
            low=0.0,
            high=float(result.rollout.max()) or 1.0 if inputs.map else 1.0,
            grid=(n_side, n_side),
            lines=True,
            ink=True,
            full=INK_LEVELS,
            columns=None,
            size=280,
            pick="patch",
            gone=inputs.gone,
            sets={
                LABELS["set.most"]: order.tolist(),
                LABELS["set.least"]: order[::-1].tolist(),
                LABELS["set.random"]: patch_effect.random_orders(1, result.n_patch, inputs.seed)[0].tolist(),
            },
            k=inputs.k,
            said=answer["said"],
            sure=answer["sure"],
            first=int(before.argmax()),
            click_sets={"gone": inputs.gone},
            takeaway=f"{picture.name}.",
            key="hide.picture",
        )
    with right:
        _answer(result, inputs, answer)
    ui.curves(
        {ORDER_TITLES[order]: (result.places, share) for order, share in result.curves.items()},
        x=LABELS["patches_hidden"],
        y=ui.Axis(LABELS("share_right", n=result.n), (0, 1)),
        height=208,
    )


def _answer_values(result: HiddenPatches) -> dict[str, object]:
    """Return the answer without the patches; `assets/widgets/computed/without_patches.js` does so in the browser."""
    now = result.probabilities
    said = int(now.argmax())
    outcome = "answer" if len(result.hidden) else "whole"
    return {"now": now.tolist(), "said": said, "sure": format_percent(float(now[said])), "outcome": outcome}


def _compute_answer(result: HiddenPatches, inputs: Inputs) -> Any:
    """Return the answer without the patches, computed in the browser."""
    shades = inputs.picture.shades
    model = ui.export_model_for_browser(inputs.reader.model(), of=inputs.run.run_id)
    given = {"gone": ui.choice_ref(inputs.gone), "way": str(inputs.way), "shades": shades.ravel().tolist()}
    return ui.compute_in_browser("without_patches", model, _answer_values(result), **given)


def _answer(result: HiddenPatches, inputs: Inputs, answer: Any) -> None:
    """Draw the answer now, and for the whole picture."""
    before = result.before
    title = LABELS["with_whole_picture"]
    answer_bars(
        DIGIT_NAMES, answer["now"], before.tolist(), right=inputs.picture.label, before_title=title, key="hide-answer"
    )
    told = {"first": int(before.argmax()), "sure_before": format_percent(float(before.max()))}
    ui.show_text_section(
        ui.with_possible_section_names(answer["outcome"], "answer", "whole"),
        said=answer["said"],
        sure=answer["sure"],
        **told,
    )
