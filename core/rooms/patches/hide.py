"""Take patches away by clicking, and watch what the model still says; and how many it can do without."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Curve
from core.charts.lines import lines
from core.inputs import picked, seed, segmented, slider, toggle
from core.inspect.reading.pictures import Picture, digit
from core.rooms.patches.answers_chart import answers, in_percent
from core.rooms.patches.compute import patch_effect
from core.rooms.patches.compute.patch_attention import looked
from core.rooms.patches.compute.patch_effect import ORDERS, Way, counts
from core.rooms.patches.inputs import DIGITS, Trained
from core.rooms.patches.patch_switches_widget import from_address, from_browser, patch_switches, to_address
from core.train.experiments.digit_reader import Reader

PICTURE, ADDRESS, HISTORY = "hide.picture", "hide.gone", "patches.hide.history"
MOST_STEPS = 50  # that can be undone
CURVES = 208  # css pixels high
CODE = (patch_effect.read_some, patch_effect.painted, patch_effect.without, patch_effect.accuracy_without)


def _n_patch(i: Any) -> int:
    return Reader(i.run).n_patch


def _check(text: str, inputs: Any) -> None:
    try:
        from_address(text, _n_patch(inputs))
    except ValueError as refused:
        raise ValueError(f"{refused} No patch is hidden.") from None


def _clicked(sent: Any, inputs: Any) -> str | None:
    gone = from_browser(sent, _n_patch(inputs))
    if gone is None:
        return None
    change(gone, _n_patch(inputs))
    return to_address(gone, _n_patch(inputs))


class Inputs(Trained, prefix="hide_"):
    """A picture, which of its patches are hidden, and how."""

    picture: Picture = digit("hide", 5)
    gone: str = picked(
        PICTURE,
        lambda i: to_address((), _n_patch(i)),
        part="drawn",
        text=_clicked,
        check=_check,
        content=lambda i: str(_n_patch(i)),
        name=ADDRESS,
    )
    way: Way = segmented("How to hide", {"removed": "leave its token out", "painted": "paint it as paper"}, "removed")
    k: int = slider("How many at once", 1, _n_patch, 3)
    seed: int = seed(label="Seed of the random ones")
    map: bool = toggle("Show where the class token looks (rollout)")


def change(gone: Collection[int], n_patch: int) -> None:
    """Hide exactly these; what was hidden before can be had back."""
    history = _history()
    history.append(ui.picks.remembered(ADDRESS))
    del history[:-MOST_STEPS]
    ui.picks.remember(ADDRESS, to_address(gone, n_patch) if gone else None)


def undo() -> None:
    """Take the last change back."""
    if _history():
        ui.picks.remember(ADDRESS, _history().pop())


def _history() -> list[str | None]:
    return ui.state.slot(HISTORY, list)


@dataclass(frozen=True)
class Result:
    """One picture without some patches, and many."""

    n_patch: int  # of a picture
    hidden: NDArray[np.int64]  # the patches that are gone
    # probabilities, before: (10,) the answer without them, and for the whole picture
    probabilities: NDArray[np.float32]
    before: NDArray[np.float32]
    rollout: NDArray[np.float64]  # (P,) where the class token looks in the whole picture, through all layers
    # order -> the share of held-out digits that are still read right, at each of `counts`
    curves: Mapping[str, NDArray[np.float64]]
    n: int  # how many digits those are

    @property
    def places(self) -> list[int]:
        """Numbers of hidden patches, at which the curves are measured."""
        return counts(self.n_patch)

    def table(self) -> dict[str, list[Any]]:
        """The curves by the number of hidden patches."""
        return {"patches hidden": self.places} | {name: one.tolist() for name, one in self.curves.items()}


def compute(inputs: Inputs) -> Result:
    """The answer for what is left of the picture, and the curves over held-out digits."""
    reader, seen = inputs.reader, looked(inputs.reader, inputs.picture)
    gone = np.array(from_address(inputs.gone, reader.n_patch), np.int64)
    logits = patch_effect.without(
        reader.model(), torch.from_numpy(inputs.picture.shades), torch.from_numpy(gone)[None], inputs.way
    )
    return Result(
        n_patch=reader.n_patch,
        hidden=gone,
        probabilities=logits[0].softmax(-1).numpy(),
        before=seen.probabilities,
        rollout=patch_effect.class_rollout(seen.weights[None])[0, -1, 1:],
        curves=patch_effect.accuracies(reader, inputs.way),
        n=len(patch_effect.enough_digits(reader.n_patch)),
    )


def draw(result: Result, inputs: Inputs) -> None:
    """Buttons, the picture with its switches, the answer, and the curves."""
    reader, picture, gone, n_patch = inputs.reader, inputs.picture, result.hidden.tolist(), result.n_patch
    _buttons(result, inputs)
    left, right = ui.pair("hide")
    with left:
        names = ", ".join(f"({reader.patch_name(patch)})" for patch in gone) or "none"
        patch_switches(
            picture.pixels,
            reader.patch_size,
            gone,
            key=ui.picks.key(PICTURE, str(n_patch), part="drawn"),
            label="Click patches away",
            takeaway=f"{picture.name}: {len(gone)} of {n_patch} patches are hidden: {names}.",
            weights=result.rollout if inputs.map else None,
            weight_title="rollout of the whole picture",
            size=376,
        )
    with right:
        _answer(result, inputs)
        _curves(result)


def _answer(result: Result, inputs: Inputs) -> None:
    """What the model says now, and what it said of the whole picture."""
    now, before = result.probabilities, result.before
    said, first = int(now.argmax()), int(before.argmax())
    sure = in_percent(float(now[said]))
    spec = answers(
        DIGITS,
        now.tolist(),
        before.tolist(),
        right=inputs.picture.label,
        before_title="with the whole picture",
        row=14,
        mode=ui.color_mode(),
    )
    told = {"said": said, "first": first, "sure": sure, "sure_before": in_percent(float(before[first]))}
    ui.chart(spec, alt=ui.words("answer", **told), key="hide-answer")
    ui.say("answer", **told)


def _curves(result: Result) -> None:
    """How many patches the held-out digits can do without."""
    at, n_patch = result.places, result.n_patch
    half = int(np.abs(np.array(at) - n_patch / 2).argmin())
    most, least, random = (float(result.curves[name][half]) for name in ORDERS)
    spec = lines(
        [Curve(name, at, one.tolist()) for name, one in result.curves.items()],
        x_title="patches hidden",
        y_title="share read right",
        y_range=(0, 1),
        marked=len(result.hidden),
        height=CURVES,
        mode=ui.color_mode(),
    )
    told = {
        "whole": float(result.curves[ORDERS[0]][0]),
        "most": most,
        "least": least,
        "random": random,
        "half": at[half],
    }
    ui.chart(spec, alt=ui.words("curves", **told), key="hide-curves")
    ui.say("curves", **told)


def _buttons(result: Result, inputs: Inputs) -> None:
    """Sets of patches to hide at once."""
    st, k, n_patch = ui.st, inputs.k, result.n_patch
    order = np.argsort(-result.rollout, kind="stable")
    sets = {
        f"Hide {k} most attended": order[:k],
        f"Hide {k} least attended": order[::-1][:k],
        f"Hide {k} at random": patch_effect.by_chance(1, n_patch, inputs.seed)[0, :k],
    }
    with st.container(horizontal=True, gap="xsmall"):
        for i, (label, patches) in enumerate(sets.items()):
            st.button(label, key=f"hide-set-{i}", on_click=change, args=(patches.tolist(), n_patch))
        st.button("Undo", icon=":material/undo:", key="hide-undo", on_click=undo, disabled=not _history())
        st.button("Show all", key="hide-none", on_click=change, args=((), n_patch))
