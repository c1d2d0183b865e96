"""Which of the models that are here is looked at, and the rooms that suit it."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.inspect.model_key import ModelKey, ModelUnreadable
from core.models import registry
from core.rooms.pretrained import rooms
from core.ui.frame import depth
from core.ui.models import model_folders as places
from core.ui.models import models
from core.ui.models.about import size_in_words
from core.ui.models.model_files import megabytes
from core.ui.server.owner import owner_id
from core.ui.text import escape_markdown
from core.ui.training.runs import data_folder, store

MOST_LINES = 40  # of the overview


@dataclass(frozen=True)
class Chosen:
    """A model that could be read."""

    key: ModelKey
    kind: str
    has_tokenizer: bool

    @property
    def has_text(self) -> bool:
        """Whether a text can be given to it."""
        return self.has_tokenizer and self.kind in (*models.READERS, "rnn")


@dataclass(frozen=True)
class OnShelf:
    """A line of the overview: what a model is called, its kind, where it comes from, and the size of its files."""

    title: str
    kind: str
    origin: str
    n_byte: int


def on_shelf() -> list[OnShelf]:
    """Every model that this learner can look at, in the order of the list."""
    found = [
        OnShelf(title, places.kind_of_shipped(name) or "", "for everyone", _size(places.shipped_folder(name)))
        for name, title in places.shipped_titles(data_folder()).items()
    ]
    found += [
        OnShelf(run.name, places.kind_of_run(run), "your run", _size(store().folder(run.id)))
        for run in places.runs_to_look_at(owner_id(), data_folder())
    ]
    origins = {"upload": "uploaded", "folder": "your folder", "hub": "downloaded"}
    return found + [
        OnShelf(one.name, places.kind_in(one.folder) or "", origins[one.origin], _size(one.folder))
        for one in places.opened_to_look_at()
    ]


def overview() -> None:
    """All models in one table."""
    models_here = on_shelf()
    lines = ["| model | family | from | weights |", "|:--|:--|:--|--:|"]
    for one in models_here[:MOST_LINES]:
        family = escape_markdown(models.FAMILIES.get(one.kind, one.kind[:40]))
        lines.append(f"| {escape_markdown(one.title)} | {family} | {one.origin} | {megabytes(one.n_byte)} |")
    with st.expander(f"All {len(models_here)} models", icon=":material/inventory_2:"):
        st.markdown("\n".join(lines))
        if len(models_here) > MOST_LINES:
            st.caption(f"The first {MOST_LINES}; the list below has all.")


def _size(folder: Path) -> int:
    """Bytes of a folder's weights."""
    try:
        return sum(file.stat().st_size for file in folder.glob("*.safetensors"))
    except OSError:
        return 0


def choose() -> Chosen | None:
    """The list of all models; None, after plain words, where the chosen one cannot be read."""
    if depth.at_least("numbers"):
        overview()
    try:
        key = models.picker(kinds=tuple(models.FAMILIES))
        if key is None:
            return None
        with models.patience(key, "Reading the model …"):
            found = models.load_any(key)
    except ModelUnreadable as refused:
        st.error(f"{escape_markdown(refused)} Choose another model.", icon=":material/broken_image:")
        return None
    kind = str(registry.to_dict(found.config)["kind"])
    chosen = Chosen(key, kind, found.tokenizer is not None)
    n_weight = sum(parameter.numel() for parameter in found.model.parameters())
    size = f"{size_in_words(found.config)}, " if hasattr(found.config, "n_layer") else ""
    st.markdown(f"This is **{models.FAMILIES[kind]}**: {size}**{n_weight:,}** parameters.")
    rooms.links(key.name, kind, chosen.has_tokenizer)
    return chosen
