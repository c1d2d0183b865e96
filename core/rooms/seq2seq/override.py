"""The weights of one output step set by hand; the decoder goes on from there."""

import re

import numpy as np
import streamlit as st

from core.cache import content_key
from core.charts.before_after import before_after, top_of_either
from core.nn.recurrent import AdditiveAttention
from core.rooms.seq2seq.alignment import ring, tell_answer
from core.rooms.seq2seq.common import TASKS, Opened, open_text
from core.rooms.seq2seq.compute.alignment import Alignment, align, weights_table
from core.ui.controls import controls, picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode, pair
from core.ui.text import escape_markdown
from core.ui.training import live
from core.ui.widgets import badges, widgets

Row = tuple[int, tuple[float, ...]]  # (step, its weights)
_ROW = re.compile(r"(\d{1,3}):([0-9.,e-]{1,400})")


@exhibit(
    title="Set the weights of one step yourself",
    look_for="the first output token that changes when you set what it reads, and whether the later ones recover. A "
    "bright cell shows where the model looks; here you test what that does.",
    try_this=[
        (
            "Choose a source letter under “Put all weight on” and press “Set it”.",
            "The decoder writes the letter you made it read, and most often goes on with the one that was due: your "
            "letter is squeezed in.",
        ),
        (
            "Put all weight of step 3 on the brightest cell of its row, “6: i”.",
            "It had 0.76 of the weight, and yet the “t” beside it was written. With all the weight on it, “i” is "
            "written a second time: the little weight on the “t” had told the two apart.",
        ),
        (
            "Choose “a date” and put all weight of step 0 on any character. Then do the same with step 3.",
            "At step 0 it writes 1 wherever you send it, with one exception: it has learned that years begin with 19 "
            "or 20. The last digit of the year, at step 3, changes with almost every character.",
        ),
    ],
    code=(align, AdditiveAttention.forward),
)
def override() -> Shown | None:
    """The editable matrix, the answer before and after, and the probabilities of the edited step."""
    name = controls.segmented("over_task", "Task", list(TASKS), "reversal", labels=TASKS)
    opened = open_text(name, "over")
    if opened is None:
        return None
    before = opened.write()
    content = content_key(name, *map(str, opened.ids))[:12]
    if picks.has_changed("over.text", content):
        picks.remember("over_row", None)
    _take_clicks(content, len(before.written))
    row = _kept(len(before.written), len(opened.ids))
    step = _ask(opened, before, row)
    after = before if row is None else opened.write(row=row)
    sides = pair("over-answers")
    with sides[0]:
        tell_answer(opened, before, "With its own weights:")
    with sides[1]:
        tell_answer(opened, after, "With your row:" if row else "No row is set yet:")
    at = min(step, len(after.written) - 1)
    trained = live.current(opened.task.live)
    badge = None if trained is None else badges.of_live(
        trained, opened.model, "decoder.attn.weights", ("row", "column"), before.weights,
        "the decoder trained in this room", source=list(opened.ids), target_in=before.fed.tolist(),
    )  # fmt: skip
    widgets.matrix(
        after.weights,
        rows=opened.task.tokens(after.written.tolist()),
        columns=opened.source,
        row_title="writes",
        column_title="reads",
        truth=ring(opened, len(after.written)) if name == "reversal" else None,
        truth_title="the letter to be written",
        key=picks.key("over.cell", content),
        edited_row=None if row is None else row[0],
        selected=(at, int(after.weights[at].argmax())),
        editable=True,
        height=420,
        label="Weights of the source; set the row of the chosen step below",
        badge=badge if badge is None or row is None else badge.edited(),
    )
    st.markdown(_in_words(opened, before, after, row, step))
    if step < len(after.written):
        p_before, p_after = before.probabilities[step], after.probabilities[step]
        shown = top_of_either(p_before, p_after)
        st.vega_lite_chart(
            before_after(opened.task.tokens(shown), p_before[shown], p_after[shown], mode=color_mode()),
            alt=f"Probabilities of output token {step} before and after.",
            key="over-bars",
        )
    return Shown(
        numbers=lambda: weights_table(before, after, step, opened.source),
        script=lambda: _script(opened, row, step),
        arrays={"weights_before": before.weights, "weights_after": after.weights,
                "probabilities_before": before.probabilities, "probabilities_after": after.probabilities},
    )  # fmt: skip


