"""Forms to bring a model (an upload, a local folder, a download by name) and to remove it again."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st
import torch
from safetensors.torch import save
from torch import Tensor

from core import ui
from core.browser.message_packing import pack_message
from core.data.download import DownloadFailed
from core.data.files import megabytes
from core.data.localization.labels import module_labels
from core.models import pretrained
from core.models.imports import tensor_plan
from core.models.imports.decoders import gpt2
from core.rooms.pretrained.compute import hub
from core.rooms.pretrained.model_choice import CHOICE_KEY
from core.ui import state
from core.ui.controls import controls
from core.ui.models.model_file_checks import MAX_NAME, MAX_PATH, OpeningRefused, model_folder_at
from core.ui.models.model_folders import (
    DEFAULT_MODEL,
    kind_in_folder,
    model_id_from_link,
    opened_model_store,
    shipped_model_folder,
)
from core.ui.models.picker import TITLES
from core.ui.models.upload_drafts import UploadDrafts
from core.ui.models.upload_limits import upload_limits
from core.ui.models.user_models import KEPT_DAYS, OpenedModel, OpenedModelNotFound
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.server.identity.visitor import is_own_machine
from core.ui.text_formatting import escape_markdown
from core.ui.widgets.mount import index_or_none, widget_component

LABELS = module_labels(__name__)


def _transposed(x: Tensor) -> Tensor:
    return x.T if x.ndim == 2 else x


# Our names to theirs.
GPT2_NAMES: Mapping[tensor_plan.TensorLayoutConversion, Callable[[list[Tensor]], Tensor]] = {
    tensor_plan.SAME: lambda ours: ours[0],
    tensor_plan.TRANSPOSED: lambda ours: _transposed(ours[0]),
    tensor_plan.THIRDS: lambda ours: torch.cat([_transposed(one) for one in ours], -1),
}


def export_gpt2(folder: Path) -> dict[str, bytes]:
    """Return the files of one of our model folders as a GPT-2's: config, weights, tokenizer and training record.

    Raises:
        ValueError: if GPT-2 has no name for one of the model's parts.
    """
    found = pretrained.load(folder)
    state = dict(found.model.named_parameters())
    places = tensor_plan.tensor_placements(gpt2.BODY, found.model)
    if {name for place in places.values() for name in place.ours} != set(state):
        raise ValueError(LABELS["no_gpt2_names"])
    weights = {
        name if name.startswith("lm_head") else f"{gpt2.FAMILY.prefix}{name}": GPT2_NAMES[place.layout](
            [state[one].detach() for one in place.ours]
        ).contiguous()
        for name, place in places.items()
    }
    files = {"config.json": json.dumps(_config(found.config)).encode(), "model.safetensors": save(weights)}
    return files | {name: (folder / name).read_bytes() for name in ("tokenizer.json", "recipe.json")}


def _config(ours: Any) -> dict[str, object]:
    return {
        "model_type": "gpt2",
        "vocab_size": ours.vocab_size,
        "n_positions": ours.context_length,
        "n_layer": ours.n_layer,
        "n_head": ours.n_head,
        "n_embd": ours.d_model,
        "n_inner": ours.d_ff,
        "activation_function": ours.block.activation,
        "layer_norm_epsilon": ours.block.eps or 1e-5,
        "tie_word_embeddings": ours.tied,
    }


MAX_UPLOAD_FILES = 10_000  # files that a browser may announce


class UploadStatus(NamedTuple):
    """The files selected in the browser: the number still to come, and the number that failed."""

    coming: int
    failed: int


def draw_file_field(here: Mapping[str, int], *, key: str, turn: int) -> UploadStatus:
    """Draw the field.

    Args:
        here: files received so far, name -> bytes.
        turn: a new number starts a new list.
    """
    header = {"here": [[name, n_byte] for name, n_byte in here.items()], "turn": turn}
    # Not with `mount`: an exhibit's exported web page has no server to receive files.
    field = widget_component("file_field", height=150)(
        key=key, data=pack_message(header, {}), on_sending_change=_ignore
    )
    said = getattr(field, "sending", None)
    parts = said if isinstance(said, Mapping) else {}
    return UploadStatus(
        index_or_none(parts.get("coming"), MAX_UPLOAD_FILES) or 0,
        index_or_none(parts.get("failed"), MAX_UPLOAD_FILES) or 0,
    )


def _ignore() -> None:
    """Do nothing: a component's state exists only if it has a callback."""


EXAMPLE_TITLE = LABELS["example_name"]


