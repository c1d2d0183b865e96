"""The rows of a ledger: nets from a record, n-grams counted in the same text, judged on the same slice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.cache import memoize
from core.data.slices import Sliced
from core.data.tokenizers import known_words
from core.data.tokenizers.known_words import ReadText
from core.models.ngram import NGram, Smoothing
from core.rooms.ledger.compute import ledger as computing
from core.rooms.ledger.experiments import ledger as water
from core.rooms.ledger.experiments import ledger_topics as topics
from core.rooms.ledger.ledger_widget import MOST_TOKENS, LedgerRow
from core.train.experiment import rebuild, tokenizer_of
from core.train.experiments.duel import NETS
from core.train.live import Live
from core.ui.frame import scripts
from core.ui.training.trained_models import Trained

ORDERS = (1, 2, 3, 4, 5)
WATER, TOPICS = "water", "topics"
NET_NAMES = {"gru": "GRU", "gpt": "GPT"}


@dataclass(frozen=True)
class Cut:
    """A sentence as the models of a text read it.

    Attributes:
        ids: the start and the sentence.
        tokens: the same, to be shown.
        notes: what a person should know, plain words, not escaped.
        read: the sentence with words in the case that the models know, and those that they do not know.
        known: all words that they know.
    """

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    notes: tuple[str, ...]
    read: ReadText
    known: tuple[str, ...]


def cut(models: Trained, source: str, seed: int, sentence: str) -> Cut:
    """Cut a sentence into tokens, in the case that its words have in the text; tell what was left out."""
    tokenizer: Any = text_of(models, source, seed).tokenizer
    read = known_words.read(tokenizer, sentence.strip())
    pieces = tokenizer.encode(read.text)
    most = water.N_TOKEN if source == WATER else MOST_TOKENS
    why = f"these nets learned lines of {most}" if source == WATER else f"more than {most} columns cannot be read"
    notes = []
    if len(pieces) > most:
        notes.append(f"The sentence has {len(pieces)} tokens, and {why}. Its last {most} are used.")
        pieces = pieces[-most:]
    ids = (*tokenizer.encode(water.START), *pieces)
    return Cut(ids, tuple(tokenizer.tokens(ids)), tuple(notes), read, known_words.known_pieces(tokenizer) or ())


def text_of(models: Trained, source: str, seed: int) -> Any:
    """What everybody learns from and is judged on; the real text is cut by the nets' own tokenizer."""
    return _water(seed) if source == WATER else _topics(models)


@memoize(8)
def _water(seed: int) -> water.Text:
    return water.text(seed)


def is_the_same_text(models: Trained, source: str) -> bool:
    """Whether the nets learned from the text that is here; Python's documentation differs between its versions."""
    return source == WATER or bool((topics.digest(_topics(models)) == models.record["digest"]).all())


@memoize(4)
def _topics(models: Trained) -> Sliced:
    return topics.text(tokenizer_of(models.record))


@memoize(32)
def fitted(models: Trained, source: str, seed: int, order: int, smoothing: Smoothing) -> NGram:
    """An n-gram model, counted in the training text."""
    given = text_of(models, source, seed)
    return NGram(order, given.tokenizer.vocab_size, smoothing).fit(given.ids)


@memoize(32)
def _ngram_mean(models: Trained, source: str, seed: int, order: int, smoothing: Smoothing) -> float:
    given, model = text_of(models, source, seed), fitted(models, source, seed, order, smoothing)
    return computing.ngram_nats(model, given.held, *([] if source == WATER else [given.places]))


@memoize(16)
def _net(models: Trained, source: str, net: str, vocab_size: int) -> Any:
    module: Any = water if source == WATER else topics
    return rebuild(models.record, net, module.config(net, vocab_size)).float()


@memoize(16)
def _net_mean(models: Trained, source: str, seed: int, net: str) -> float:
    given = text_of(models, source, seed)
    model = _net(models, source, net, given.tokenizer.vocab_size)
    if source == WATER:
        return computing.net_nats(model, torch.tensor(given.held))
    return computing.net_nats(model, torch.tensor(given.windows), topics.SIZES.context_length // 2)


@memoize(64)
def rows(models: Trained, source: str, seed: int, smoothing: Smoothing, ids: tuple[int, ...]) -> tuple[LedgerRow, ...]:
    """Uniform, 1- to 5-gram, GRU and GPT on one sentence.

    Args:
        ids: the start and the sentence.
    """
    size, sentence = text_of(models, source, seed).tokenizer.vocab_size, np.array(ids)
    found = [LedgerRow("uniform", "uniform", np.full(len(ids) - 1, 1 / size), float(np.log(size)))]
    for order in ORDERS:
        counts = computing.counted(fitted(models, source, seed, order, smoothing), sentence)
        mean = _ngram_mean(models, source, seed, order, smoothing)
        found.append(LedgerRow(f"{order}-gram", "ngram", counts.p, mean, order=order, counts=counts))
    for net in NETS:
        model = _net(models, source, net, size)
        guesses = computing.guessed(model, sentence)
        mean = _net_mean(models, source, seed, net)
        found.append(LedgerRow(NET_NAMES[net], net, guesses.p, mean, guesses=guesses, width=model.config.d_model))
    return tuple(found)


def table(found: Sequence[LedgerRow], tokens: Sequence[str]) -> dict[str, Any]:
    """One line for each token, one column for each row of the ledger."""
    return computing.table(tokens, {row.name: row.p for row in found})


def script(shown: Live, source: str, smoothing: Smoothing, sentence: str) -> str:
    """The program that makes the same table."""
    is_water = source == WATER
    name = "ledger" if is_water else "ledger_topics"
    return scripts.script(
        """
        import numpy as np

        from core.data.csv_table import print_table
        from core.rooms.ledger.compute import ledger as computing
        from core.models.ngram import NGram
        from core.train.experiment import rebuild, record_of, tokenizer_of
        from core.rooms.ledger.experiments import $module

        record = $record
        given = $module.text($whose)
        tokenizer, size = given.tokenizer, given.tokenizer.vocab_size
        ids = np.array([*tokenizer.encode($start), *tokenizer.encode($sentence)[-$most:]])

        # What each model gives each token, given all tokens before it.
        rows = {"uniform": np.full(len(ids) - 1, 1 / size)}
        for order in $orders:
            rows[f"{order}-gram"] = computing.counted(NGram(order, size, $smoothing).fit(given.ids), ids).p
        for name, net in $nets:
            model = rebuild(record, net, $module.config(net, size)).float()
            rows[name] = computing.guessed(model, ids).p
        print_table(computing.table(tokenizer.tokens(ids.tolist()), rows))
        """,
        module=scripts.Code(name),
        record=scripts.record("ledger" if is_water else "ledger-topics", shown),
        whose=scripts.Code(f"seed={shown.seed}" if is_water else "tokenizer_of(record)"),
        start=water.START,
        sentence=sentence,
        most=water.N_TOKEN if is_water else MOST_TOKENS,
        orders=ORDERS,
        smoothing=smoothing,
        nets=[(NET_NAMES[net], net) for net in NETS],
    )


def arrays(found: Sequence[LedgerRow]) -> dict[str, NDArray[Any]]:
    """The probabilities, and the GPT's attention."""
    weights = found[-1].guesses.weights if found[-1].guesses else None
    given: dict[str, NDArray[Any]] = {f"p.{row.name}": row.p for row in found}
    return given if weights is None else given | {"weights.GPT": weights}
