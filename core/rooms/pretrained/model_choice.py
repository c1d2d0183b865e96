"""Select one of the available models, link to rooms that can show it, and ask for a text to try it with."""

from pathlib import Path
from typing import NamedTuple

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from core import exhibit
from core.data.files import megabytes
from core.data.localization.labels import module_labels
from core.exhibit import content_key
from core.inspect.model_inputs.model_and_text import ModelAndText, encode_text, load_any_model
from core.inspect.model_inputs.model_key import READER_KINDS, WRITER_KINDS, ModelKey, ModelUnreadable
from core.models.imports.model_folder_reader import ModelFolder
from core.rooms import rooms
from core.rooms.pretrained.inputs import model_kind, reads_text
from core.ui import state
from core.ui.controls import controls
from core.ui.exhibit.pane_and_rail import inputs_bar
from core.ui.frame import depth
from core.ui.models import model_folders as places
from core.ui.models.model_description import describe_layers_and_heads, describe_model
from core.ui.models.pick_inputs import control_name_for_corpus
from core.ui.models.picker import TITLES, model_picker
from core.ui.models.text_notes import model_spinner, show_text_notes
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.text_formatting import escape_markdown
from core.ui.training.run_storage import data_folder, run_store

LABELS = module_labels(__name__)

CHOICE_KEY = "opened.choice"  # the model to select in the next run: the list comes before the forms that open a model
MOST_LINES = 40  # lines of the overview
ORIGINS = {
    "upload": LABELS["origin.upload"],
    "folder": LABELS["origin.folder"],
    "hub": LABELS["origin.hub"],
}


class RoomLink(NamedTuple):
    """A page that shows certain kinds of models."""

    page: str  # its file, as in the navigation table
    kinds: tuple[str, ...]  # the kinds that it shows
    control: str = "model"  # key of its model list
    more: tuple[tuple[str, str], ...] = ()  # more of its address, so that it opens with the model


ROOM_LINKS = (
    RoomLink("pages/attention/heads.py", READER_KINDS),
    RoomLink("pages/attention/embeddings.py", READER_KINDS),
    RoomLink("pages/attention/masks.py", READER_KINDS),
    RoomLink("pages/attention/positions.py", READER_KINDS, "positions_model"),
    RoomLink("pages/attention/block.py", READER_KINDS),
    RoomLink("pages/attention/tokens.py", (*READER_KINDS, "rnn")),
    RoomLink("pages/families/decoder.py", ("gpt",)),
    RoomLink(
        "pages/families/sizes.py",
        READER_KINDS,
        more=(("size_of", "mine"),),
    ),
    RoomLink("pages/before/recurrent.py", ("rnn",)),
    RoomLink("pages/generate/next_token.py", WRITER_KINDS),
    RoomLink("pages/generate/strategies.py", WRITER_KINDS),
    RoomLink("pages/generate/beam.py", ("gpt",)),
    RoomLink("pages/generate/cache.py", ("gpt",)),
)
NO_ROOM_TEXTS = {
    "vit": LABELS["no_room.vit"],
    "image_gpt": LABELS["no_room.image_gpt"],
    "multiscale": LABELS["no_room.multiscale"],
    "captioner": LABELS["no_room.captioner"],
    "seq2seq": LABELS["no_room.seq2seq"],
}


