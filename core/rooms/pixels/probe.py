"""What an ImageGPT knows at each layer: a linear classifier reads digits from its vectors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.cache import memoize
from core.charts.grouped import grouped
from core.data import images
from core.models import registry
from core.rooms.pixels.common import NO_JUDGE, Writer, current, in_script, judge, open_writer
from core.rooms.pixels.compute import pixel_text
from core.rooms.pixels.compute import probe as probes
from core.rooms.pixels.compute.pixel_text import TITLES
from core.rooms.pixels.compute.pixels import started
from core.rooms.pixels.compute.probe import Pool, Probed
from core.rooms.pixels.experiments import pixels as task
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training.digit_reader import Reader

ORDER = "raster"
CHANCE = 0.015  # of 360 digits it is five: layers that lie closer cannot be told apart
POOLS: dict[Pool, str] = {"mean": "their mean", "last": "the last"}
Features = Mapping[Pool, Mapping[str, NDArray[np.float32]]]  # pool -> tap -> (1797, D)
FEW = 16  # results of up to 5 MB, and each holds on to its record of some hundred kilobytes


@dataclass(frozen=True)
class Progress:
    """Who is told how far a computation is; every one is as good as another as a part of a key."""

    tell: Callable[[float], None] = field(compare=False, repr=False)


def warm_up() -> None:
    """Probe the untrained model before somebody waits for it; the trained one takes as long, and is worth a bar."""
    of_untrained(task.Options().n_level, ORDER, "mean", Progress(lambda share: None))


@exhibit(
    title="What it knows on the way: a linear probe",
    look_for="the layer from which a digit is read best. The reader is a **linear probe**, a simple classifier on "
    "the model's inner vectors; the model itself was trained to predict pixels and never saw a label.",
    try_this=[
        (
            "Follow the bars of the trained model downward and find the best.",
            "Before the first block a mean says only how often each gray occurs; the first block does most of the "
            "work. The paper, with far larger models, found the best layer in the middle: at the end everything serves "
            "the next pixel.",
        ),
        (
            "Compare the two bars of each layer.",
            "Blocks with random weights, never trained, already mix the pixels into something from which three "
            "quarters of the digits can be read. Without this control the trained model would seem to have learned "
            "more than it has.",
        ),
        (
            "Find the upright stroke: the same classifier on the 64 pixels themselves.",
            "It's about where the best layer is. Small pictures are easy to read as they are; the paper's gain was "
            "on photographs, with models thousands of times as large.",
        ),
    ],
    code=(probes.features, probes.pooled, probes.linear_probe),
    formula=r"f^{\ell} = \frac{1}{T} \sum_{t=1}^{T} h^{\ell}_t \text{ or } h^{\ell}_T \qquad "
    r"p(\text{digit} \mid f) = \mathrm{softmax}\big(W \tfrac{f - \mu}{\sigma} + b\big)",
)
def probe() -> Shown | None:
    """The controls, and the bars of all layers, with what they have to be compared with."""
    left, right = st.columns([2, 3], gap="medium")
    with left:
        pool = controls.segmented("probe_pool", "Of its 64 vectors", list(POOLS), "mean", labels=dict(POOLS))
    with right:
        order = controls.segmented("probe_order", "Model that writes", list(TITLES), ORDER, labels=TITLES)
    found, by = current(), judge()
    if found is None:
        return None
    place = st.empty()
    bar = place.progress(0.0, "Both models are reading all 1,797 digits …")
    trained = of_writer(found, order, pool, Progress(lambda share: _move(bar, share / 2)))
    control = of_untrained(found.n_level, order, pool, Progress(lambda share: _move(bar, (1 + share) / 2)))
    raw = raw_pixels()
    place.empty()
    names = probes.layer_names(open_writer(found, order))
    spec = grouped(
        list(names.values()),
        {
            "trained": [trained[tap].held_out for tap in names],
            "untrained": [control[tap].held_out for tap in names],
        },
        [raw.held_out] * len(names),
        x_title="held-out digits read right",
        mark_title="on the 64 pixels themselves",
        mode=layout.color_mode(),
    )
    chart, text = layout.pair("probe-sides")
    with chart:
        shares = ", ".join(f"{name} {_percent(trained[tap])}" for tap, name in names.items())
        st.vega_lite_chart(
            spec, width="stretch", alt=f"Right by layer: {shares}. The pixels: {_percent(raw)}.", key="probe"
        )
    with text:
        _tell(trained, control, raw, names, by)
    rows = {f"trained, {names[tap]}": one for tap, one in trained.items()}
    rows |= {f"untrained, {names[tap]}": one for tap, one in control.items()}
    rows["64 pixels as they are"] = raw
    if by is not None:
        rows["ViT, its class token"] = of_reader(by)
    return Shown(
        numbers=lambda: probes.table(rows),
        figure=spec,
        script=lambda: _script(found, by, order, pool),
    )


def _script(found: Writer, by: Reader | None, order: str, pool: Pool) -> str:
    judge = None if by is None else by.in_script()
    return scripts.script(
        """
        import torch

        from core.rooms.pixels.compute import pixel_text
        from core.data.csv_table import print_table
        from core.rooms.pixels.compute.pixels import started
        from core.rooms.pixels.compute import probe
        from core.models import registry
        from core.train.experiment import rebuild, record_of
        from core.rooms.patches.experiments import digits
        from core.rooms.pixels.experiments import pixels

        trained = $trained
        untrained = registry.build(pixels.config($n_level), seed=0).eval()

        # Both read all 1,797 digits, and a linear classifier learns from their vectors: it takes some seconds.
        ids = torch.cat(pixel_text.texts($n_level, $order))
        found = {}
        for name, model in {"trained": trained, "untrained": untrained}.items():
            vectors = probe.features(model, started(model, ids), ($pool,))[$pool]
            for tap, layer in probe.layer_names(model).items():
                found[f"{name}, {layer}"] = probe.of_digits(vectors[tap])
        found["64 pixels as they are"] = probe.of_digits(probe.all_shades())
        $judge
        print_table(probe.table(found))
        """,
        trained=in_script(found, order),
        n_level=found.n_level,
        order=order,
        pool=pool,
        judge=scripts.Code("" if judge is None else _JUDGED.format(judge=judge)),
    )


_JUDGED = """\
vit = {judge}
vectors = probe.features(vit, torch.from_numpy(probe.all_shades()), ("first",))["first"]["final"]
found["ViT, its class token"] = probe.of_digits(vectors)"""


def _tell(
    trained: dict[str, Probed], control: dict[str, Probed], raw: Probed, names: dict[str, str], by: Reader | None
) -> None:
    """Where it is best, in words that these numbers bear, and what to compare it with."""
    best = best_layer(trained)
    st.markdown(f"Best: **{names[best]}**, {_percent(trained[best])}. {where(trained)}")
    lines = [
        f"| the 64 pixels (upright stroke) | {_percent(raw)} |",
        f"| ImageGPT, {names[best]} | {_percent(trained[best])} |",
        f"| the same, untrained | {_percent(control[best])} |",
    ]
    if by is not None:
        lines.append(f"| the ViT's class token | {_percent(of_reader(by))} |")
    st.markdown("| the probe reads | right |\n|:--|--:|\n" + "\n".join(lines))
    if by is None:
        st.caption(NO_JUDGE)
    n = len(images.held_out())
    st.caption(
        f"A linear classifier (logistic regression) learns from the vectors of {len(images.to_learn()):,} digits and "
        f"is asked about {n} others; the model itself stays as it is. Chance moves these shares by a point or so. "
        "The untrained model has the same shape and random weights. The ViT (**vision transformer**) learned from "
        "these very labels, so it's no fair rival; it shows what can be reached."
    )


def _percent(one: Probed) -> str:
    """The share of held-out digits that are read right."""
    return f"{100 * one.held_out:.1f}%"


def best_layer(some: dict[str, Probed]) -> str:
    """The tap whose vectors are read best; of equals the first."""
    return max(some, key=lambda tap: some[tap].held_out)


def where(some: dict[str, Probed]) -> str:
    """Whether that is in the middle, as the paper has it."""
    taps = list(some)
    at = taps.index(best_layer(some))
    if at == 0:
        return "That's before the first block: what the blocks do doesn't help here."
    near = sum(some[taps[at]].held_out - one.held_out < CHANCE for one in some.values()) - 1
    if near:
        return (
            f"{near} other {'layer comes' if near == 1 else 'layers come'} within {100 * CHANCE:g} points of it, which "
            "may be chance. The paper, with far larger models, found the best layer in the middle."
        )
    # The last block's vectors and the same after the norm both are the end.
    if at < len(taps) - 2:
        return "That's in the middle, where the paper found it too."
    return "That's at the end, not in the middle, where the paper found it with larger models."


@memoize(FEW)
def of_writer(writer: Writer, order: str, pool: Pool, progress: Progress) -> dict[str, Probed]:
    """The trained model's layers, probed: tap -> result."""
    return _probed(_read(writer, order, progress)[pool])


