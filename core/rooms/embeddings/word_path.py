"""One word in two sentences: the path of its vector through the parts of the model."""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.charts import marks
from core.data.localization.labels import module_labels
from core.data.printable import visible_token
from core.data.sentences import GENERAL
from core.exhibit import MAX_TRACES, NothingToShow, Result, Table, custom_control, memoize, segmented_control
from core.inspect import single_text_models
from core.inspect.attention_record import FloatArray, as_batch, to_numpy
from core.inspect.model_inputs.model_and_text import (
    EncodedText,
    encode_text,
    load_text_model,
    load_text_reader,
    model_prediction_kind,
    model_vocabulary,
    sample_text_of,
    tokens_to_text_pieces,
)
from core.inspect.model_inputs.model_key import ModelKey
from core.models.registry import modern_options_of_model
from core.nn.tap import Trace
from core.rooms.embeddings import facts
from core.rooms.embeddings.compute.embeddings import cosine_similarity, principal_components
from core.rooms.embeddings.inputs import EmbeddingInputs

LABELS = module_labels(__name__)

SentencesAndWord = tuple[str, str, str]  # two texts, and a word that both contain
# Two sentences that share a word, for the models of each corpus.
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
# For models trained on general text: one word with two meanings.
BANKS = ("They sat down in the grass of the river bank", "They brought all their money to the savings bank", "bank")
MAX_TOKENS = 128  # in a text
MAX_ARROWS = 5  # stages; more pairs of arrows would be too small


