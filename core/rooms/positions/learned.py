"""What a trained model has learned, or was given, about positions."""

from typing import Any

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.cache import MAX_MODELS, memoize
from core.charts.curves import Curve
from core.charts.lines import lines
from core.inspect import positions
from core.models.gpt import GPT
from core.nn.positions import RelativeBias, alibi_slopes, sinusoidal
from core.rooms.positions.compute import biases
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.text import escape_markdown
from core.ui.widgets import widgets

EXAMPLE = "stories-learned"  # ships because its table is smooth; that of the default model is hardly so
MOST_HEADS = 8  # lines that can be told apart
MOST_SHOWN = 96  # positions: of more than 96 x 96 cells the labels cannot be read
CONTROL = "positions_model"
FORMULA = r"\cos(p, q) = \frac{E_p \cdot E_q}{\lVert E_p \rVert \, \lVert E_q \rVert}"  # of a table alone
MAPS = {"learned": "Learned", "fixed": "Sines and cosines"}


@memoize(MAX_MODELS)
def learned_of(key: ModelKey) -> positions.Learned:
    """The table of a model with learned positions, compared position by position."""
    table = models.load(key).model.get_parameter("pos_emb.weight")
    return positions.learned(table[:MOST_SHOWN].float().cpu().numpy())


def warm_up() -> None:
    """Compute what the page shows at first."""
    learned_of(models.shipped_key(EXAMPLE))


@exhibit(
    title="What a trained model has learned about positions",
    look_for="the diagonal. No one told this model which positions are neighbors: its table began as noise, each "
    "position drawn on its own. Training made neighbors alike.",
    try_this=[
        (
            "Switch the map between “Learned” and “Sines and cosines”.",
            "Both say “near is alike”, but the learned table has no ripples, and its far ends point opposite ways: "
            "the mean cosine is 0.86 for neighbors and −0.45 for positions 40 apart.",
        ),
        (
            "Look at the right end of the curve.",
            "It bends up from −0.65 to −0.29. Only one pair of positions is 63 apart, the first and the last, so a "
            "single odd vector is enough: the first position is unlike its own neighbors too.",
        ),
        (
            "Choose “Little stories, word by word”, then “Little stories, the block that learns fastest”.",
            "Neighbors needn't be that alike: in the first model's table their mean cosine is only 0.25, and it writes "
            "its stories well. The other has no table but ALiBi, so you see its slopes instead. Train your own in the "
            "training studio, and it appears in this list.",
        ),
    ],
    code=(GPT.embed, positions.learned),
)
def learned_positions() -> Shown | None:
    """The position table of the chosen model, or what it has in place of one."""
    begins: dict[str, Any] = {CONTROL: EXAMPLE} if _has_example() else {}
    try:
        with controls.defaults(**begins):
            key = models.picker(CONTROL, kinds=models.READERS)
        if key is None:
            return None
        with models.patience(key, "Reading the model …"):
            st.caption(models.about(key).told)
        model: Any = models.reader(key)
    except models.ModelUnreadable as refused:
        st.error(f"{escape_markdown(refused)} Choose another model.", icon=":material/broken_image:")
        return None
    scheme = model.config.positions
    if scheme == "learned":
        return _learned(key)
    if scheme == "alibi":
        return _slopes(key)
    if scheme == "relative":
        return _relative(key)
    is_blind = scheme == "none" and not model.config.causal
    st.info((_BLIND if is_blind else _WITHOUT[scheme]) + _HOW)
    return None


_HOW = " To see a learned table, choose a model that has one, or train one in the training studio."
_BLIND = "This model has no positions and no causal mask: it can't tell one order of the words from another."
_WITHOUT = {
    "none": "This model has no positions at all: it knows the order of the words only from the causal mask.",
    "sinusoidal": "This model adds fixed sines and cosines. Nothing in them is learned.",
    "rotary": "This model turns its queries and keys by their positions. The angles are fixed, so there's nothing "
    "learned to show.",
}


def _has_example() -> bool:
    try:
        models.shipped_folder(EXAMPLE)
    except models.ModelUnreadable:
        return False
    return True


