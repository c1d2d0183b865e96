"""One of my runs: look at it, train it again, rename it, take it home, throw it away."""

import io
import zipfile

import streamlit as st

from core.browser.weights import offer
from core.data.files import safe_name
from core.inspect.reading.model_and_text import predicts
from core.inspect.reading.model_key import ModelKey, ModelUnreadable
from core.jobs.runs import NAME_LENGTH, RunInfo, RunNotFound
from core.rooms.studio.chosen_run import is_mine, look_at, rebuild, start
from core.ui import state
from core.ui.models.model_folders import run_key
from core.ui.models.model_page import model_page
from core.ui.server.identity.owner import owner_id
from core.ui.text import escape_markdown
from core.ui.training.choices import in_words
from core.ui.training.runs import store
from core.ui.training.text_facts import title_of

FILES = ("config.json", "model.safetensors", "tokenizer.json", "recipe.json")
CHOSEN = "studio-chosen"  # the key of the runs that are chosen


def draw(run: RunInfo) -> None:
    """What can be done with it."""
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
    st.session_state[CHOSEN] = []
    look_at(None if st.query_params.get("run") == run_id else st.query_params.get("run"))