class HiddenTrajectory(Result):
    """The residual stream at one position of each of two texts, stage by stage."""

    stages: tuple[str, ...]  # (S,) names: "embedding", then "attention 0", "feed-forward 0" and so on
    vectors: FloatArray  # (2, S, D) the vector after each stage, in the first and in the second text
    cosines: NDArray[np.float64]  # (S,) cosine of the angle between the two vectors
    distances: NDArray[np.float64]  # (S,) length of their difference
    lengths: NDArray[np.float64]  # (2, S) their own lengths
    # (2, V) predicted probabilities in each text, of the token after the word or, in some models, at the word; (2, 0)
    # for a model without token predictions, see `core.inspect.single_text_models.prediction_kind`
    probabilities: FloatArray

    @property
    def angles(self) -> NDArray[np.float64]:
        """Return the angle between the two vectors after each stage (S,), in degrees; 0 if one of them is zero."""
        return _degrees(self.cosines)

    def on_two_axes(self, *, directions: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return both paths on the two axes along which their vectors differ most.

        Args:
            directions: whether every vector is divided by its own length first.

        Returns:
            points: (2, S, 2).
            shares: (2,) share of all differences along each axis.
        """
        vectors = self.vectors.astype(np.float64)
        if directions:
            lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
            vectors = vectors / np.where(lengths > 0, lengths, 1.0)
        found = principal_components(vectors.reshape(-1, vectors.shape[-1]), 2)
        return found.points.reshape(2, -1, 2), found.shares

    def table(self, points: NDArray[np.float64]) -> Table:
        """Return one row for each stage.

        Args:
            points: (2, S, 2) positions of both paths on a map.
        """
        return {
            LABELS["after"]: list(self.stages),
            LABELS["cosine"]: self.cosines.round(5),
            LABELS["distance"]: self.distances.round(4),
            LABELS("length_in", number=1): self.lengths[0].round(4),
            LABELS("length_in", number=2): self.lengths[1].round(4),
            "x 1": points[0, :, 0].round(4),
            "y 1": points[0, :, 1].round(4),
            "x 2": points[1, :, 0].round(4),
            "y 2": points[1, :, 1].round(4),
        }


def _degrees(cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.degrees(np.arccos(np.nan_to_num(cosines, nan=1.0).clip(-1, 1)))


def last_token_of(tokens: Sequence[str], word: str) -> int | None:
    """Return the position of the last token of a word's last occurrence, or None if the text doesn't contain the word.

    The word is matched as a whole word, case-sensitively. It may be cut into several tokens; the last of them is the
    first that has read the whole word.

    Args:
        tokens: the text's tokens, which concatenate to the text.
    """
    word = word.strip()
    if not word:
        return None
    before = r"(?<!\w)" if word[0].isalnum() else ""
    after = r"(?!\w)" if word[-1].isalnum() else ""
    found = list(re.finditer(before + re.escape(word) + after, "".join(tokens)))
    if not found:
        return None
    end, reached = found[-1].end(), 0
    for position, token in enumerate(tokens):
        reached += len(token)
        if reached >= end:
            return position
    return None


def shared_words(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return the words that both texts contain, in the order of the first text."""
    words = (re.findall(r"\w+", "".join(tokens)) for tokens in (first, second))
    ours, theirs = (list(dict.fromkeys(some)) for some in words)
    return [word for word in ours if word in theirs]


def hidden_trajectory(
    model: nn.Module, first: Sequence[int], second: Sequence[int], position_first: int, position_second: int
) -> HiddenTrajectory:
    """Run both texts and follow the vectors at two positions through all blocks.

    Args:
        first, second: (T,) ids of the two texts.

    Raises:
        ValueError: if a text does not fit the model, or a position is outside its text.
    """
    for ids, position in ((first, position_first), (second, position_second)):
        if not 0 <= position < len(ids):
            raise ValueError(f"position {position} is not within 0..{len(ids) - 1}")
    one, next_one = _stages(model, first, position_first)
    two, next_two = _stages(model, second, position_second)
    vectors = np.stack([np.stack(list(one.values())), np.stack(list(two.values()))])
    return HiddenTrajectory(
        stages=tuple(one),
        vectors=vectors,
        cosines=_cosines(vectors),
        distances=np.linalg.norm(vectors[0].astype(np.float64) - vectors[1], axis=-1),
        lengths=np.linalg.norm(vectors.astype(np.float64), axis=-1),
        probabilities=np.stack([next_one, next_two]),
    )


def _cosines(vectors: FloatArray) -> NDArray[np.float64]:
    """Return the cosine between the two vectors of each stage (2, S, D) -> (S,)."""
    return np.array([cosine_similarity(a, b) for a, b in zip(*vectors, strict=True)])


def _stages(model: nn.Module, ids: Sequence[int], position: int) -> tuple[dict[str, FloatArray], FloatArray]:
    """Return the vector at one position after the embedding and after each half block, and the probabilities there."""
    with torch.no_grad(), Trace(model) as trace:
        output = model(as_batch(model, ids))
    stages = {LABELS["stage.embedding"]: to_numpy(trace["blocks.0.resid_in"][0, position])}
    n_layer = sum(key.endswith(".resid_in") for key in trace)
    for layer in range(n_layer):
        stages[LABELS("stage.attention", layer=layer)] = to_numpy(trace[f"blocks.{layer}.resid_mid"][0, position])
        if f"blocks.{layer}.mlp.out" in trace:
            stages[LABELS("stage.feed_forward", layer=layer)] = to_numpy(
                trace[f"blocks.{layer}.resid_out"][0, position]
            )
    if single_text_models.prediction_kind(model) == "nothing":
        return stages, np.zeros(0, np.float32)
    return stages, to_numpy(output[0, position].float().softmax(-1))


CODE = (hidden_trajectory, last_token_of, cosine_similarity, principal_components)


def default_sentences(key: ModelKey, sample: str = "") -> SentencesAndWord:
    """Return sentences that the model should understand."""
    sample = sample or sample_text_of(key)
    if sample == GENERAL:
        return BANKS
    return SENTENCES.get(facts.training_corpus(key)) or (sample, sample, (sample.split() or [""])[-1])


def word_position(key: ModelKey, text: EncodedText, word: str) -> int | None:
    """Return the position of the word's last token, or of its lowercase form if only that occurs."""
    tokens = tokens_to_text_pieces(key, text.tokens)
    found = last_token_of(tokens, word)
    return last_token_of(tokens, word.lower()) if found is None else found


class Inputs(EmbeddingInputs):
    texts: SentencesAndWord = custom_control(
        "core.rooms.embeddings.pick_sentences:pick_sentences", lambda i: default_sentences(i.key), key=lambda i: i.key
    )
    shows: str = segmented_control(("directions", "vectors"), "directions", name="path", depth="numbers")


class TwoPaths(Result):
    """The word in both sentences, layer by layer."""

    path: HiddenTrajectory  # the vectors, part by part
    points: NDArray[np.float64]  # (2, S, 2) on the two axes along which the vectors differ most
    shares: NDArray[np.float64]  # (2,) share of all differences along each axis
    # in each text the predicted token and its probability; empty if the model predicts no tokens
    expected: tuple[tuple[str, float], ...]
    is_next: bool  # whether it predicts the token after the word, instead of the word itself
    has_positions: bool  # whether positions are added to the embeddings
    is_apart: bool  # whether the two vectors differ before the first layer
    shown: tuple[int, ...]  # the stages whose arrows are drawn: all, or some of many
    steps: tuple[int, ...]  # by how much the angle grows from each of them to the next, of the rounded angles
    added: NDArray[np.float64]  # between them, the angle between what is added to the one and to the other, in degrees
    biggest: int | None  # the step that opens the angle most; None if none does
    formula: str  # the cosine after the last part

    def table(self) -> Table:
        """Return one row for each stage."""
        return self.path.table(self.points)


@memoize(MAX_TRACES)
def _cached_trajectory(key: ModelKey, texts: SentencesAndWord) -> HiddenTrajectory:
    """Run both texts through the model and follow the word."""
    read = [encode_text(key, text, MAX_TOKENS) for text in texts[:2]]
    places = [word_position(key, text, texts[2]) for text in read]
    if places[0] is None or places[1] is None:
        raise NothingToShow(LABELS["no_word"])
    return hidden_trajectory(load_text_reader(key), read[0].ids, read[1].ids, places[0], places[1])


def steps_shown(path: HiddenTrajectory) -> tuple[tuple[int, ...], tuple[int, ...], NDArray[np.float64]]:
    """Return the stages whose arrows are drawn, and for each step between them by how much the angle grows.

    Returns:
        shown: the places of all stages, or of some of many.
        steps: whole degrees; they add up, as differences of the rounded angles.
        added: the angle between what is added to the one vector and to the other, in degrees.
    """
    shown = np.unique(np.linspace(0, len(path.stages) - 1, MAX_ARROWS).round().astype(int))
    steps = np.diff(path.angles[shown].round().astype(int))
    added = _degrees(_cosines(np.diff(path.vectors[:, shown].astype(np.float64), axis=1)))
    return tuple(shown.tolist()), tuple(steps.tolist()), added


def compute(inputs: Inputs) -> TwoPaths:
    """Follow the vector of one token in each text, part by part of the model."""
    key, path = inputs.key, _cached_trajectory(inputs.key, inputs.texts)
    best = [int(row.argmax()) for row in path.probabilities if len(row)]
    points, shares = path.on_two_axes(directions=inputs.shows == "directions")
    shown, steps, added = steps_shown(path)
    a, b = path.lengths[:, -1]
    # Fixed-point, because the tiny vectors of an untrained model would otherwise print with exponents.
    dot, a, b = (f"{one:.2f}" if abs(one) >= 10 else f"{one:.4f}" for one in (a * b * path.cosines[-1], a, b))
    return TwoPaths(
        path=path,
        points=points,
        shares=shares,
        expected=tuple(
            (visible_token(model_vocabulary(key)[i]), float(row[i]))
            for i, row in zip(best, path.probabilities, strict=False)
        ),
        is_next=model_prediction_kind(key) == "next",
        has_positions=load_text_model(key).config.positions in ("learned", "sinusoidal"),
        is_apart=bool(path.distances[0] > 1e-4 * path.lengths[0, 0]),
        shown=shown,
        steps=steps,
        added=added,
        biggest=int(np.argmax(steps)) if max(steps, default=0) > 0 else None,
        formula=rf"\frac{{{dot}}}{{{a} \cdot {b}}} = {path.cosines[-1]:.4f}",
    )


def draw(result: TwoPaths, inputs: Inputs) -> None:
    """Draw the two vectors as arrows, part by part; from the depth Numbers on, both paths and all cosines too."""
    path, shown = result.path, list(result.shown)
    ui.add_template_values(embed_scale=modern_options_of_model(load_text_model(inputs.key).config).embed_scale)
    expected = [(token.strip("·"), f"{share:.0%}") for token, share in result.expected] or [("", "")] * 2
    ui.mount_widget(
        "opening_arrows",
        key="opening-arrows",
        height=430,
        sentences=[
            {"before": before, "word": word, "expected": token, "chance": share}
            for (before, word), (token, share) in zip(_up_to_the_word(inputs), expected, strict=True)
        ],
        stages=[path.stages[i] for i in shown],
        parts=[_part_name(path.stages, i, j) for i, j in pairwise(shown)],
        angles=path.angles[shown].tolist(),
        cosines=np.nan_to_num(path.cosines[shown]).tolist(),
        distances=path.distances[shown].tolist(),
        steps=list(result.steps),
        added=result.added.tolist(),
        biggest=-1 if result.biggest is None else result.biggest,
        is_apart=result.is_apart,
        is_next=result.is_next,
        n_number=path.vectors.shape[-1],
    )
    if not ui.depth_at_least("numbers"):
        return
    left, right = ui.two_columns("word-path")
    with left:
        _paths(result)
    with right:
        ui.bars(
            {f"{i} {stage}": float(path.cosines[i]) for i, stage in enumerate(path.stages)},
            x=ui.Axis(LABELS["cosine_axis"], (min(0.0, float(np.nanmin(path.cosines))), 1)),
            printed=".3f",
            notes=[LABELS("distance_note", distance=one) for one in path.distances],
        )


def _part_name(stages: Sequence[str], before: int, after: int) -> str:
    """Return the name of what lies between two stages: a part, or all up to one."""
    name = stages[after] if after == before + 1 else LABELS("up_to", stage=stages[after])
    return name[:1].upper() + name[1:]


def _up_to_the_word(inputs: Inputs) -> list[tuple[str, str]]:
    """Return for each text the part before the word, and the word with its own capitals."""
    found = []
    for text in inputs.texts[:2]:
        read = encode_text(inputs.key, text, MAX_TOKENS)
        position = word_position(inputs.key, read, inputs.texts[2])
        pieces = "".join(tokens_to_text_pieces(inputs.key, read.tokens)[: (position or 0) + 1])
        word = pieces[-len(inputs.texts[2].strip()) :]
        found.append((" ".join(pieces[: -len(word)].split()) + " ", word))
    return found


def _paths(result: TwoPaths) -> None:
    """Draw both sentences on one map, each stage a numbered point: round for the first, square for the second."""
    names = {LABELS["first"]: (0, 0), LABELS["second"]: (1, 1)}
    stages = [f"{i} {stage}" for i, stage in enumerate(result.path.stages)]
    points = [
        (name, i, *point) for name, path in zip(names, result.points, strict=True) for i, point in enumerate(path)
    ]
    path, order, x, y = zip(*points, strict=True)
    columns = {"name": path, "order": order, "x": x, "y": y, "number": [*map(str, order)]}
    columns["stage"] = [stages[i] for i in order]
    tip = [("name", LABELS["sentence"], ""), ("stage", LABELS["after"], "")]
    axes = [ui.Axis(LABELS("axis", number=i, share=share)) for i, share in enumerate(result.shares, 1)]
    in_order = {"order": {"field": "order", "type": "quantitative"}}
    ui.plot(
        [
            marks.line_layer(columns, "x", "y", "name", strokeWidth=2, opacity=0.8, more=in_order),
            marks.dot_layer(columns, "x", "y", "name", size=320, tip=tip, more=marks.shape_by_name("name", names)),
            marks.text_layer(columns, "number", "x", "y", fontSize=11, fontWeight=600, color="page", tip=tip),
        ],
        x=axes[0],
        y=axes[1],
        names=names,
        height=310,
        alt=ui.section_text("paths-alt"),
    )
