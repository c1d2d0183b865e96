"""All patches, or one vector? The same captioner with a bottleneck between picture and sentence."""

import streamlit as st

from core.charts.race import race
from core.data import images
from core.models.captioner import Captioner
from core.rooms.captions.experiments import captions as task
from core.rooms.captions.experiments import captions_class
from core.rooms.captions.experiments.captions_class import WHAT
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training import live

NAME, OTHER = "captions-class", "captions"
WHO = {OTHER: "reads all patches", NAME: "reads one vector"}


@exhibit(
    title="All patches, or one vector?",
    look_for="the distance between two curves. One decoder asks anew among 16 patches at each word. The other gets "
    "one vector of 48 numbers, that of the **class token** (an extra token that collects the picture), and it has to "
    "hold everything that will be said.",
    try_this=[
        (
            "Switch between digit, ink and slant.",
            "One vector is behind in each, but not by much: for so small a picture it almost has room enough. "
            "Translating long sentences is another matter: see “Sequence to sequence”.",
        ),
        (
            "Train it with another seed.",
            "Before you say which is better, compare the distance between the two with how much each differs from "
            "seed to seed.",
        ),
    ],
    code=(Captioner.encode, Captioner.decode, captions_class.CaptionsClass),
)
def vec2seq() -> Shown | None:
    """The training of the one with the bottleneck, beside the one above."""
    seed = controls.seed(name="vector_seed")
    about = f"{task.Options().n_step:,} steps take up to a minute. The other model is trained in “From ink to words”."
    shown = live.train(NAME, {}, seed, about=about)
    other = live.current(OTHER)
    if shown is None or other is None:
        return None
    what = controls.segmented("vector_what", "Compare", list(WHAT), "exact", labels=WHAT)
    sides = {OTHER: other, NAME: shown}
    spec = race(
        {WHO[name]: (one.record["curve.step"], one.record[f"curve.{what}"]) for name, one in sides.items()},
        y_title=depth.measured("loss", "nats per token") if what == "loss" else "share that is right",
        n_step=max(one.n_step for one in sides.values()),
        mode=layout.color_mode(),
        y_limits=None if what == "loss" else (0, 1.05),
    )
    alt = "; ".join(f"{WHO[name]}: now {float(one.record[f'curve.{what}'][-1]):.3f}" for name, one in sides.items())
    st.vega_lite_chart(spec, width="stretch", alt=alt, key="vector-curves")
    st.markdown(told(sides))
    st.caption("With equal seeds, both see the same pictures in the same order.")
    depth.note(
        "With one vector to read, every word puts weight 1 on it, whatever the decoder asks: its queries and keys are "
        "idle, and only values pass."
    )
    return Shown(
        numbers=lambda: captions_class.table({WHO[name]: one.record for name, one in sides.items()}),
        arrays=lambda: {f"{n}.{k}": a for n, one in sides.items() for k, a in one.record.items() if k[:5] == "curve"},
        figure=spec,
        script=lambda: _script(sides),
    )


def _script(sides: dict[str, Live]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.captions.experiments import captions_class

        # Two captioners; with the settings that ship, the records that ship.
        records = {
            "reads all patches": $all,
            "reads one vector": $one,
        }
        print_table(captions_class.table(records))
        """,
        all=scripts.record(OTHER, sides[OTHER]),
        one=scripts.record(NAME, sides[NAME]),
    )


def told(sides: dict[str, Live]) -> str:
    """Who is ahead, in captions."""
    n = len(images.held_out())
    right = {name: round(float(one.record["curve.exact"][-1]) * n) for name, one in sides.items()}
    looked = {name: int(one.record["curve.step"][-1]) for name, one in sides.items()}
    ahead = right[OTHER] - right[NAME]
    verdict = (
        "Both are equally good."
        if not ahead
        else f"{'Reading all patches' if ahead > 0 else 'One vector'} is ahead by {abs(ahead)} of {n} captions."
    )
    seeds = sides[OTHER].seed, sides[NAME].seed
    steps = (
        f"both after {looked[OTHER]:,} steps"
        if len({*looked.values()}) == 1
        else (f"after {looked[OTHER]:,} and {looked[NAME]:,} steps")
    )
    drawn = f"both with seed {seeds[0]}" if len({*seeds}) == 1 else f"with seeds {seeds[0]} and {seeds[1]}"
    return (
        f"All patches: **{right[OTHER]} of {n}** captions right; one vector: **{right[NAME]} of {n}**. {verdict} "
        f"({steps[0].upper()}{steps[1:]}, {drawn}.)"
    )
