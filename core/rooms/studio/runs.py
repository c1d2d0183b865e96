"""My runs: look back, compare, rename, take home, throw away, train again."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from core import inputs, ui
from core.cache import content_key
from core.charts import curves
from core.data.files import safe_name
from core.inputs import custom, segmented
from core.inspect.reading.model_and_text import predicts
from core.inspect.reading.model_key import ModelKey, ModelUnreadable
from core.jobs.runs import NAME_LENGTH, RunInfo, RunNotFound
from core.rooms.studio import compared
from core.rooms.studio.chosen_run import follow, is_mine, look_at, rebuild, start, state_in_words
from core.rooms.studio.facts import last_losses, points_of
from core.ui import state
from core.ui.controls import picks
from core.ui.models.model_folders import run_key
from core.ui.server.owner import owner_id
from core.ui.server.weights import offer
from core.ui.text import duration, escape_markdown
from core.ui.training.choices import in_words
from core.ui.training.runs import store
from core.ui.training.text_facts import title_of
from core.ui.web_page.model_page import model_page

MAX_LISTED = 100  # the newest ones
MAX_COMPARED = 8  # as many colors and dashes as eyes tell apart
FILES = ("config.json", "model.safetensors", "tokenizer.json", "recipe.json")
_KEY = "studio-chosen"


FOLLOWS = True


class Inputs(inputs.Inputs):
    """This browser's runs, and the chosen ones."""

    listed: tuple[RunInfo, ...] = custom("core.rooms.studio.runs:list_runs", ())
    chosen: tuple[RunInfo, ...] = custom("core.rooms.studio.runs:choose", (), listed=lambda i: i.listed)
    by: str = segmented(
        "Validation loss by",
        ("steps", "seconds"),
        "steps",
        name="axis",
        when=lambda i: len(i.chosen) > 1,
        help="Seconds are steps at each run's average speed.",
    )


@dataclass(frozen=True)
class Runs:
    """All runs that are listed, or the curves of several."""

    listed: tuple[RunInfo, ...]
    curves: tuple[curves.Curve, ...]
    by: str

    def table(self) -> dict[str, list[Any]]:
        """One line for each run, or for each point of the curves."""
        if not self.curves:
            return _table(self.listed)
        rows = [(one.label, x, y) for one in self.curves for x, y in zip(one.x, one.y, strict=True)]
        names = ("run", self.by, "validation loss")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def compute(inputs: Inputs) -> Runs:
    """The validation losses of the chosen runs, if there are several."""
    chosen = inputs.chosen if len(inputs.chosen) > 1 else ()
    return Runs(inputs.listed, tuple(_curve(run, inputs.by) for run in chosen), inputs.by)


def _curve(run: RunInfo, by: str) -> curves.Curve:
    points = [point for point in points_of(run) if point["val_loss"] is not None]
    per_step = run.seconds / run.step if by == "seconds" and run.step else 1.0
    return curves.Curve(_label(run), [point["step"] * per_step for point in points], [p["val_loss"] for p in points])


def draw(result: Runs, inputs: Inputs) -> None:
    """What can be done with the chosen ones: one run, or the curves of several."""
    if not result.curves:
        if inputs.chosen:
            _one(inputs.chosen[0])
        return
    if not any(curve.x for curve in result.curves):
        st.caption("These runs have no validation loss yet.")
    spec = curves.compare(
        list(result.curves),
        x_title="step" if inputs.by == "steps" else "seconds of training",
        y_title=ui.measured("validation loss", "nats per token"),
        mode=ui.color_mode(),
    )
    ends = "; ".join(f"{curve.label}: {curve.y[-1]:.3f}" for curve in result.curves if curve.y)
    ui.chart(spec, key="runs-compare", alt=f"Validation losses by {inputs.by}. {ends}.")
    compared.draw(inputs.chosen, [curve.label for curve in result.curves])


def list_runs() -> tuple[RunInfo, ...]:
    """Draw the table of this browser's runs."""
    follow()
    mine = store().list(owner_id())
    listed = tuple(mine[:MAX_LISTED])
    if len(mine) > MAX_LISTED:
        st.caption(f"The newest {MAX_LISTED} of {len(mine)} runs.")
    if listed:
        _draw_table(_table(listed), [run.id for run in listed])
    elif "compare" not in st.query_params:
        st.caption("None yet. Every run you train here is kept, so you can compare them.")
    return listed


def _table(listed: Sequence[RunInfo]) -> dict[str, list[Any]]:
    losses = [last_losses(run) for run in listed]
    return {
        "Name": [run.name for run in listed],
        "State": [state_in_words(run) for run in listed],
        "Validation loss": [validation for _, validation in losses],
        "Training loss": [loss for loss, _ in losses],
        "Steps": [f"{run.step:,} of {run.n_step:,}" for run in listed],
        "Time": [duration(run.seconds) for run in listed],
        "Text": [title_of(str(run.recipe.get("corpus", ""))) for run in listed],
        "Parameters": [run.n_parameter for run in listed],
        "Seed": [run.seed for run in listed],
        "Started (UTC)": [datetime.fromtimestamp(run.created, UTC).strftime("%Y-%m-%d %H:%M") for run in listed],
    }


def _draw_table(table: dict[str, list[Any]], ids: list[str]) -> None:
    import pandas as pd

    state.put("studio.listed", ids)
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(table),
        key=table_key(ids),  # other rows: an old click on a row would mean another run
        hide_index=True,
        on_select=take_rows,
        selection_mode="multi-row",
        height=min(37 + 35 * len(ids), 320),
        column_config={
            "Validation loss": number(format="%.3f"),
            "Training loss": number(format="%.3f"),
            "Parameters": number(format="localized"),
            "Steps": st.column_config.TextColumn(width=110),
            "Time": st.column_config.TextColumn(width=90),
        },
    )


