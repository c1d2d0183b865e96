"""Actions for one of my runs: look at it, train it again, rename it, download it, delete it."""

import io
import zipfile
from collections.abc import Callable

import streamlit as st

from core.browser.weights import offer_weights
from core.data.files import safe_name
from core.data.localization.labels import module_labels
from core.inspect.model_inputs.model_and_text import model_prediction_kind
from core.inspect.model_inputs.model_key import ModelKey, ModelUnreadable
from core.jobs.runs import NAME_LENGTH, RunInfo
from core.rooms.studio.selected_run import RUN_PAGE, is_mine, start_run
from core.ui.models.model_folders import run_model_key
from core.ui.models.standalone_model_map import model_page_html
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.text_formatting import escape_markdown
from core.ui.training.choices_to_recipe import recipe_in_words
from core.ui.training.run_storage import run_store
from core.ui.training.text_facts import corpus_or_task_title
from core.ui.training.training_run_page import delete_button, point_to_top

LABELS = module_labels(__name__)

DOWNLOAD_FILES = ("config.json", "model.safetensors", "tokenizer.json", "recipe.json")
SELECTED_KEY = "studio-chosen"  # key of the selected runs


def draw(run: RunInfo) -> None:
    """Draw all actions for a run."""
    st.caption(escape_markdown(recipe_in_words(run.recipe, corpus_or_task_title(str(run.recipe.get("corpus", ""))))))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button(LABELS["look"], icon=":material/visibility:", key="runs-look", on_click=_look, args=(run.id,))
        st.button(
            LABELS["again"],
            icon=":material/replay:",
            key="runs-again",
            help=LABELS["again.help"],
            on_click=_again,
            args=(run, run.seed),
        )
        st.button(
            LABELS["reseed"],
            icon=":material/casino:",
            key="runs-reseed",
            help=LABELS["reseed.help"],
            on_click=_again,
            args=(run, run.seed + 1),
        )
        _downloads(run)
    if is_mine(run):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.text_input(
                LABELS["name"],
                run.name,
                key=f"runs-name-{run.id}",
                max_chars=NAME_LENGTH,
                on_change=_rename,
                args=(run.id,),
                width=360,
            )
            warning = LABELS("delete", name=escape_markdown(run.name))
            delete_button(warning, "runs-delete", _delete, run.id)


def _look(run_id: str) -> None:
    RUN_PAGE.show(run_id)
    point_to_top()


def _again(run: RunInfo, seed: int) -> None:
    start_run(run.recipe, seed, run.name)
    point_to_top()


def _downloads(run: RunInfo) -> None:
    folder = run_store().folder(run.id)
    if not (folder / "model.safetensors").is_file():
        st.caption(LABELS["no_checkpoint"], width="content")
        return
    name = safe_name(run.name)

    def button(label: str, make: Callable[[], bytes], ending: str, mime: str, icon: str, help: str | None) -> None:
        key = f"runs-{ending}"
        st.download_button(label, make, f"{name}.{ending}", mime, icon=icon, key=key, help=help, on_click="ignore")

    weights = (folder / "model.safetensors").read_bytes
    button(LABELS["weights"], weights, "safetensors", "application/octet-stream", ":material/download:", None)
    if (key := _runs_alone(run)) is not None:
        help = LABELS["page.help"]
        button(
            LABELS["page"], lambda: model_page_html(key, run.name).encode(), "html", "text/html", ":material/map:", help
        )
    help = LABELS["everything.help"]
    button(LABELS["everything"], lambda: zip_model(run.id), "zip", "application/zip", ":material/folder_zip:", help)


def _runs_alone(run: RunInfo) -> ModelKey | None:
    """Return the run's model if a browser can run it without a server."""
    try:
        key = run_model_key(run.id)
        return key if offer_weights(key) is not None and model_prediction_kind(key) == "next" else None
    except ModelUnreadable:
        return None


def zip_model(run_id: str) -> bytes:
    """Return the run's model folder as a ZIP file. Raises RunNotFound."""
    folder = run_store().folder(run_id)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in DOWNLOAD_FILES:
            if (folder / name).is_file():
                archive.writestr(name, (folder / name).read_bytes())
    return buffer.getvalue()


def _rename(run_id: str) -> None:
    wished = st.session_state.get(f"runs-name-{run_id}")
    RUN_PAGE.attempt(run_store().rename, run_id, owner_id(), wished if isinstance(wished, str) else "")


def _delete(run_id: str) -> None:
    RUN_PAGE.attempt(run_store().delete, run_id, owner_id())
    st.session_state[SELECTED_KEY] = []
    RUN_PAGE.show(None if st.query_params.get("run") == run_id else st.query_params.get("run"))
