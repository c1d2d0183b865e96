"""Small pictures of the glossary's main terms: what the exhibits compute, mostly from one sentence and its model."""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypedDict, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.data.localization.labels import module_labels
from core.generate.filter_settings import FilterSettings
from core.inspect.head_scores import head_attending_to_prediction
from core.rooms import all_exhibits

LABELS = module_labels(__name__)

_N_BAR = 4
_N_NUMBER = 24  # of a vector, the first ones
_N_POSITION = 12
_TEMPERATURES = (0.5, 1.0, 2.0)
_TOP_P = 0.8


class _Picture(TypedDict, total=False):
    """A picture as the browser gets it: bars, a grid of cells, or words and their numbers; and one sentence on it."""

    kind: Literal["bars", "cells", "words"]
    exhibit: str  # whose `compute` its numbers come from
    caption: str
    names: list[str]  # of the rows
    values: list[Any]  # bars: N numbers; cells: rows of numbers, None is an empty cell
    texts: list[str]  # at the end of each row
    off: list[int]  # rows that don't count, in gray
    most: float  # bars: the number of a full bar
    is_signed: bool  # cells: numbers below 0 have a color of their own
    marks: list[int]  # rows or bars that the sentence speaks of


def _module(exhibit: str) -> Any:
    return importlib.import_module(all_exhibits()[exhibit].module)


def _result(exhibit: str, **given: object) -> Any:
    """Compute an exhibit with its defaults for all that isn't given."""
    return _module(exhibit).compute(_module(exhibit).Inputs(**given))


@cache
def _sentence() -> Any:
    """Return Home's sentence in the ready-made model."""
    return _result("home.sentence-through")


def _of_sentence(exhibit: str, **more: object) -> Any:
    return _result(exhibit, given=_sentence().given, **more)


def _plain(values: ArrayLike) -> Any:
    """Return numbers with four digits, as plain lists."""
    return np.round(np.asarray(values, dtype=float), 4).tolist()


def _name(token: str) -> str:
    return token.strip() or "␣"


def _percent(share: float) -> str:
    return f"{share:.0%}" if share == 0 or share >= 0.005 else "<1%"


def _bars(names: Iterable[str], values: ArrayLike, texts: Iterable[str], **more: Any) -> _Picture:
    numbers = _plain(values)
    most, marks = max(numbers), more.pop("marks", [0])
    bars = _Picture(kind="bars", names=[*names], values=numbers, texts=[*texts], most=most, marks=marks)
    return cast(_Picture, bars | more)


def _cells(values: ArrayLike, names: Iterable[str] = (), **more: Any) -> _Picture:
    return cast(_Picture, _Picture(kind="cells", names=[*names], values=_plain(values), is_signed=True) | more)


def _largest(values: NDArray[Any], n: int = _N_BAR) -> list[int]:
    return [int(i) for i in np.argsort(-values, kind="stable")[:n]]


def _head() -> tuple[Any, Sequence[str], tuple[int, int]]:
    """Return the sentence's attention, its words, and the head that looks at what comes next."""
    seen = _sentence()
    return seen.record, [_name(token) for token in seen.given.tokens], head_attending_to_prediction(seen.record)


def _in_head(**also: object) -> dict[str, object]:
    _, words, (layer, head) = _head()
    return {"layer": layer, "head": head, "word": words[-1], **also}


def _token() -> _Picture:
    given = _sentence().given
    last = slice(-_N_BAR, None)
    return {
        "kind": "words", "names": [_name(token) for token in given.tokens[last]], "values": [*given.ids[last]],
        "caption": LABELS("token", n_token=len(given.ids), n_vocabulary=given.config.vocab_size),
    }  # fmt: skip


def _embedding() -> _Picture:
    found = _of_sentence("tokens.one-hot-look-up")
    rows = [found.given.tokens.index(f" {word}") for word in ("kite", "hat", "wind")]
    names = [_name(found.given.tokens[i]) for i in rows]
    shown = found.vectors.rows[rows, :_N_NUMBER]
    return _cells(shown, names, caption=LABELS("embedding", n_all=found.vectors.rows.shape[1], n_shown=_N_NUMBER))


def _positions() -> _Picture:
    vectors = _result("positions.clock-hands").vectors[:_N_POSITION]
    names = [str(t) if t % 3 == 0 else "" for t in range(len(vectors))]
    return _cells(vectors, names, caption=LABELS("positions", n_position=len(vectors), n_number=vectors.shape[1]))