def example_form() -> None:
    """Open one of our models in the format of a third-party checkpoint."""
    ui.show_text_section("example")
    if st.button(LABELS["open"], key="opened-example", type="primary", icon=":material/folder_open:"):
        _open(
            lambda: opened_model_store().add_files(
                owner_id(), EXAMPLE_TITLE, export_gpt2(shipped_model_folder(DEFAULT_MODEL)), pretrained.load
            )
        )


def upload_form() -> None:
    """Upload files from the learner's machine."""
    may = upload_limits(is_own_machine())
    drafts = UploadDrafts(opened_model_store(), may)
    days = 0 if is_own_machine() else KEPT_DAYS
    ui.show_text_section("upload", most=megabytes(may.file), kept=megabytes(may.owner), days=days)
    sending = draw_file_field(drafts.files(owner_id()), key=f"opened-files-{_round()}", turn=_round())
    left, right = st.columns([4, 1], gap="medium", vertical_alignment="bottom")
    name = left.text_input(
        LABELS["name"], key=f"opened-name-{_round()}", max_chars=MAX_NAME, placeholder=LABELS["name_placeholder"]
    )
    if right.button(LABELS["open"], key="opened-upload", type="primary", icon=":material/folder_open:"):
        state.set_session_slot("opened.wished", True)
    if not state.session_slot("opened.wished", bool):
        return
    if sending.coming:
        st.caption(LABELS["opens_later"])
        return
    state.set_session_slot("opened.wished", False)
    if sending.failed:
        _put_notice("refused", LABELS["not_complete"])
        return
    owner = owner_id()
    _open(lambda: drafts.open(owner, name or _own_name(drafts.folder(owner)), pretrained.load))


def folder_form() -> None:
    """Open a local folder, which is remembered by its path."""
    if not is_own_machine():
        ui.show_text_section("no-folder")
        return
    ui.show_text_section("folder")
    left, right = st.columns([4, 1], gap="medium", vertical_alignment="bottom")
    path = left.text_input(LABELS["path"], key="opened-path", max_chars=MAX_PATH, placeholder="/home/anna/models/gpt2")
    _say_memory(path)
    if right.button(LABELS["open"], key="opened-folder", type="primary", icon=":material/folder_open:"):
        _open(lambda: opened_model_store().add_folder(owner_id(), path, pretrained.load))


def _say_memory(path: str) -> None:
    """Show the memory that a valid folder will take before it is opened."""
    with suppress(OpeningRefused, pretrained.ImportRefused, OSError):  # the reason is shown when it is opened
        needed, free = pretrained.memory_needed(model_folder_at(path)), pretrained.available_memory()
        ui.show_text_section(
            "memory", needed=megabytes(needed), free=megabytes(free), fits=needed <= free - pretrained.RESERVED_BYTES
        )


