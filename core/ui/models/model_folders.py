"""The folders and kinds of models: shipped ones, those in the data folder, runs, and opened ones.

Shipped models are in `assets/models/<name>/`; the server's operator can add more for everybody in
`<data folder>/models/<name>/`. The list also contains the learner's own runs, even while they train (with their newest
checkpoint), and the models that the learner has opened. Links to other people's runs or uploads can be viewed, too.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import streamlit as st

from core.data.files import read_start
from core.inspect.reading.model_key import (
    DEFAULT,
    SHIPPED,
    WEIGHTS,
    ModelKey,
    ModelUnreadable,
    facts,
    weights_in,
)
from core.jobs.runs import RunInfo, RunNotFound
from core.models.imports.published import kind_of
from core.ui.models.upload_limits import limits
from core.ui.models.user_models import ID as OPENED_ID, NotOpened, Opened, OpenedModels
from core.ui.server.identity.owner import owner_id
from core.ui.server.identity.visitor import is_own_machine, sender_mark
from core.ui.text import quote_briefly
from core.ui.training.runs import data_folder, store

MAX_LISTED = 50  # runs in the list of models: more cannot be distinguished there
_RUN_ID = re.compile(r"[0-9a-f]{16}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@st.cache_data(max_entries=4, ttl=5, show_spinner=False)
def shipped_titles(where: str) -> dict[str, str]:
    """Return the models that everybody can look at, name -> title, the default first."""
    names = {
        path.parent.name
        for root in _roots()
        for path in root.glob("*/config.json")
        if _is_name(path.parent.name) and weights_in(path.parent) is not None
    }
    titles = {one: title_of(facts(shipped_folder(one)), one) for one in sorted(names, key=lambda n: (n != DEFAULT, n))}
    alike = Counter(titles.values())
    return {one: title if alike[title] == 1 else f"{title} ({one})" for one, title in titles.items()}


def shipped_folder(name: str) -> Path:
    """Return the folder of a shipped model. Raises ModelUnreadable if there is no such model."""
    for root in _roots():
        if _NAME.fullmatch(name) and weights_in(root / name) is not None:
            return root / name
    raise ModelUnreadable(f"There is no model {quote_briefly(name)} here.")


def opened_models() -> OpenedModels:
    """Return the store of models that learners have opened on this machine."""
    return OpenedModels(Path(data_folder()) / "opened", limits(is_own_machine()), sender_mark())


@st.cache_data(max_entries=256, ttl=2, show_spinner=False)
def runs_to_look_at(owner: str, where: str) -> list[RunInfo]:
    """Return an owner's newest runs that have a checkpoint."""
    return [run for run in store().list(owner)[:MAX_LISTED] if (store().folder(run.id) / WEIGHTS).is_file()]


def find_run(run_id: str) -> RunInfo | None:
    """Return anybody's run that has a checkpoint, or None."""
    try:
        run = store().get(run_id)
    except RunNotFound:
        return None
    return run if (store().folder(run_id) / WEIGHTS).is_file() else None


def find_opened(id: str) -> Opened | None:
    """Return an opened model that this learner may see: any upload by its id, but a folder only if it is their own."""
    try:
        found = opened_models().get(id, owner_id())
    except NotOpened:
        return None
    return found if found.origin != "folder" or is_own_machine() else None


def opened_to_look_at() -> list[Opened]:
    """Return the models that this learner has opened, newest first."""
    mine = opened_models().of(owner_id())
    return [one for one in mine if one.origin != "folder" or is_own_machine()]


def shipped_key(name: str = DEFAULT) -> ModelKey:
    """Return the key of a shipped model. Raises ModelUnreadable if there is no such model."""
    return ModelKey.of("shipped", name, shipped_folder(name))


def run_key(run_id: str) -> ModelKey:
    """Return the key of the newest checkpoint of anybody's run. Raises ModelUnreadable."""
    try:
        missing = "This run hasn't written its first checkpoint yet. Look again in a moment."
        return ModelKey.of("run", run_id, store().folder(run_id), missing)
    except RunNotFound:
        raise ModelUnreadable("This run doesn't exist.") from None


def opened_key(id: str) -> ModelKey:
    """Return the key of an opened model that this learner may see. Raises ModelUnreadable."""
    found = find_opened(id)
    if found is None:
        raise ModelUnreadable("This opened model no longer exists, or it's someone else's folder.")
    return ModelKey.of("opened", id, found.folder)


def kind_of_run(run: RunInfo) -> str:
    """Return the kind of a run's model."""
    return str(run.recipe.get("model", {}).get("kind", "gpt"))


@st.cache_data(max_entries=64, ttl=5, show_spinner=False)
def kind_of_shipped(name: str) -> str | None:
    """Return the kind of a shipped model from its config; None if there is no such model."""
    try:
        return kind_in(shipped_folder(name))
    except ModelUnreadable:
        return None


@st.cache_data(max_entries=256, ttl=60, show_spinner=False)
def kind_of_opened(id: str, where: str) -> str | None:
    """Return the kind of an opened model in this folder."""
    return kind_in(Path(where))


def kind_in(where: Path) -> str | None:
    """Return the kind in a folder's config: ours, or Hugging Face's model type; None if there is none."""
    try:
        values = json.loads(read_start(where / "config.json", 1_000_000))
    except (OSError, ValueError, RecursionError):
        return None
    return kind_of(values) if isinstance(values, dict) else "gpt"


def title_of(told: dict[str, Any], name: str) -> str:
    """Return the title in a folder's facts, or the name if there is none."""
    title = (told.get("recipe") or {}).get("title")
    return str(title)[:80] if title else name


def id_in(asked: str) -> str | None:
    """Return the id of the run or opened model in a link, alone or at the end of its label."""
    found = re.search(r"(?:^|\W)(o?[0-9a-f]{16})$", asked[-40:])
    return found[1] if found else None


def _is_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not _RUN_ID.fullmatch(name) and not OPENED_ID.fullmatch(name)


def _roots() -> list[Path]:
    return [SHIPPED, Path(data_folder()) / "models"]