def _attention() -> _Picture:
    record, words, at = _head()
    weights = record.weights[at][-1]
    top = _largest(weights)
    first, second = (LABELS("read", word=words[i], share=_percent(weights[i])) for i in top[:2])
    return _bars(
        [words[i] for i in top], weights[top], [_percent(weights[i]) for i in top],
        caption=LABELS("attention", **_in_head(first=first, second=second)),
    )  # fmt: skip


def _attention_head() -> _Picture:
    record, words, at = _head()
    return _cells(record.weights[at], words, is_signed=False, caption=LABELS("attention_head", **_in_head()))


def _query() -> _Picture:
    record, words, at = _head()
    query = record.q[at][-1]
    return _cells([query], [words[-1]], caption=LABELS("query", **_in_head(n_number=len(query))))


def _key() -> _Picture:
    record, words, at = _head()
    scores = record.scores[at][-1]
    shown = [*_largest(scores, 2), int(scores.argmin())]
    return _cells(
        record.k[at][shown], [words[i] for i in shown], texts=[f"{scores[i]:.1f}" for i in shown], marks=[0],
        caption=LABELS("key", **_in_head(best=words[shown[0]])),
    )  # fmt: skip


def _value() -> _Picture:
    record, words, at = _head()
    weights, values = record.weights[at][-1], record.v[at]
    top = _largest(weights, 2)
    rows = [*(weights[i] * values[i] for i in top), weights @ values]
    names = [LABELS("share_of", share=_percent(weights[i]), word=words[i]) for i in top]
    return _cells(rows, [*names, LABELS["sum"]], caption=LABELS("value", **_in_head()), marks=[2])


def _softmax() -> _Picture:
    record, words, at = _head()
    scores, weights = record.scores[at][-1], record.weights[at][-1]
    top = _largest(scores)
    return _bars(
        [words[i] for i in top], weights[top], [f"{scores[i]:.1f} → {_percent(weights[i])}" for i in top],
        caption=LABELS("softmax", total=_percent(float(weights.sum()))),
    )  # fmt: skip


def _mask() -> _Picture:
    record, words, _ = _head()
    return _cells(record.mask.astype(int), words, is_signed=False, caption=LABELS["mask"])


def _feed_forward() -> _Picture:
    found = _of_sentence("block.units")
    told = LABELS("feed_forward", n_on=int(found.n_on[-1]), n_unit=found.n_unit)
    return _cells(found.act[-1].reshape(8, -1), caption=told)


def _residual() -> _Picture:
    found = _of_sentence("block.through-the-block").vectors
    stages = ["stream in", "attention writes", "feed-forward writes", "stream after feed-forward"]
    names = LABELS.options("residual", "in", "attention", "mlp", "out").values()
    rows = [found[stage][:_N_NUMBER] for stage in stages]
    return _cells(rows, names, caption=LABELS("residual.caption"), marks=[3])


def _layer() -> _Picture:
    layers = [_of_sentence("block.through-the-block", layer=n).vectors for n in range(_sentence().given.config.n_layer)]
    rows = [layers[0]["stream in"], *(vectors["stream after feed-forward"] for vectors in layers)]
    names = [LABELS["residual.in"], *(LABELS("layer.after", layer=n) for n in range(len(layers)))]
    told = LABELS("layer", n_layer=len(layers), word=_head()[1][-1])
    return _cells([row[:_N_NUMBER] for row in rows], names, caption=told)


def _next() -> tuple[NDArray[Any], Sequence[str]]:
    """Return the logits of the next token, and all tokens."""
    seen = _sentence()
    return seen.record.logits[-1], [_name(token) for token in seen.given.vocabulary]


def _logits() -> _Picture:
    logits, names = _next()
    top = _largest(logits)
    return _bars(
        [names[i] for i in top], logits[top], [f"{logits[i]:.1f}" for i in top],
        caption=LABELS("logits", n_vocabulary=len(logits)),
    )  # fmt: skip


def _temperature() -> _Picture:
    logits, names = _next()
    top = int(logits.argmax())
    shares = [float(FilterSettings(temperature=t).probabilities(logits)[top]) for t in _TEMPERATURES]
    return _bars(
        [f"T = {t:g}" for t in _TEMPERATURES], shares, map(_percent, shares), marks=[],
        caption=LABELS("temperature", word=names[top]),
    )  # fmt: skip


