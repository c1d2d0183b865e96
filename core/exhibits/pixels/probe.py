"""What an ImageGPT knows at each layer: a linear classifier reads digits from its vectors."""

from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st
import torch

from core.charts.grouped import grouped
from core.data import images, pixel_text
from core.exhibits.pixels.common import MISSING, NO_JUDGE, TITLES, Judge, Writer, judge, open_judge, open_writer, writer
from core.generate.pixels import started
from core.inspect import probe as probes
from core.inspect.probe import Pool, Probed
from core.models import registry
from core.train.experiments import pixels as task
from core.ui import controls, layout
from core.ui.cache import kept
from core.ui.frame import Shown, exhibit

ORDER = "raster"
POOLS: dict[Pool, str] = {"mean": "mean of all 64", "last": "the last one alone"}
FEW = 16  # results of a few numbers, but each holds on to its record of some hundred kilobytes


@dataclass(frozen=True)
class Progress:
    """Who is told how far a computation is; every one is as good as another as a part of a key."""

    tell: Callable[[float], None] = field(compare=False, repr=False)


def warm_up() -> None:
    """Probe the example once before somebody waits for it: two models read all 1,797 digits."""
    found, by = writer(), judge()
    raw_pixels()
    if found is not None:
        of_writer(found, ORDER, _quiet())
        of_untrained(found.n_level, ORDER, _quiet())
    if by is not None:
        of_reader(by)


@exhibit(
    title="What it knows on the way: a linear probe",
    look_for="the layer from which a digit can be read best. The model was trained to predict pixels, and no label was "
    "ever shown to it.",
    try_this=[
        (
            "Follow the bars of the trained model downwards, and read which is best.",
            "The first block does most of the work, and after the last norm it is not best any more. The paper, with "
            "far larger models, found the best layer in the middle: at the end everything serves the next pixel.",
        ),
        (
            "Compare the two bars of each layer.",
            "Blocks that were only drawn, and never trained, already mix the pixels into something that can be read to "
            "three quarters. Without this control the trained model would seem to have learned more than it has.",
        ),
        (
            "Find the upright stroke: the same classifier on the 64 pixels themselves.",
            "It is as good as every layer, or better. Small pictures are easily read as they are; the paper's gain was "
            "on photographs, with models thousands of times as large.",
        ),
    ],
    code=(probes.features, probes.pooled, probes.linear_probe),
    formula=r"f^{\ell} = \frac{1}{T} \sum_{t=1}^{T} h^{\ell}_t \qquad "
    r"p(\text{digit} \mid f) = \mathrm{softmax}\big(W \tfrac{f - \mu}{\sigma} + b\big)",
)
def probe() -> Shown | None:
    """The controls, and the bars of all layers, with what they have to be compared with."""
    left, right = st.columns(2, gap="medium")
    with left:
        pool = controls.segmented("probe_pool", "Which vectors", list(POOLS), "mean", labels=dict(POOLS))
    with right:
        order = controls.segmented("probe_order", "Model that writes", list(TITLES), ORDER, labels=TITLES)
    found, by = writer(), judge()
    if found is None:
        st.info(MISSING)
        return None
    place = st.empty()
    bar = place.progress(0.0, "Both models read all 1,797 digits …")
    trained = of_writer(found, order, Progress(lambda share: _move(bar, share / 2)))[pool]
    control = of_untrained(found.n_level, order, Progress(lambda share: _move(bar, (1 + share) / 2)))[pool]
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
        shares = ", ".join(f"{name} {trained[tap].held_out:.1%}" for tap, name in names.items())
        st.vega_lite_chart(
            spec, width="stretch", alt=f"Right by layer: {shares}. Raw: {raw.held_out:.1%}.", key="probe"
        )
    with text:
        _tell(trained, control, raw, names, by)
    rows = [(f"trained, {names[tap]}", one) for tap, one in trained.items()]
    rows += [(f"untrained, {names[tap]}", one) for tap, one in control.items()]
    rows += [("64 pixels as they are", raw)]
    rows += [] if by is None else [("ViT, its class token", of_reader(by))]
    return Shown(
        numbers={
            "features": [name for name, _ in rows],
            "numbers for each digit": [one.n_feature for _, one in rows],
            "right where it learned": [one.learned for _, one in rows],
            "right on held-out": [one.held_out for _, one in rows],
        },
        figure=spec,
    )