def table_key(ids: Sequence[str]) -> str:
    """The key of the table that lists these runs."""
    return f"studio-table-{content_key(*ids)[:12]}"


def take_rows() -> None:
    """A click on rows chooses their runs; `studio.listed` is the list as it stood on the screen."""
    ids: list[str] = state.slot("studio.listed", list)
    held = st.session_state.get(table_key(ids))
    rows = held["selection"]["rows"] if held else []
    st.session_state[_KEY] = [ids[row] for row in rows if 0 <= row < len(ids)][:MAX_COMPARED]
    _remember()


def _remember() -> None:
    chosen = st.session_state.get(_KEY) or []
    picks.remember("compare", ",".join(chosen) if len(chosen) > 1 else None)


def choose(listed: Sequence[RunInfo]) -> tuple[RunInfo, ...]:
    """Ask for some of these runs; a link may bring runs of others to compare with."""
    if not listed and "compare" not in st.query_params:
        return ()
    known = {run.id: run for run in listed}
    linked = st.query_params.get("compare", "")[:200].split(",")[:MAX_COMPARED]
    for run_id in linked:
        if run_id and run_id not in known:
            try:
                known[run_id] = store().get(run_id)
            except RunNotFound:
                continue
    if _KEY not in st.session_state:
        st.session_state[_KEY] = [run_id for run_id in linked if run_id in known]
    st.session_state[_KEY] = [run_id for run_id in st.session_state[_KEY] if run_id in known]
    ids: list[str] = st.multiselect(
        "Choose one run, or several to compare",
        list(known),
        key=_KEY,
        format_func=lambda run_id: _label(known[run_id]) if run_id in known else run_id,
        max_selections=MAX_COMPARED,
        on_change=_remember,
        placeholder="Click rows above, or choose here",
    )
    return tuple(known[run_id] for run_id in ids)


def _label(run: RunInfo) -> str:
    return f"seed {run.seed} · {run.name} · {run.id[:4]}"  # what tells twins apart comes first


def _one(run: RunInfo) -> None:
    st.caption(escape_markdown(in_words(run.recipe, title_of(str(run.recipe.get("corpus", ""))))))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button("Look at it", icon=":material/visibility:", key="runs-look", on_click=_look, args=(run.id,))
        st.button(
            "Same seed again",
            icon=":material/replay:",
            key="runs-again",
            help="Same settings, same seed: the same curve, bit for bit.",
            on_click=_again,
            args=(run, run.seed),
        )
        st.button(
            "Another seed",
            icon=":material/casino:",
            key="runs-reseed",
            help="How much was luck?",
            on_click=_again,
            args=(run, run.seed + 1),
        )
        _downloads(run)
    if is_mine(run):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.text_input(
                "Name",
                run.name,
                key=f"runs-name-{run.id}",
                max_chars=NAME_LENGTH,
                on_change=_rename,
                args=(run.id,),
                width=360,
            )
            with st.popover("Delete …", icon=":material/delete:"):
                st.markdown(f"Delete **{escape_markdown(run.name)}** with its weights and its film, for good?")
                st.button("Delete for good", type="primary", key="runs-delete", on_click=_delete, args=(run.id,))


def _look(run_id: str) -> None:
    look_at(run_id)
    st.toast("You'll find it at the top of the page.", icon=":material/arrow_upward:")


def _again(run: RunInfo, seed: int) -> None:
    start(run.recipe, seed, run.name)
    st.toast("You'll find it at the top of the page.", icon=":material/arrow_upward:")


def _downloads(run: RunInfo) -> None:
    folder = store().folder(run.id)
    if not (folder / "model.safetensors").is_file():
        st.caption("No checkpoint to download yet.", width="content")
        return
    name = safe_name(run.name)
    st.download_button(
        "Weights",
        lambda: (folder / "model.safetensors").read_bytes(),
        f"{name}.safetensors",
        "application/octet-stream",
        icon=":material/download:",
        key="runs-weights",
        on_click="ignore",
    )
    if (key := _runs_alone(run)) is not None:
        st.download_button(
            "Web page",
            lambda: model_page(key, run.name).encode(),
            f"{name}.html",
            "text/html",
            icon=":material/map:",
            key="runs-page",
            help="The model itself in one file: type, play and change it without this server.",
            on_click="ignore",
        )
    st.download_button(
        "Everything (zip)",
        lambda: zipped(run.id),
        f"{name}.zip",
        "application/zip",
        icon=":material/folder_zip:",
        key="runs-zip",
        help="Weights, config, tokenizer and recipe: all that another program needs.",
        on_click="ignore",
    )


def _runs_alone(run: RunInfo) -> ModelKey | None:
    """The run's model, if a browser can run it without a server."""
    try:
        key = run_key(run.id)
        return key if offer(key) is not None and predicts(key) == "next" else None
    except ModelUnreadable:
        return None


def zipped(run_id: str) -> bytes:
    """The run's model folder as a ZIP file. Raises RunNotFound."""
    folder = store().folder(run_id)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in FILES:
            if (folder / name).is_file():
                archive.writestr(name, (folder / name).read_bytes())
    return buffer.getvalue()


def _rename(run_id: str) -> None:
    wished = st.session_state.get(f"runs-name-{run_id}")
    try:
        store().rename(run_id, owner_id(), wished if isinstance(wished, str) else "")
    except RunNotFound as refusal:
        state.put("studio.problem", str(refusal))
    rebuild()


def _delete(run_id: str) -> None:
    try:
        store().delete(run_id, owner_id())
    except RunNotFound as refusal:
        state.put("studio.problem", str(refusal))
    st.session_state[_KEY] = []
    look_at(None if st.query_params.get("run") == run_id else st.query_params.get("run"))
