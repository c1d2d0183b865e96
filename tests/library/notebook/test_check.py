"""`check` accepts right solutions and distinguishes all known mistakes; assembled models are what they claim to be."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from core.data import corpora
from core.models.gpt import GPT
from core.notebook import assemble, check
from core.notebook.exercises import EXERCISES

SLIPS = [(name, said, slip) for name, exercise in EXERCISES.items() for said, slip in exercise.slips]


def called(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function under a learner's name."""

    def own(*given: Any) -> Any:
        return function(*given)

    own.__name__ = name
    return own


@pytest.mark.parametrize("name", EXERCISES)
def test_ours_is_right(name: str) -> None:
    verdict = check(called(name, EXERCISES[name].right), seed=100)
    assert verdict and "right on 20" in repr(verdict)


@pytest.mark.parametrize(("name", "said", "slip"), SLIPS)
def test_a_known_mistake_is_told_by_its_name(name: str, said: str, slip: Callable[..., Any]) -> None:
    verdict = check(called(name, slip), seed=100)
    assert not verdict and verdict.words == f"{name}: {said}"


def softmax_of_hard_mask(q: Any, k: Any, v: Any, mask: Any) -> Any:
    weights = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask, -1e9).softmax(-1)
    return weights @ v, weights


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda *_: None, "gives no weights"),
        (lambda *_: 1 / 0, "stops with ZeroDivisionError: division by zero"),
        (lambda q, k, v, mask: (v[..., :1], softmax_of_hard_mask(q, k, v, mask)[1]), "output has the shape"),
        (lambda *given: [one * 1.01 for one in softmax_of_hard_mask(*given)], "gives no weights"),
        (lambda *given: tuple(one * 1.01 for one in softmax_of_hard_mask(*given)), r"is .*; it should be"),
    ],
)
def test_any_other_mistake_is_told_where_it_is_seen(function: Callable[..., Any], said: str) -> None:
    verdict = check(called("attend", function))
    assert not verdict and re.search(said, verdict.words)


def test_another_way_to_the_same_numbers_is_right() -> None:
    def by_the_cumulative(logits: Any, temperature: float, generator: torch.Generator) -> int:
        shares = (logits / temperature).softmax(-1).cumsum(-1)
        return min(int((shares < torch.rand((), generator=generator)).sum()), len(logits) - 1)

    assert check(called("attend", softmax_of_hard_mask))
    assert check(called("sample", by_the_cumulative))


def test_what_has_no_exercise_is_refused() -> None:
    with pytest.raises(ValueError, match="there are merge, causal, attend"):
        check(called("softmax", torch.softmax))
    with pytest.raises(TypeError, match="check a function"):
        check(3)  # type: ignore[arg-type]


def test_what_is_assembled_of_right_functions_computes_what_our_model_computes() -> None:
    right = {name: EXERCISES[name].right for name in ("merge", "causal", "attend", "block")}
    text = corpora.load("stories").text[:20_000]
    mine = assemble(text, **right, n_merge=60, d_model=16)
    assert mine.tokenizer.decode(mine.ids.tolist()) == text
    same = GPT(mine.model.config)
    same.load_state_dict(mine.model.state_dict())
    ids = next(mine.batches(seed=3, n_step=1))
    assert ids.shape == (16, 33)
    assert torch.allclose(mine.model(ids[:, :-1]), same(ids[:, :-1]), atol=1e-5)
    assert mine.write("Tom", EXERCISES["sample"].right, n=5).startswith("Tom")
    with pytest.raises(ValueError, match="the text has"):
        assemble("Tom", **right)