def _script(opened: Opened, row: Row | None, step: int) -> str:
    return scripts.script(
        """
        from $package import $data
        from core.data.csv_table import print_table
        from core.rooms.seq2seq.compute.alignment import align, weights_table
        $imports

        $model
        source = $source
        how = {"start_id": $data.START, "end_id": $data.END, "max_new_tokens": $most}
        before = align(model, $data.encode("".join(source)), **how)
        # Step -> the weights that stand in place of the model's own; the decoder goes on from there.
        after = align(model, $data.encode("".join(source)), rows=$rows, **how)
        print_table(weights_table(before, after, $step, source))
        """,
        **opened.model_in_script(),
        **opened.text_in_script(),
        rows=None if row is None else {row[0]: list(row[1])},
        step=step,
    )


def _take_clicks(content: str, n_step: int) -> None:
    """What was clicked or applied in the matrix since the last run."""
    if picks.was_cleared("over.cell", content, "edit"):
        picks.remember("over_row", None)
    edit = picks.news("over.cell", content, "edit")
    if edit is not None:
        keep(edit["row"], tuple(edit["weights"]))
    at = edit or picks.news("over.cell", content)
    if at is not None and at["row"] < n_step:
        controls.put("over_step", at["row"])


def _ask(opened: Opened, before: Alignment, row: Row | None) -> int:
    """Which step, and the buttons that set its row without a mouse."""
    last, n = len(before.written) - 1, len(opened.ids)
    left, right = st.columns(2, gap="medium", vertical_alignment="bottom")
    with left:
        start = row[0] if row else min(3, last)
        step = int(controls.slider("over_step", "Step (output token)", 0, last, start, step=1))
    with right:
        names = {i: f"{i}: {'·' if sign == ' ' else sign}" for i, sign in enumerate(opened.source)}
        source = controls.select("over_source", "Put all weight on", list(names), 0, labels=names)
    with st.container(horizontal=True):
        one_hot = tuple(float(i == source) for i in range(n))
        st.button("Set it", key="over-set", type="primary", on_click=keep, args=(step, one_hot))
        st.button("Evenly", key="over-even", on_click=keep, args=(step, (1 / n,) * n))
        st.button(
            "Undo", key="over-undo", icon=":material/undo:", on_click=picks.remember, args=("over_row", None),
            disabled=row is None,
        )  # fmt: skip
    return step


def keep(step: int, weights: tuple[float, ...]) -> None:
    """Put the row into the address, where a link finds it again."""
    picks.remember("over_row", f"{step}:{','.join(f'{weight:.4g}' for weight in weights)}")


def _kept(n_step: int, n_source: int) -> Row | None:
    """The row that the address holds, as shares of 1; None, after plain words, if it is none."""
    text = picks.remembered("over_row")
    if text is None:
        return None
    found = _ROW.fullmatch(text[:500])
    try:
        weights = tuple(float(part) for part in found[2].split(",")) if found else ()
    except ValueError:
        weights = ()
    if found is None or len(weights) != n_source or int(found[1]) >= n_step or not all(0 <= w <= 1 for w in weights):
        st.warning("The row of weights in the address does not fit this text, so it isn't used.")
        return None
    total = sum(weights)
    if not total > 0:
        st.warning("A row needs at least one weight above 0, or there's nothing to read. Yours isn't used.")
        return None
    if abs(total - 1) > 1e-2:
        st.caption(f"Your weights summed to {total:.2f}, so each was divided by that.")
    return int(found[1]), tuple(weight / total for weight in weights)


def _in_words(opened: Opened, before: Alignment, after: Alignment, row: Row | None, step: int) -> str:
    """What the edit changed."""
    was, now = before.written.tolist(), after.written.tolist()
    if row is None:
        return f"**The output token of step {step}, before and after.** Nothing is set: both are the same."
    changed = [t for t in range(max(len(was), len(now))) if was[t : t + 1] != now[t : t + 1]]
    later = [t for t in changed if t > row[0]]
    effect = (
        "No output token changes."
        if not changed
        else f"Output tokens that change: {', '.join(map(str, changed))}."
        + (" After the edited step it recovers." if not later else "")
    )
    top = int(np.argmax(row[1]))
    told = f"Step {row[0]} puts {row[1][top]:.0%} on “{escape_markdown(opened.source[top])}” ({top}). {effect}"
    if step >= len(now):
        return f"{told} With your row, the answer ends before step {step}."
    name = [escape_markdown(one) for one in opened.task.tokens([was[step], now[step]])]
    shares = before.probabilities[step].max(), after.probabilities[step].max()
    return (
        f"{told}\n\n**The output token of step {step}**: “{name[0]}” with {shares[0]:.1%} before, “{name[1]}” with "
        f"{shares[1]:.1%} after."
    )
