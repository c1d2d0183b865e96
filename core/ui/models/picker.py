"""The list of models at the top of a room, bound to the address."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count

import streamlit as st

from core import exhibit
from core.data.localization.labels import module_labels
from core.inspect.model_inputs.model_key import ModelKey
from core.jobs.runs import RunInfo
from core.models.imports.published import CLASSIFIER_KIND
from core.models.registry import FAMILIES
from core.ui import state
from core.ui.controls import controls
from core.ui.models.model_folders import (
    DEFAULT_MODEL,
    find_opened,
    find_run,
    kind_of_run,
    kind_of_shipped,
    list_opened_models,
    list_runs_with_checkpoint,
    model_id_from_link,
    opened_model_key,
    opened_model_kind,
    run_model_key,
    shipped_key,
    shipped_model_titles,
)
from core.ui.models.user_models import OpenedModel
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.training.run_storage import data_folder

LABELS = module_labels(__name__)

# Kind of model -> what it is. Only lists of models treat a GPT that classifies texts as a kind of its own.
TITLES = {kind: family.title for kind, family in FAMILIES.items()}
TITLES[CLASSIFIER_KIND] = LABELS["judging_decoder"]


def model_picker(name: str = "model", kinds: Sequence[str] = ("gpt",)) -> ModelKey | None:
    """Draw the list of models and return the chosen one; show a message and return None if the list is empty.

    If a link's model cannot be shown here, because it is gone or of a different kind, a message says so and a different
    model is shown. A model of a different kind that was carried over from the previous page is skipped silently.

    Args:
        name: of the control.
        kinds: the keys of `TITLES` that the room can show.
    """
    shipped = {
        one: title for one, title in shipped_model_titles(data_folder()).items() if kind_of_shipped(one) in kinds
    }
    mine = {run.id: run.name for run in list_runs_with_checkpoint(owner_id(), data_folder()) if _fits(run, kinds)}
    mine |= {one.id: one.name for one in list_opened_models() if _kind(one) in kinds}
    asked = st.query_params.get(name) or str(st.session_state.get(name, ""))
    linked, is_told = model_id_from_link(asked), False
    is_linked = name not in state.session_slot(
        controls.CARRIED_KEYS, set[str]
    )  # and it wasn't carried over from the previous page
    is_set = st.session_state.get(name) in (*shipped, *mine)  # to a different one since; the address will follow
    if linked is not None and linked not in mine and not is_set:
        looked_up = _look_up(linked, kinds, is_linked)
        mine |= looked_up
        is_told = not looked_up
    elif linked is None and asked not in shipped and kind_of_shipped(asked) not in (None, *kinds):
        if is_linked:
            _refuse(str(kind_of_shipped(asked)), kinds)
        is_told = True
    options = [*shipped, *mine]
    if not options:
        st.info(LABELS("no_models", kinds=_listed(kinds)))
        return None
    labels = shipped | _number_duplicates(mine, shipped.values())
    first = DEFAULT_MODEL if DEFAULT_MODEL in options else options[0]
    if is_told:
        _forget_refused(name, first)
    plain = linked if linked in mine else asked
    if plain in options and name not in st.session_state:
        st.session_state[name] = plain  # even if it is locked, because the link asks for it
    chosen = controls.render_control(
        exhibit.select(
            options,
            first,
            labels=labels,
            help=LABELS["model.help"],
            name=name,
            label=LABELS["model"],
        )
    )
    if chosen in shipped:
        return shipped_key(chosen)
    return opened_model_key(chosen) if chosen.startswith("o") else run_model_key(chosen)


def _number_duplicates(names: Mapping[str, str], taken: Iterable[str]) -> dict[str, str]:
    """Return id -> name, the newest first; of models with one name, all but the oldest get a number."""
    found: dict[str, str] = {}
    used = {*taken}
    for one, name in reversed(list(names.items())):
        every = (name if n == 1 else f"{name} ({n})" for n in count(1))
        found[one] = next(title for title in every if title not in used)
        used.add(found[one])
    return {one: found[one] for one in names}


def _forget_refused(name: str, first: str) -> None:
    """Forget a refused model that was reported already, or the control would report it again."""
    if name in st.session_state:
        st.session_state[name] = first
    else:
        st.query_params.pop(name, None)


def _look_up(linked: str, kinds: Sequence[str], is_linked: bool) -> dict[str, str]:
    """Look up a link's run or opened model that isn't in the visitor's list: id -> label, or empty after a message."""
    if linked.startswith("o"):
        opened = find_opened(linked)
        kind = None if opened is None else _kind(opened)
        label = "" if opened is None else opened.name or LABELS["unnamed_model"]
    else:
        run = find_run(linked)
        kind = None if run is None else kind_of_run(run)
        label = "" if run is None else run.name or LABELS["unnamed_run"]
    if label and kind in kinds:
        return {linked: label}
    if label:
        if is_linked:
            _refuse(str(kind), kinds)
    elif linked.startswith("o"):
        st.warning(
            LABELS("no_opened_model", model=linked),
            icon=":material/link_off:",
        )
    else:
        st.warning(
            LABELS("no_run", run=linked),
            icon=":material/link_off:",
        )
    return {}


def _refuse(kind: str, kinds: Sequence[str]) -> None:
    if kind in TITLES:
        said = LABELS("other_kind", kinds=_listed(kinds), kind=TITLES[kind])
    else:
        said = LABELS("unknown_kind", kinds=_listed(kinds))
    st.info(said, icon=":material/info:")


def _listed(kinds: Sequence[str]) -> str:
    """List a room's kinds in words: "decoders (GPT) and recurrent nets"."""
    *names, last = dict.fromkeys(FAMILIES["gpt" if kind == CLASSIFIER_KIND else kind].plural for kind in kinds)
    return LABELS("kinds", kinds=", ".join(names), last=last) if names else last


def _kind(opened: OpenedModel) -> str | None:
    return opened_model_kind(opened.id, str(opened.folder))


def _fits(run: RunInfo, kinds: Sequence[str]) -> bool:
    return kind_of_run(run) in kinds