def _tell(
    trained: dict[str, Probed], control: dict[str, Probed], raw: Probed, names: dict[str, str], by: Judge | None
) -> None:
    """Where it is best, in words that these numbers bear, and what to compare it with."""
    best = best_layer(trained)
    st.markdown(f"Best: **{names[best]}**, {trained[best].held_out:.1%}. {where(trained)}")
    lines = [
        f"| the 64 pixels themselves | {raw.held_out:.1%} |",
        f"| ImageGPT, {names[best]} | {trained[best].held_out:.1%} |",
        f"| the same, untrained | {control[best].held_out:.1%} |",
    ]
    if by is not None:
        lines.append(f"| the ViT's class token | {of_reader(by).held_out:.1%} |")
    st.markdown("| the probe reads | right |\n|:--|--:|\n" + "\n".join(lines))
    if by is None:
        st.caption(NO_JUDGE)
    n = len(images.held_out())
    st.caption(
        f"A logistic regression on each layer's vectors learns from {len(images.to_learn()):,} digits with their "
        f"labels and is asked about {n} others; the model stays as it is. One digit is {1 / n:.2%}, and chance moves "
        f"such shares by a point or so. Before the first block a mean of vectors says only how often each gray "
        "occurs. The untrained model has the same shape and weights as they are drawn. The ViT had the labels of these "
        "very digits in its own training, so it is no fair rival; it shows what can be reached. As in training, "
        "ImageGPT reads the start token and all pixels but the last."
    )


def best_layer(some: dict[str, Probed]) -> str:
    """The tap whose vectors are read best; of equals the first."""
    return max(some, key=lambda tap: some[tap].held_out)


def where(some: dict[str, Probed]) -> str:
    """Whether that is in the middle, as the paper has it."""
    taps = list(some)
    at = taps.index(best_layer(some))
    if at == 0:
        return "That is before the first block: what the blocks do does not help here."
    # The last block's vectors and the same after the norm both are the end.
    if at < len(taps) - 2:
        return "That is in the middle, where the paper found it, too."
    return "That is at the end, and not in the middle, where the paper found it with larger models."


@kept(FEW)
def of_writer(writer: Writer, order: str, progress: Progress) -> dict[Pool, dict[str, Probed]]:
    """The trained model's layers, probed: pool -> tap -> result."""
    return _probed(open_writer(writer, order), writer.n_level, order, progress)


@kept(FEW)
def of_untrained(n_level: int, order: str, progress: Progress) -> dict[Pool, dict[str, Probed]]:
    """The same for a model of this shape whose weights are drawn, with seed 0."""
    return _probed(registry.build(task.config(n_level), 0).eval(), n_level, order, progress)


@kept(FEW)
def of_reader(judge: Judge) -> Probed:
    """The ViT's class token after its last norm."""
    model, tap = open_judge(judge), "final"
    learn, held = (
        probes.features(model, torch.from_numpy(some.shades), ("first",))["first"][tap]
        for some in (images.to_learn(), images.held_out())
    )
    return probes.linear_probe(learn, images.to_learn().labels, held, images.held_out().labels)


@kept(1)
def raw_pixels() -> Probed:
    """No model at all: the same classifier on the shades of the 64 pixels."""
    learn, held = images.to_learn(), images.held_out()
    return probes.linear_probe(
        learn.shades.reshape(len(learn), -1), learn.labels, held.shades.reshape(len(held), -1), held.labels
    )


def _probed(model: torch.nn.Module, n_level: int, order: str, progress: Progress) -> dict[Pool, dict[str, Probed]]:
    learn, held = pixel_text.texts(n_level, order)
    ids = torch.cat([learn, held])
    vectors = probes.features(model, started(model, ids), tuple(POOLS), progress.tell)  # type: ignore[arg-type]
    n, labels = len(learn), (images.to_learn().labels, images.held_out().labels)
    return {
        pool: {tap: probes.linear_probe(x[:n], labels[0], x[n:], labels[1]) for tap, x in by_tap.items()}
        for pool, by_tap in vectors.items()
    }


def _quiet() -> Progress:
    return Progress(lambda share: None)


def _move(bar: object, share: float) -> None:
    bar.progress(share, "Both models read all 1,797 digits …")  # type: ignore[attr-defined]