@memoize(FEW)
def of_untrained(n_level: int, order: str, pool: Pool, progress: Progress) -> dict[str, Probed]:
    """The same for a model of this shape whose weights are drawn, with seed 0."""
    return _probed(_read_untrained(n_level, order, progress)[pool])


@memoize(FEW)
def of_reader(reader: Reader) -> Probed:
    """The ViT's class token after its last norm."""
    shades = torch.from_numpy(probes.all_shades())
    return probes.of_digits(probes.features(reader.vit, shades, ("first",))["first"]["final"])


@memoize(1)
def raw_pixels() -> Probed:
    """No model at all: the same classifier on the shades of the 64 pixels."""
    return probes.of_digits(probes.all_shades())


@memoize(FEW)
def _read(writer: Writer, order: str, progress: Progress) -> Features:
    return _features(open_writer(writer, order), writer.n_level, order, progress)


@memoize(FEW)
def _read_untrained(n_level: int, order: str, progress: Progress) -> Features:
    return _features(registry.build(task.config(n_level), 0).eval(), n_level, order, progress)


def _features(model: torch.nn.Module, n_level: int, order: str, progress: Progress) -> Features:
    """One vector of each digit at each layer, those to learn from first: by far the slowest part."""
    ids = torch.cat(pixel_text.texts(n_level, order))
    return probes.features(model, started(model, ids), tuple(POOLS), progress.tell)  # type: ignore[arg-type]


def _probed(by_tap: Mapping[str, NDArray[np.float32]]) -> dict[str, Probed]:
    return {tap: probes.of_digits(x) for tap, x in by_tap.items()}


def _move(bar: object, share: float) -> None:
    bar.progress(share, "Both models are reading all 1,797 digits …")  # type: ignore[attr-defined]
