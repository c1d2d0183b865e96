"""The glossary's small pictures: each number once more, by another way than the exhibit's."""

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from core.data import glossary
from core.inspect.attention_record import WeightArrays
from core.inspect.numpy_reference.numpy_forward import numpy_forward
from core.lessons import glossary_pictures
from core.lessons.glossary_pictures import _N_NUMBER, _PICTURES, _TEMPERATURES, _TOP_P, term_pictures
from core.models.registry import to_dict
from core.rooms import all_exhibits

ROUNDED = 6e-5  # the pictures have four digits


def second_pass(given: Any) -> Any:
    """All tensors of a text, computed by the pass in NumPy."""
    return numpy_forward(to_dict(given.config), WeightArrays(given.model), ids=list(given.ids))


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Term -> the numbers as they should be."""
    seen = glossary_pictures._sentence()
    given, taps = seen.given, second_pass(seen.given)
    _, words, (layer, head) = glossary_pictures._head()
    q, k, v, scores, weights = (
        taps[f"blocks.{layer}.attn.{name}"].reshape(-1, *taps[f"blocks.{layer}.attn.{name}"].shape[-2:])[head]
        for name in ("q", "k", "v", "scores", "weights")
    )
    scores = np.where(np.tri(len(words), dtype=bool), scores, -np.inf)
    order = np.argsort(-weights[-1], kind="stable")
    table = np.asarray(WeightArrays(given.model)["tok_emb.weight"])
    logits = taps["logits"].reshape(-1, given.config.vocab_size)[-1]
    best = np.argsort(-logits, kind="stable")

    def softmax(t: float) -> Any:
        e = np.exp((logits - logits.max()) / t)
        return e / e.sum()

    each = glossary_pictures._result("next-token.each-token")
    text = glossary_pictures._module("next-token.each-token").Inputs().given
    all_logits = second_pass(text)["logits"].reshape(len(text.ids), -1)
    log_p = all_logits - np.log(np.exp(all_logits - all_logits.max(-1, keepdims=True)).sum(-1, keepdims=True))
    log_p = log_p - all_logits.max(-1, keepdims=True)
    losses = np.array([-log_p[t, i] for t, i in enumerate(text.ids[1:])])
    t, i = np.arange(12)[:, None], np.arange(8)
    angles = t / 10_000 ** (2 * i / 16)
    assert len(each.tokens) == len(text.ids)
    return {
        "token": list(given.ids[-4:]),
        "embedding": table[[given.ids[words.index(w)] for w in ("kite", "hat", "wind")], :_N_NUMBER],
        "positional-encoding": np.stack([np.sin(angles), np.cos(angles)], -1).reshape(12, 16),
        "attention": weights[-1][order[:4]],
        "attention-head": weights,
        "query": [q[-1]],
        "key": k[[*order[:2], int(scores[-1].argmin())]],
        "value": [weights[-1, order[0]] * v[order[0]], weights[-1, order[1]] * v[order[1]], weights[-1] @ v],
        "softmax": weights[-1][order[:4]],
        "mask": np.tri(len(words)),
        "logits": logits[best[:4]],
        "temperature": [softmax(t)[best[0]] for t in _TEMPERATURES],
        "top-p": softmax(1)[best[:5]],
        "loss": [*np.sort(losses)[::-1][:3], losses.min()],
        "perplexity": [np.exp(losses.mean()), given.config.vocab_size],
    }


def test_there_are_twenty_one_for_terms_and_exhibits_that_exist() -> None:
    assert len(_PICTURES) == 21
    assert _PICTURES.keys() <= {term.slug for term in glossary.glossary_terms()}
    assert {exhibit for exhibit, _ in _PICTURES.values()} <= all_exhibits().keys()
    assert len(json.dumps(term_pictures())) < 60_000


@pytest.mark.parametrize("term", _PICTURES)
def test_every_picture_is_whole(term: str) -> None:
    picture = term_pictures()[term]
    values = np.asarray(picture["values"], dtype=float)
    assert np.isfinite(values).all() and picture["caption"].endswith((".", "?", "”."))
    for names in (picture["names"], picture.get("texts", [])):
        assert len(names) in (0, len(values))


@pytest.mark.parametrize("term", [
    "token", "embedding", "positional-encoding", "attention", "attention-head", "query", "key", "value", "softmax",
    "mask", "logits", "temperature", "top-p", "loss", "perplexity",
])  # fmt: skip
def test_its_numbers_come_out_of_a_second_computation(found: dict[str, Any], term: str) -> None:
    np.testing.assert_allclose(term_pictures()[term]["values"], found[term], rtol=1e-4, atol=2e-4)


def test_top_p_grays_the_tokens_after_the_line() -> None:
    picture = term_pictures()["top-p"]
    reached = np.cumsum(picture["values"])
    first = int(np.argmax(reached >= _TOP_P))
    assert picture["off"] == list(range(first + 1, len(reached)))


def test_pairs_are_counted_in_the_text() -> None:
    text = glossary_pictures._module("ngrams.counting-pairs").Inputs().text
    pairs = Counter(zip(text.train[:-1], text.train[1:], strict=True))
    picture = term_pictures()["n-gram"]
    counts = {f"{text.names([a])[0].strip()} {text.names([b])[0].strip()}": n for (a, b), n in pairs.items()}
    assert [counts[name] for name in picture["names"]] == picture["values"]


def test_the_others_are_their_exhibits_numbers() -> None:
    result, pictures = glossary_pictures._result, term_pictures()
    sentence = glossary_pictures._of_sentence
    stream = sentence("block.through-the-block").vectors
    rows = np.array(pictures["residual-path"]["values"])
    np.testing.assert_allclose(rows[:3].sum(0), rows[3], atol=3e-4)
    np.testing.assert_allclose(rows[0], stream["stream in"][:_N_NUMBER], atol=ROUNDED)
    units = np.array(pictures["feed-forward-part"]["values"]).ravel()
    np.testing.assert_allclose(units, sentence("block.units").act[-1], atol=ROUNDED)
    cross = result("encoder-decoder.looks-back")
    np.testing.assert_allclose(np.sum(pictures["cross-attention"]["values"], -1), 1, atol=1e-3)
    np.testing.assert_allclose(
        pictures["cross-attention"]["values"], cross.seen.cross[cross.layer, 0, :-1], atol=ROUNDED
    )
    first, second = (sentence("block.through-the-block", layer=n).vectors for n in (0, 1))
    layers = [first["stream in"], second["stream in"], second["stream after feed-forward"]]
    np.testing.assert_allclose(pictures["layer"]["values"], [row[:_N_NUMBER] for row in layers], atol=ROUNDED)
    search = result("beam.tree")
    chances = [np.exp(one.log_prob) for one in search.found.hypotheses]
    np.testing.assert_allclose(pictures["beam-search"]["values"], chances, atol=ROUNDED)
    assert max(chances) == chances[0] >= np.exp(search.greedy.log_prob)