def choose_model() -> ModelKey | None:
    """Draw the bar: the list of all models, facts about the selected one, and links to other rooms.

    Shows a message and returns None if the model cannot be read.
    """
    if wanted := state.session_slot(CHOICE_KEY, str):
        controls.set_control_silently("model", wanted)
    state.clear_session_slot(CHOICE_KEY)
    with inputs_bar():
        try:
            key = model_picker(kinds=tuple(TITLES))
            if key is None:
                return None
            with model_spinner(key, LABELS["reading"]):
                found = load_any_model(key)
        except ModelUnreadable as refused:
            st.error(LABELS("refused", refused=escape_markdown(refused)), icon=":material/broken_image:")
            return None
        kind, n_weight = model_kind(key), sum(weight.numel() for weight in found.model.parameters())
        with st.popover(":material/info:", type="tertiary", help=LABELS["what_it_is"], key="about-model"):
            if found.tokenizer is not None:
                st.markdown(f"**{escape_markdown(describe_model(key).title)}**")  # the list may truncate it
            st.markdown(
                LABELS(
                    "about_model",
                    kind=TITLES[kind],
                    layers=describe_layers_and_heads(found.config),
                    n_parameter=n_weight,
                )
            )
            if depth.depth_at_least("numbers"):
                _draw_overview()
        fitting = [room for room in ROOM_LINKS if kind in room.kinds]
        if fitting and found.tokenizer is not None:
            with st.popover(LABELS["other_rooms"], key="open-in"):
                for room in fitting:
                    _draw_room_link(room, key.name)
    if untold := ModelFolder(key.folder).left_out:
        st.caption(f":material/hide_image: {untold}")
    if not fitting:
        st.info(NO_ROOM_TEXTS.get(kind, LABELS["no_room.other"]), icon=":material/info:")
    elif found.tokenizer is None:
        st.info(
            LABELS["no_tokenizer"],
            icon=":material/info:",
        )
    return key


def _draw_room_link(room: RoomLink, name: str) -> None:
    """Link to a room that shows the model with this name in addresses."""
    query = {room.control: name} | dict(room.more)
    linked = next(one for one in rooms() if one.page == room.page)
    try:
        st.page_link(room.page, label=linked.title, icon=linked.icon, query_params=query)
    except StreamlitPageNotFoundError:  # the page runs alone, as in a test, so there are no other pages
        st.caption(linked.title)


def _draw_overview() -> None:
    """List all models available to this learner in one table, in the order of the list."""
    data = data_folder()
    found = [
        (title, places.kind_of_shipped(name), LABELS["origin.shipped"], places.shipped_model_folder(name))
        for name, title in places.shipped_model_titles(data).items()
    ]
    found += [
        (run.name, places.kind_of_run(run), LABELS["origin.run"], run_store().folder(run.id))
        for run in places.list_runs_with_checkpoint(owner_id(), data)
    ]
    found += [
        (one.name, places.kind_in_folder(one.folder), ORIGINS[one.origin], one.folder)
        for one in places.list_opened_models()
    ]
    lines = [LABELS["overview_heading"], "|:--|:--|:--|--:|"]
    for title, kind, origin, folder in found[:MOST_LINES]:
        family = escape_markdown(TITLES.get(kind or "", (kind or "")[:40]))
        lines.append(f"| {escape_markdown(title)} | {family} | {origin} | {megabytes(_size(folder))} |")
    st.markdown("\n".join(lines))
    if len(found) > MOST_LINES:
        st.caption(LABELS("first_lines", n_line=MOST_LINES, n_found=len(found)))


def ask_text(key: ModelKey, text: str, most: int) -> ModelAndText | None:
    """Ask for a text; if there is none, show a message and return None.

    Args:
        text: the default, for a T5 that fills gaps; "" uses the model's own.
        most: the most tokens to read.
    """
    if not reads_text(key):
        st.info(LABELS["no_text_input"])
        return None
    model = describe_model(key)
    name = control_name_for_corpus("try_text", model) + (f".{content_key(text)[:6]}" if text else "")
    typed = controls.render_control(
        exhibit.text_area(text or model.sample, height=80, name=name, label=LABELS["your_text"])
    )
    encoded = encode_text(key, typed, most)
    show_text_notes(encoded, key, name, typed)
    if not encoded.ids:
        st.info(LABELS["empty_text"])
        return None
    return ModelAndText(key, encoded)


def _size(folder: Path) -> int:
    """Return the size of a folder's weights in bytes."""
    try:
        return sum(file.stat().st_size for file in folder.glob("*.safetensors"))
    except OSError:
        return 0
