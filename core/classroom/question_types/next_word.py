"""The class as a language model: its words for continuing a story, compared with the probabilities of small models.

The share of the class that chose a word is its probability, and the loss is minus the logarithm of the probability of
the true next word. That word is known, because the stories are new ones from the grammar that the models learned.
"""

import html
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.classroom.question_types.unseen_stories import append_word
from core.data.corpora import load as corpus
from core.data.localization.labels import module_labels
from core.data.tokenizers.incremental_decoding import decode_continuation
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.exhibit import memoize
from core.generate.decode import generate
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.models.ngram import NGram

LABELS = module_labels(__name__)

MOST_READ = 80  # tokens of the text that a model reads
MOST_OWN = 12  # tokens of a word
N_SHOWN = 8
ORDER = 3
MODELS = {"GPT": "stories", "GRU": "stories-gru"}
NGRAM_NAME = f"{ORDER}-gram"


def compare_next_words(text: str, given: str, said: Sequence[str], truth: str | None) -> str:
    """Compare the class's words with the models' probabilities, and show how the models would continue: HTML.

    Args:
        text: the text to continue.
        given: the teacher's part of it; the rest is the class's.
        said: one word of each learner who answered.
        truth: the true next word, or None if it isn't known.
    """
    share = Counter(one.casefold() for one in said)
    spelled = {one.casefold(): one for one in reversed(said)}
    words = [spelled[one] for one, _ in share.most_common(N_SHOWN)]
    for one in (_favorite(text), truth):
        if one is not None and one.casefold() not in map(str.casefold, words):
            words.append(one)
    columns: dict[str, list[float]] = {
        LABELS["the_class"]: [share[one.casefold()] / max(1, len(said)) for one in words],
        **{name: [_probability(model, text, one) for one in words] for name, model in _models().items()},
    }
    head = "".join(f"<th>{name}</th>" for name in columns)
    rows = [
        f"<tr><th>{_mark(word, truth)}</th>{''.join(_bar(column[i]) for column in columns.values())}</tr>"
        for i, word in enumerate(words)
    ]
    if truth is not None:
        at = [one.casefold() for one in words].index(truth.casefold())
        losses = "".join(f"<td>{_loss(column[at])}</td>" for column in columns.values())
        rows.append(f"<tr><th>{LABELS['loss']}</th>{losses}</tr>")
    n_own = len(text[len(given) :].split())
    alone = ""
    if n_own:
        alone = f"<p>{LABELS('alone', text=f'<em>{html.escape(_alone(given, n_own))}</em>')}</p>"
    return f'<table class="words"><tr><th></th>{head}</tr>{"".join(rows)}</table>{alone}'


def gpt_tokens(text: str) -> tuple[str, ...]:
    """Split a text into the tokens that the GPT reads."""
    tokenizer = _models()["GPT"].tokenizer
    return tuple(tokenizer.decode([one]) for one in tokenizer.encode(text))


def _mark(word: str, truth: str | None) -> str:
    is_truth = truth is not None and word.casefold() == truth.casefold()
    return html.escape(word) + (" <b>✓</b>" if is_truth else "")


def _bar(share: float) -> str:
    text = f"{share:.0%}" if share >= 0.005 or share == 0 else "&lt;1%"
    return f'<td><span class="bar"><i style="width: {share:.0%}"></i></span> {text}</td>'


def _loss(share: float) -> str:
    return f"{max(0.0, -math.log(share)):.2f}" if share > 0 else "∞"


@dataclass(frozen=True)
class _Reader:
    """A model with its tokenizer; `logits` returns (T, V), the scores after each token of a text."""

    logits: Callable[[list[int]], Tensor]
    tokenizer: Tokenizer


def _models() -> dict[str, _Reader]:
    def net(folder: str) -> _Reader:
        found = load_text_model(ModelKey.at(folder))

        def logits(ids: list[int]) -> Tensor:
            with torch.no_grad():
                made: Tensor = found.model(torch.tensor([ids]))[0]
            return made

        return _Reader(logits, found.text_tokenizer)

    nets = {name: net(folder) for name, folder in MODELS.items()}
    return nets | {NGRAM_NAME: _Reader(lambda ids: _counted().logits([ids])[0], nets["GPT"].tokenizer)}


@memoize(1)
def _counted() -> NGram:
    tokenizer = load_text_model(ModelKey.at(MODELS["GPT"])).text_tokenizer
    return NGram(ORDER, tokenizer.vocab_size, "interpolated").fit(tokenizer.encode(corpus("stories").text))


def _probability(model: _Reader, text: str, word: str) -> float:
    """Return the probability of a word after a text, the product over its tokens; 0 if it can't be spelled."""
    before, both = model.tokenizer.encode(text), model.tokenizer.encode(append_word(text, word))
    ids, own = before[-MOST_READ:], both[len(before) :]
    if not own or len(own) > MOST_OWN or model.tokenizer.decode(both) != append_word(text, word):
        return 0.0
    scores = torch.log_softmax(model.logits(ids + own).double(), -1)
    return math.exp(sum(float(scores[len(ids) - 1 + i, one]) for i, one in enumerate(own)))


def _favorite(text: str) -> str:
    """Return the GPT's most probable next token, without its leading space."""
    model = _models()["GPT"]
    ids = model.tokenizer.encode(text)[-MOST_READ:]
    return decode_continuation(model.tokenizer, ids, [int(model.logits(ids)[-1].argmax())]).strip() or "."


def _alone(given: str, n_word: int) -> str:
    """Continue a beginning by `n_word` words of the GPT, decoding greedily."""
    found: Any = load_text_model(ModelKey.at(MODELS["GPT"]))
    ids = found.tokenizer.encode(given)[-MOST_READ:]
    made: list[int] = []
    for step in generate(found.model, torch.tensor([ids]), 3 * n_word, greedy=True):
        made.append(int(step.token))
        text = decode_continuation(found.tokenizer, ids, made)
        if len(text.split()) > n_word:
            break
    return f"{given}{' ' * text[:1].isspace()}{' '.join(text.split()[:n_word])}"
