"""Words of seven kinds: which have similar numbers, and their places on a map, before and after training."""

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import story_grammar as stories
from core.exhibit import (
    MAX_MODELS,
    Inputs as Base,
    NothingToShow,
    Result,
    Table,
    ViewChoice,
    memoize,
    segmented_control,
)
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.models import registry
from core.rooms.embeddings import facts
from core.rooms.embeddings.compute import embeddings

LABELS = module_labels(__name__)

MODEL = "stories"
SPOTS = tuple(dict.fromkeys(spot.split()[-1] for spot in stories.SPOTS))
KINDS = {
    "names": tuple(person.name for person in stories.PEOPLE),
    "toys": stories.TOYS,
    "colors": stories.COLORS,
    "animals": stories.ANIMALS,
    "foods": stories.FOODS,
    "places": tuple(word for word in (place.split()[-1] for place in stories.PLACES) if word not in SPOTS),
    "spots": SPOTS,
}
WORDS = tuple(word for words in KINDS.values() for word in words)
KIND_OF = np.repeat(np.arange(len(KINDS)), [len(words) for words in KINDS.values()])  # (N,)
FIRST = "red"
N_NEAREST = 6
STATES = ("untrained", "trained")
PERPLEXITY, SEED = 15, 0  # of the map
CODE = (embeddings.token_vectors, embeddings.nearest_tokens, embeddings.tsne)
WARM_UP = True


class Inputs(Base, prefix="alike_"):
    at: str = segmented_control(STATES, "trained", view=ViewChoice())


class WordsAlike(Result):
    """N words in an untrained copy of the model, and in the model itself."""

    vectors: NDArray[np.float32]  # (2, N, D)
    points: NDArray[np.float64]  # (2, N, 2) on each map, from 0 to 1
    names: tuple[str, ...]  # (W,) all words that can be neighbors
    nearest: NDArray[np.int64]  # (2, N, n) places in `names` of the most similar words, best first
    cosines: NDArray[np.float64]  # (2, N, n) with them
    n_same: tuple[int, int]  # words whose most similar word is of their kind

    def table(self) -> Table:
        """Return one row per word of the trained model."""
        kinds = [LABELS[f"kind.{name}"] for name in KINDS]
        return {
            LABELS["word"]: list(WORDS),
            LABELS["kind"]: [kinds[i] for i in KIND_OF],
            LABELS["nearest"]: [self.names[i] for i in self.nearest[1, :, 0]],
            LABELS["cosine"]: self.cosines[1, :, 0].round(4).tolist(),
        }


def compute(inputs: Inputs) -> WordsAlike:
    """Compare the words before and after training."""
    return _compared()


@memoize(MAX_MODELS)
def _compared() -> WordsAlike:
    key = ModelKey.at(MODEL)
    # Neighbors are the words inside a sentence, which begin with a space; a name at the start of a text is left out.
    ids = {label[1:]: i for i, label in enumerate(facts.token_labels(key)) if label[0] == "·" and label[1:].isalpha()}
    if not set(WORDS) <= set(ids):
        raise NothingToShow(LABELS["no_words"])
    trained = load_text_model(key)
    models: tuple[nn.Module, ...] = (registry.build(trained.config, 0), trained.model)
    names, places = tuple(ids), [list(ids).index(word) for word in WORDS]
    tables = [embeddings.token_vectors(model, list(ids.values())) for model in models]
    vectors = np.stack([table[places] for table in tables])
    found = [[embeddings.nearest_tokens(table, place, N_NEAREST) for place in places] for table in tables]
    nearest = np.array([[one.by_cosine for one in some] for some in found])
    kind_of = dict(zip(WORDS, KIND_OF.tolist(), strict=True))
    same = [[kind_of.get(names[i]) == kind for i, kind in zip(some[:, 0], KIND_OF, strict=True)] for some in nearest]
    return WordsAlike(
        vectors=vectors,
        points=np.stack([map_points(some) for some in vectors]),
        names=names,
        nearest=nearest,
        cosines=np.array([[one.cosines[one.by_cosine] for one in some] for some in found]),
        n_same=(int(np.sum(same[0])), int(np.sum(same[1]))),
    )


def map_points(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the places of vectors (N, D) on a map (N, 2), from 0 to 1."""
    points = embeddings.tsne(vectors, 2, PERPLEXITY, SEED)
    return (points - points.min(0)) / np.ptp(points, axis=0)


def draw(result: WordsAlike, inputs: Inputs) -> None:
    """Draw the map of the words, and the numbers and neighbors of the one that is pointed at."""
    limit = np.abs(result.vectors).max((1, 2), keepdims=True)
    ui.add_template_values(n_number=result.vectors.shape[-1], n_word=len(WORDS))
    ui.mount_widget(
        "words_alike",
        key="words-alike",
        height=430,
        words=list(WORDS),
        kinds=[LABELS[f"kind.{name}"] for name in KINDS],
        kind_of=KIND_OF.tolist(),
        first=WORDS.index(FIRST),
        names=list(result.names),
        trained=ui.select_by_choice([False, True], inputs.at),
        n_same=ui.select_by_choice(list(result.n_same), inputs.at),
        n_before=result.n_same[0],
        points=ui.select_by_choice(result.points, inputs.at),
        levels=ui.select_by_choice(np.rint(127.5 * (1 + result.vectors / limit)).astype(np.uint8), inputs.at),
        nearest=ui.select_by_choice(result.nearest, inputs.at),
        cosines=ui.select_by_choice(result.cosines, inputs.at),
    )