def download_form() -> None:
    """Download by name from the Hugging Face hub: first show the offer, then fetch the files on request."""
    if not is_own_machine():
        ui.show_text_section("no-hub")
        return
    ui.show_text_section("hub", host=hub.HUB_HOST)
    left, right = st.columns([4, 1], gap="medium", vertical_alignment="bottom")
    name = left.text_input(
        LABELS["hub_name"], key="opened-hub", max_chars=200, placeholder="openai-community/gpt2"
    ).strip()
    if right.button(LABELS["look_up"], key="opened-ask", icon=":material/search:"):
        _look_up(name)
    offer: hub.DownloadOffer | None = state.session_slot("opened.offer", lambda: None)
    if offer is None or offer.name != name:
        return
    size, files = megabytes(offer.n_byte), [f"{file.name} ({megabytes(file.n_byte)})" for file in offer.files]
    ui.show_text_section("offer", name=name, files=", ".join(files), size=size)
    if st.button(LABELS("download", size=size), key="opened-fetch", type="primary", icon=":material/download:"):
        bar, fetched = st.progress(0, LABELS["downloading"]), [0]

        def tell_share(n_byte: int, of: int) -> None:
            if (share := 100 * n_byte // max(of, 1)) > fetched[-1]:  # a few times a second
                fetched.append(share)
                bar.progress(share, LABELS("downloading_share", share=share))

        def fetch(folder: Path) -> object:
            return hub.download_model(offer, folder, tell_share)

        _open(
            lambda: opened_model_store().add_download(owner_id(), name, offer.n_byte, fetch, pretrained.load),
            words=LABELS["reading_later"],
        )
        bar.empty()


def _look_up(name: str) -> None:
    """Look the name up on the hub."""
    state.set_session_slot("opened.offer", None)
    try:
        with st.spinner(LABELS["asking"], show_time=True):
            state.set_session_slot("opened.offer", hub.look_up_model(name))
    except DownloadFailed as refusal:
        _put_notice("refused", str(refusal))


def _open(take: Callable[[], OpenedModel], words: str = LABELS["reading"]) -> None:
    """Open a model and select it, or show the reason; typed and uploaded input is kept."""
    try:
        with st.spinner(words, show_time=True):
            opened = take()
    except (OpeningRefused, DownloadFailed, pretrained.ImportRefused, OSError) as refusal:
        _put_notice("refused", refusal_text(refusal))
    else:
        state.set_session_slot("opened.round", _round() + 1)
        why_fixed = controls.lock_reason("model")
        where = LABELS["selected_above"] if why_fixed is None else LABELS.options("model_fixed")[why_fixed]
        state.set_session_slot(CHOICE_KEY, opened.id)
        family = TITLES.get(kind_in_folder(opened.folder) or "", LABELS["a_model"])
        _put_notice("taken", LABELS("opened", name=opened.name, family=family, where=where))
        st.rerun()


def refusal_text(refusal: Exception) -> str:
    """Format the reason for a refusal as the page shows it."""
    if isinstance(refusal, pretrained.ImportRefused):
        return LABELS("cannot_open" if refusal.is_sentence else "cannot_open_because", refusal=refusal)
    if isinstance(refusal, OSError) and not isinstance(refusal, DownloadFailed):
        return LABELS["disk_error"]
    return str(refusal)


def _put_notice(kind: str, words: str) -> None:
    """Store a message to show once: kind is "taken" or "refused"."""
    state.set_session_slot("opened.said", (kind, words))


def show_notice() -> None:
    """Show the outcome of the last request once."""
    kind, said = state.session_slot("opened.said", lambda: ("", ""))
    state.clear_session_slot("opened.said")
    if kind == "taken":
        st.success(escape_markdown(said), icon=":material/check:")
    if kind == "refused":
        st.error(escape_markdown(said), icon=":material/block:")


def list_own_models() -> None:
    """List the learner's opened models with their sizes and a button to remove each."""
    mine = opened_model_store().list_models(owner_id())
    if not mine:
        return
    st.markdown(LABELS["opened_models"])
    left, right = st.columns([4, 1], gap="medium", vertical_alignment="bottom")
    by_id = {one.id: one for one in mine}
    chosen = left.selectbox(
        LABELS["yours"],
        list(by_id),
        format_func=lambda id: _label(by_id[id]) if id in by_id else str(id),
        key="opened-mine",
        label_visibility="collapsed",
    )
    one = by_id.get(str(chosen))
    if one is None:
        return
    # One for each model, so that it closes with the model; otherwise a second click would remove the next one.
    with right, st.popover(LABELS["remove_menu"], icon=":material/delete:", key=f"opened-remove-{one.id}"):
        st.markdown(ui.section_text("remove", name=one.name, origin=one.origin))
        if st.button(LABELS["remove"], type="primary", key="opened-remove"):
            _remove(one.id)
            st.rerun()  # the whole page, because the list above also shows the model


def _remove(id: str) -> None:
    try:
        opened_model_store().remove(id, owner_id())
    except (OpenedModelNotFound, OSError):
        _put_notice("refused", LABELS["not_removed"])
        return
    _put_notice("taken", LABELS["removed"])
    if model_id_from_link(str(st.session_state.get("model", ""))) == id:
        state.set_session_slot(CHOICE_KEY, DEFAULT_MODEL)


def _label(one: OpenedModel) -> str:
    where = {"upload": LABELS["own.upload"], "folder": LABELS["own.folder"], "hub": LABELS["own.hub"]}[one.origin]
    size = f", {megabytes(one.n_byte)}" if one.n_byte else ""
    return f"{one.name} ({where}{size})"


def _own_name(folder: Path) -> str:
    """Return the model's name in its config, or its type."""
    try:
        with (folder / "config.json").open("rb") as file:
            values = json.loads(file.read(1_000_000))
        return str(values.get("_name_or_path") or values.get("model_type") or values.get("kind") or LABELS["my_model"])
    except (OSError, ValueError, AttributeError, RecursionError):
        return LABELS["my_model"]


def _round() -> int:
    """Count the finished uploads, so that the next one starts with empty fields."""
    return state.session_slot("opened.round", int)
