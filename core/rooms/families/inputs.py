"""Inputs that the exhibits of the room share: three questions, a learner's walk, and the three trained models."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import memoize
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_models import ThreeFamilies, rebuild_families
from core.rooms.families.compute.walks import Walk
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

QUESTIONS = {
    "classify": LABELS["question.classify"],
    "continue": LABELS("question.continue", n=walks.N_NEXT),
    "translate": LABELS["question.translate"],
}
WALK_LABEL, DEFAULT_WALK = LABELS["your_walk"], "crab fox starfish wave moss"
KNOWN_THINGS = LABELS("known_things", sea=", ".join(walks.SEA), wood=", ".join(walks.WOOD))
MAX_MODELS = 32  # of half a megabyte


@memoize(MAX_MODELS)
def cached_families(run: ExperimentRun) -> ThreeFamilies:
    return rebuild_families(run.record)


def walk_of(text: str) -> Walk:
    """Return the walk that the models read: the last things of the text."""
    return Walk(walks.parse_walk(text)[0].things[-walks.MAX_TYPED_THINGS :])


def walk_notes(name: str, text: str, _: object) -> None:
    """Note what is unknown, cut off, or unlike the training data."""
    walk, unknown = walks.parse_walk(text)
    ui.warn_unknown_words(unknown, name, text, walks.THINGS, KNOWN_THINGS, readers="models")
    n_thing = len(walk.things)
    if not n_thing and not unknown:
        ui.st.caption(KNOWN_THINGS)
    if n_thing > walks.MAX_TYPED_THINGS:
        ui.st.caption(LABELS("last_things", n_read=walks.MAX_TYPED_THINGS, n=n_thing))
    if len(set(walk_of(text).things)) < len(walk_of(text).things):
        ui.st.caption(LABELS["twice"])