def _top_p() -> _Picture:
    logits, names = _next()
    before, after = FilterSettings().probabilities(logits), FilterSettings(top_p=_TOP_P).probabilities(logits)
    top = _largest(before, 5)
    return _bars(
        [names[i] for i in top], before[top], [_percent(before[i]) for i in top], marks=[],
        off=[n for n, i in enumerate(top) if after[i] == 0],
        caption=LABELS("top_p", n_kept=int((after > 0).sum()), share=_percent(_TOP_P)),
    )  # fmt: skip


def _loss() -> _Picture:
    found = _result("next-token.each-token")
    losses = found.losses.loss[1:]
    shown = [*_largest(losses, 3), int(losses.argmin())]
    return _bars(
        [_name(found.tokens[i + 1]) for i in shown], losses[shown],
        [LABELS("loss_of", share=_percent(found.losses.probability[i + 1]), loss=losses[i]) for i in shown],
        caption=LABELS("loss", mean=found.mean),
    )  # fmt: skip


def _perplexity() -> _Picture:
    found = _result("next-token.each-token")
    blind = float(np.exp(found.blind))
    return _bars(
        LABELS.options("perplexity", "model", "blind").values(), [found.perplexity, blind],
        [f"{found.perplexity:.1f}", f"{blind:.0f}"],
        caption=LABELS("perplexity.caption", perplexity=found.perplexity, n_vocabulary=round(blind)),
    )  # fmt: skip


def _ngram() -> _Picture:
    found = _result("ngrams.counting-pairs")
    row = int((found.counts > 0).sum(1).argmax())  # the word that the most different words follow
    counts, first = found.counts[row], _name(found.row_names[row])
    top = _largest(counts)
    return _bars(
        [f"{first} {_name(found.column_names[i])}" for i in top], counts[top], [f"{counts[i]:,.0f}" for i in top],
        caption=LABELS("n_gram", first=first),
    )  # fmt: skip


def _beam_search() -> _Picture:
    found = _result("beam.tree")
    texts = found.found.hypotheses
    chances = [found.p(text) for text in texts]
    told = LABELS("beam_search", n_beam=len(texts), greedy=_percent(found.p(found.greedy)))
    return _bars(map(found.written, texts), chances, map(_percent, chances), caption=told)


def _cross_attention() -> _Picture:
    found = _result("encoder-decoder.looks-back")
    weights = found.seen.cross[found.layer, 0, : len(found.written)]
    return _cells(
        weights, found.written, is_signed=False,
        caption=LABELS("cross_attention", source=" ".join(found.source.words)),
    )  # fmt: skip


HOME, NEXT, EACH = "home.sentence-through", "next-token.what-comes-next", "next-token.each-token"
# term -> the exhibit whose numbers it shows, and its picture
_PICTURES: Mapping[str, tuple[str, Callable[[], _Picture]]] = {
    "token": (HOME, _token),
    "embedding": ("tokens.one-hot-look-up", _embedding),
    "positional-encoding": ("positions.clock-hands", _positions),
    "attention": (HOME, _attention),
    "attention-head": (HOME, _attention_head),
    "query": (HOME, _query),
    "key": (HOME, _key),
    "value": (HOME, _value),
    "softmax": (HOME, _softmax),
    "mask": (HOME, _mask),
    "feed-forward-part": ("block.units", _feed_forward),
    "residual-path": ("block.through-the-block", _residual),
    "layer": ("block.through-the-block", _layer),
    "logits": (HOME, _logits),
    "temperature": (NEXT, _temperature),
    "top-p": (NEXT, _top_p),
    "loss": (EACH, _loss),
    "perplexity": (EACH, _perplexity),
    "n-gram": ("ngrams.counting-pairs", _ngram),
    "beam-search": ("beam.tree", _beam_search),
    "cross-attention": ("encoder-decoder.looks-back", _cross_attention),
}


@cache
def term_pictures() -> dict[str, _Picture]:
    """Return the picture of each main term, by the term's name in addresses. Computed once per process."""
    return {term: {**draw(), "exhibit": exhibit} for term, (exhibit, draw) in _PICTURES.items()}


warm_up = term_pictures  # before a visitor asks: they take two to three seconds