def _learned(key: ModelKey) -> Shown:
    """The similarities of all positions, beside those of sines and cosines of the same size."""
    found = learned_of(key)
    n, width = found.table.shape
    fixed = positions.cosines(sinusoidal(n, width, dtype=torch.float64).numpy())
    by_distance = positions.mean_by_distance(found.cosine)
    total = int(models.load(key).model.get_parameter("pos_emb.weight").shape[0])
    if total > n:
        st.caption(f"The first {n} of its {total} positions.")
    if n > 1:
        st.markdown(
            f"Mean cosine of two neighbors: **{by_distance[1]:.2f}**; of positions {n // 2} apart: "
            f"**{by_distance[n // 2]:.2f}**. The **cosine** is 1 where two vectors point the same way, -1 where they "
            "point opposite ways; a table of noise would have about 0 everywhere.".replace("-", "−")
        )
    drawn = controls.segmented("learned_drawn", "Map", list(MAPS), "learned", labels=MAPS)
    if drawn == "learned":
        _map(found.cosine, drawn, "Learned: cosine of each pair of positions")
    else:
        _map(fixed, drawn, "Sines and cosines of the same size: cosine of each pair of positions")
    spec = lines(
        [
            Curve("learned", range(n), by_distance.tolist()),
            Curve("sines and cosines", range(n), positions.mean_by_distance(fixed).tolist()),
        ],
        x_title="distance between two positions (tokens)",
        y_title="mean cosine",
        mode=layout.color_mode(),
        height=240,
        y_range=(-1, 1),
    )
    st.vega_lite_chart(
        spec,
        key="learned-by-distance",
        alt=f"Mean cosine by distance: the learned table falls from 1 to {by_distance.min():.2f} at a distance of "
        f"{int(by_distance.argmin())}.",
    )
    return Shown(
        numbers=found.by_position,
        arrays={"table": found.table, "cosine": found.cosine},
        figure=spec,
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.rooms.positions.compute import biases
            from core.inspect import positions
            from core.models.pretrained import load

            $folder
            table = load(FOLDER).model.get_parameter("pos_emb.weight")
            found = positions.learned(table[:$most].detach().float().numpy())
            print_table(found.by_position())
            """,
            folder=scripts.folder(key),
            most=MOST_SHOWN,
        ),
        formula=FORMULA + (rf" \qquad \cos(0, 1) = {found.cosine[0, 1]:.4f}" if n > 1 else ""),
    )


def _map(values: NDArray[np.float64], name: str, label: str) -> None:
    places = [str(p) for p in range(len(values))]
    widgets.matrix(
        values,
        rows=places,
        columns=places,
        key=f"positions-{name}",
        kind="signed",
        limits=(-1, 1),
        row_title="position",
        column_title="position",
        value_title="cosine",
        label=label,
        height=580,
    )


def _slopes(key: ModelKey) -> Shown:
    """ALiBi: the slopes that this model was given."""
    config: Any = models.load(key).config
    slopes = [float(s) for s in (config.slopes or alibi_slopes(config.n_head))]
    paper = [float(s) for s in alibi_slopes(config.n_head)]
    st.markdown(
        "This model has no table of positions. It was built with **ALiBi**, and its slopes are fixed: "
        f"**{', '.join(f'{s:g}' for s in slopes)}** for its {config.n_head} heads in every layer"
        + (". " if slopes == paper else f" (the paper's would be {', '.join(f'{s:g}' for s in paper)}). ")
        + ("A head with slope 0 ignores distance." if 0 in slopes else "")
        + _HOW
    )
    distance = list(range(config.context_length))
    spec = lines(
        [Curve(f"head {h}: {slope:g}", distance, [-slope * d for d in distance]) for h, slope in enumerate(slopes)],
        x_title="distance (tokens)",
        y_title="added to the score",
        mode=layout.color_mode(),
    )
    st.vega_lite_chart(spec, key="learned-slopes", alt="What each head adds to a score, by distance.")
    return Shown(
        numbers=biases.slope_table(slopes),
        figure=spec,
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.rooms.positions.compute import biases
            from core.models.pretrained import load
            from core.nn.positions import alibi_slopes

            $folder
            config = load(FOLDER).config
            print_table(biases.slope_table(config.slopes or alibi_slopes(config.n_head)))
            """,
            folder=scripts.folder(key),
        ),
    )


def _relative(key: ModelKey) -> Shown:
    """T5's scheme: the learned number of each head and distance."""
    config, table = models.load(key).config, models.reader(key).pos_emb
    assert isinstance(table, RelativeBias)
    n = int(getattr(config, "context_length", table.max_distance))
    bias = table(1, n)[:, 0].flip(-1).float().cpu().numpy()  # (H, n): the last query, by distance 0 .. n - 1
    st.markdown(
        "This model learned one number for each head and bucket of distance, added to the scores in all layers:"
        if not table.bidirectional
        else "This model's encoder learned one number for each head, direction and bucket of distance, added to the "
        "scores in all its layers. Shown is the direction to earlier words:"
    )
    n_shown = min(MOST_HEADS, int(config.n_head))
    if n_shown < config.n_head:
        st.caption(f"The first {n_shown} of {config.n_head} heads: more lines couldn't be told apart.")
    spec = lines(
        [Curve(f"head {h}", list(range(n)), bias[h]) for h in range(n_shown)],
        x_title="distance to an earlier word (tokens)",
        y_title="added to the score",
        mode=layout.color_mode(),
        steps=True,
    )
    st.vega_lite_chart(spec, key="learned-buckets", alt="What each head adds to a score, by distance, in steps.")
    return Shown(
        numbers=biases.bias_table(bias),
        arrays={"bias": bias},
        figure=spec,
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.rooms.positions.compute import biases
            from core.inspect.readers import reader_of
            from core.models.pretrained import load

            $folder
            relative = reader_of(load(FOLDER).model).pos_emb

            # What the last query adds to its score with each key before it.
            bias = relative(1, $n)[:, 0].flip(-1).detach().float().numpy()
            print_table(biases.bias_table(bias))
            """,
            folder=scripts.folder(key),
            n=n,
        ),
    )
