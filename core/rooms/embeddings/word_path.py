"""One word in two sentences: where its vector goes, part by part of the model."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.cache import MAX_TRACES, memoize
from core.data.printable import visible
from core.data.sentences import GENERAL
from core.inputs import NothingToShow, custom, segmented
from core.inspect.reading.model_and_text import Encoded, encode, load, predicts, reader, sample_of, spelled, vocabulary
from core.inspect.reading.model_key import ModelKey
from core.rooms.embeddings import facts
from core.rooms.embeddings.compute import embeddings
from core.rooms.embeddings.compute import word_path as paths
from core.rooms.embeddings.compute.word_path import MOST_TOKENS, WordPath
from core.rooms.embeddings.inputs import Looked
from core.rooms.embeddings.word_paths_chart import likeness, two_paths

Sentences = tuple[str, str, str]  # two texts, and a word that both hold
SHOWS = {"directions": "directions", "vectors": "whole vectors"}
# Two sentences that share their last word, of a kind that each corpus's models know.
SENTENCES = {
    "stories": ("Mia had a red ball. One day she took the", "Tom had a blue kite. One day he took the", "the"),
    "bottle-and-cup": (
        "I poured water from the bottle into the cup until it was full. It is the",
        "I poured water from the jug into the bowl until it was empty. It is the",
        "the",
    ),
    "python-topics": (
        "The statement raises an exception if the name",
        "The module is imported under another name",
        "name",
    ),
    "python-library": ("def __init__(self, name):\n    self.name", "for name in names:\n    print(name", "name"),
    "tiny-shakespeare": ("But soft, what light through yonder window breaks", "The light of the sun breaks", "light"),
}
# For models that were trained on nearly everything: one word with two meanings.
BANKS = ("They sat down in the grass of the river bank", "They brought all their money to the savings bank", "bank")
CODE = (paths.word_path, paths.last_token_of, embeddings.cosine, embeddings.principal_components)


def default_sentences(key: ModelKey, sample: str = "") -> Sentences:
    """What a model should understand."""
    sample = sample or sample_of(key)
    if sample == GENERAL:
        return BANKS
    return SENTENCES.get(facts.corpus(key)) or (sample, sample, (sample.split() or [""])[-1])


def place_of(key: ModelKey, text: Encoded, word: str) -> int | None:
    """The last token of the word; a model that knows small letters only finds it in small ones."""
    tokens = spelled(key, text.tokens)
    found = paths.last_token_of(tokens, word)
    return paths.last_token_of(tokens, word.lower()) if found is None else found


class Inputs(Looked):
    """The sentences, and how their paths are drawn."""

    texts: Sentences = custom(
        "core.rooms.embeddings.pick_sentences:pick_sentences", lambda i: default_sentences(i.key), key=lambda i: i.key
    )
    shows: str = segmented("Show the paths of", SHOWS, "directions", name="path")


@dataclass(frozen=True)
class Result:
    """The two paths."""

    path: WordPath  # part by part
    points: NDArray[np.float64]  # (2, S, 2) on the two axes along which the vectors differ most
    shares: NDArray[np.float64]  # (2,) of all differences, along each axis
    # in each text the token that the model expects, and its probability; empty where it scores none
    expected: tuple[tuple[str, float], ...]
    is_next: bool  # whether that is what comes after the word, and not what stands in its place
    has_positions: bool  # whether positions are added to the vectors at the start

    @property
    def is_apart(self) -> bool:
        """Whether the two differ before any layer."""
        return bool(self.path.distances[0] > 1e-4 * self.path.lengths[0, 0])

    @property
    def strongest(self) -> tuple[str, float] | None:
        """The part that turns the two apart most, and by how much of a cosine; None if none does."""
        steps = np.diff(self.path.cosines)
        if not len(steps) or not np.nanmin(steps) < -1e-4:
            return None
        return self.path.stages[int(np.nanargmin(steps)) + 1], float(np.nanmin(steps))

    @property
    def formula(self) -> str:
        """The cosine after the last part; no exponents, for vectors of a fresh model are tiny."""
        a, b = self.path.lengths[:, -1]
        dot = a * b * self.path.cosines[-1]
        told = [f"{value:.2f}" if abs(value) >= 10 else f"{value:.4f}" for value in (dot, a, b)]
        return rf"\frac{{{told[0]}}}{{{told[1]} \cdot {told[2]}}} = {self.path.cosines[-1]:.4f}"

    def table(self) -> dict[str, Any]:
        """One line for each stage."""
        return self.path.table(self.points)


@memoize(MAX_TRACES)
def path_of(key: ModelKey, texts: Sentences) -> WordPath:
    """Both texts through the model, followed at the word."""
    read = [encode(key, text, MOST_TOKENS) for text in texts[:2]]
    places = [place_of(key, text, texts[2]) for text in read]
    if places[0] is None or places[1] is None:
        raise NothingToShow("One of the sentences does not hold the word.")
    return paths.word_path(reader(key), read[0].ids, read[1].ids, places[0], places[1])


def compute(inputs: Inputs) -> Result:
    """The vector of one token of each text, part by part of the model."""
    key, path = inputs.key, path_of(inputs.key, inputs.texts)
    best = [int(row.argmax()) for row in path.probabilities if len(row)]
    return Result(
        path,
        *path.on_two_axes(directions=inputs.shows == "directions"),
        tuple((visible(vocabulary(key)[i]), float(row[i])) for i, row in zip(best, path.probabilities, strict=False)),
        predicts(key) == "next",
        getattr(load(key).config, "positions", "") in ("learned", "sinusoidal"),
    )


def draw(result: Result, inputs: Inputs) -> None:
    """Both paths, and how alike they are at each stage."""
    path, mode = result.path, ui.color_mode()
    left, right = ui.pair("word-path")
    with left:
        first, second = (f"axis {i}: {share:.0%} of the differences" for i, share in enumerate(result.shares, 1))
        names = ("first sentence", "second sentence")
        spec = two_paths(result.points, path.stages, names, (first, second), mode=mode)
        ui.chart(spec, alt=ui.words("paths-alt"), key="word-path-map")
        ui.say("numbers")
    with right:
        spec = likeness(path.cosines.tolist(), path.distances.tolist(), path.stages, mode=mode)
        ui.chart(spec, alt=ui.words("bars-alt"), key="word-path-bars")
        ui.say("told")
