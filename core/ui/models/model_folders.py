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
from core.data.localization.labels import module_labels
from core.inspect.model_inputs.model_key import (
    _WEIGHTS_FILE,
    DEFAULT_MODEL,
    SHIPPED_MODELS,
    ModelKey,
    ModelUnreadable,
    find_weights_file,
    read_model_provenance,
)
from core.jobs.runs import RunInfo, RunNotFound
from core.models.imports.published import model_kind
from core.ui.models.upload_limits import upload_limits
from core.ui.models.user_models import OPENED_ID as OPENED_ID, OpenedModel, OpenedModelNotFound, OpenedModels
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.server.identity.visitor import is_own_machine, visitor_address_digest
from core.ui.text_formatting import quote_briefly
from core.ui.training.run_storage import data_folder, run_store

LABELS = module_labels(__name__)

MAX_LISTED = 50  # runs in the list of models: more cannot be distinguished there
_RUN_ID = re.compile(r"[0-9a-f]{16}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@st.cache_data(max_entries=4, ttl=5, show_spinner=False)
def shipped_model_titles(where: str) -> dict[str, str]:
    """Return the models that everybody can look at, name -> title, the default first."""
    names = {
        path.parent.name
        for root in _roots()
        for path in root.glob("*/config.json")
        if _is_name(path.parent.name) and find_weights_file(path.parent) is not None
    }
    titles = {
        one: model_title_from_record(read_model_provenance(shipped_model_folder(one)), one)
        for one in sorted(names, key=lambda n: (n != DEFAULT_MODEL, n))
    }
    alike = Counter(titles.values())
    return {one: title if alike[title] == 1 else f"{title} ({one})" for one, title in titles.items()}


def shipped_model_folder(name: str) -> Path:
    """Return the folder of a shipped model. Raises ModelUnreadable if there is no such model."""
    for root in _roots():
        if _NAME.fullmatch(name) and find_weights_file(root / name) is not None:
            return root / name
    raise ModelUnreadable(LABELS("no_model", name=quote_briefly(name)))


def opened_model_store() -> OpenedModels:
    """Return the store of models that learners have opened on this machine."""
    return OpenedModels(Path(data_folder()) / "opened", upload_limits(is_own_machine()), visitor_address_digest())


@st.cache_data(max_entries=256, ttl=2, show_spinner=False)
def list_runs_with_checkpoint(owner: str, where: str) -> list[RunInfo]:
    """Return an owner's newest runs that have a checkpoint."""
    return [
        run for run in run_store().list(owner)[:MAX_LISTED] if (run_store().folder(run.id) / _WEIGHTS_FILE).is_file()
    ]


def find_run(run_id: str) -> RunInfo | None:
    """Return anybody's run that has a checkpoint, or None."""
    try:
        run = run_store().get(run_id)
    except RunNotFound:
        return None
    return run if (run_store().folder(run_id) / _WEIGHTS_FILE).is_file() else None


def find_opened(id: str) -> OpenedModel | None:
    """Return an opened model that this learner may see: any upload by its id, but a folder only if it is their own."""
    try:
        found = opened_model_store().get(id, owner_id())
    except OpenedModelNotFound:
        return None
    return found if found.origin != "folder" or is_own_machine() else None


def list_opened_models() -> list[OpenedModel]:
    """Return the models that this learner has opened, newest first."""
    mine = opened_model_store().list_models(owner_id())
    return [one for one in mine if one.origin != "folder" or is_own_machine()]


def shipped_key(name: str = DEFAULT_MODEL) -> ModelKey:
    """Return the key of a shipped model. Raises ModelUnreadable if there is no such model."""
    return ModelKey.of("shipped", name, shipped_model_folder(name))


def run_model_key(run_id: str) -> ModelKey:
    """Return the key of the newest checkpoint of anybody's run. Raises ModelUnreadable."""
    try:
        missing = LABELS["no_checkpoint"]
        return ModelKey.of("run", run_id, run_store().folder(run_id), missing)
    except RunNotFound:
        raise ModelUnreadable(LABELS["no_run"]) from None


def opened_model_key(id: str) -> ModelKey:
    """Return the key of an opened model that this learner may see. Raises ModelUnreadable."""
    found = find_opened(id)
    if found is None:
        raise ModelUnreadable(LABELS["no_opened_model"])
    return ModelKey.of("opened", id, found.folder)


def kind_of_run(run: RunInfo) -> str:
    """Return the kind of a run's model."""
    return str(run.recipe.get("model", {}).get("kind", "gpt"))


@st.cache_data(max_entries=64, ttl=5, show_spinner=False)
def kind_of_shipped(name: str) -> str | None:
    """Return the kind of a shipped model from its config; None if there is no such model."""
    try:
        return kind_in_folder(shipped_model_folder(name))
    except ModelUnreadable:
        return None


@st.cache_data(max_entries=256, ttl=60, show_spinner=False)
def opened_model_kind(id: str, where: str) -> str | None:
    """Return the kind of an opened model in this folder."""
    return kind_in_folder(Path(where))


def kind_in_folder(where: Path) -> str | None:
    """Return the kind in a folder's config: ours, or Hugging Face's model type; None if there is none."""
    try:
        values = json.loads(read_start(where / "config.json", 1_000_000))
    except (OSError, ValueError, RecursionError):
        return None
    return model_kind(values) if isinstance(values, dict) else "gpt"


def model_title_from_record(told: dict[str, Any], name: str) -> str:
    """Return the title in a folder's facts, or the name if there is none."""
    title = (told.get("recipe") or {}).get("title")
    return str(title)[:80] if title else name


def model_id_from_link(asked: str) -> str | None:
    """Return the id of the run or opened model in a link, alone or at the end of its label."""
    found = re.search(r"(?:^|\W)(o?[0-9a-f]{16})$", asked[-40:])
    return found[1] if found else None


def _is_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not _RUN_ID.fullmatch(name) and not OPENED_ID.fullmatch(name)


def _roots() -> list[Path]:
    return [SHIPPED_MODELS, Path(data_folder()) / "models"]
