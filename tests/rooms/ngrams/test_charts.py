"""The charts and widgets of n-grams: what is infinite is drawn as such, and messages hold what is shown."""

import math
from typing import Any

import numpy as np
import pytest

from core.rooms.ngrams import perplexity_chart
from core.rooms.ngrams.formatting import size
from core.rooms.ngrams.markov import in_letters
from core.rooms.ngrams.ngram_counts_widget import ngram_counts
from core.rooms.ngrams.ngram_factors_widget import ngram_factors
from core.rooms.ngrams.ngram_samples_widget import Card, ngram_samples
from core.ui.exhibit.words import fill, words_of


def test_an_infinite_value_stands_at_the_top_with_its_name() -> None:
    spec = perplexity_chart.by_order({"a": [20, 5, math.inf], "b": [19, 4, 2]}, y_title="perplexity")
    rows = {(row["name"], row["order"]): row for row in spec["datasets"]["rows"]}
    top = spec["layer"][0]["encoding"]["y"]["scale"]["domain"][1]
    assert rows["a", 3]["told"] == "infinite"
    assert rows["a", 3]["value"] == top > 20
    assert [layer["mark"]["text"] for layer in spec["layer"] if layer["mark"]["type"] == "text"] == ["infinite"]
    assert max(spec["layer"][0]["encoding"]["y"]["axis"]["values"]) <= 20 * 1.02


def test_nothing_is_called_infinite_without_reason_and_all_may_be() -> None:
    spec = perplexity_chart.by_order({"a": [20, 5]}, y_title="perplexity")
    assert not [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    perplexity_chart.by_order({"a": [math.inf, math.inf]}, y_title="perplexity")


def test_a_small_share_is_not_called_nothing() -> None:
    assert [perplexity_chart.told_share(share) for share in (0, 0.0004, 0.109, 1)] == [
        "0.0%",
        "<0.1%",
        "10.9%",
        "100.0%",
    ]
    assert len(perplexity_chart.shares([0.1, math.nan], y_title="")["datasets"]["rows"]) == 1


def test_formulas_are_the_lectures() -> None:
    assert in_letters(2, 9) == (
        r"p(x_1, \dots, x_{9}) = p(x_{1}) p(x_{2} \mid x_{1}) \prod_{t=3}^{9} p(x_t \mid x_{t-1})"
    )
    assert in_letters(3, 9) == (
        r"p(x_1, \dots, x_{9}) = p(x_{1}) p(x_{2} \mid x_{1}) p(x_{3} \mid x_{1}, x_{2}) "
        r"\prod_{t=4}^{9} p(x_t \mid x_{t-2}, x_{t-1})"
    )
    assert in_letters(3, 2) == r"p(x_1, \dots, x_{2}) = p(x_{1}) p(x_{2} \mid x_{1})"
    assert in_letters(2, 1) == "p(x_1) = p(x_{1})"


@pytest.mark.parametrize(
    ("smoothing", "expected"),
    [
        ("mle", "= 3 / 12 = 0.25"),
        ("lidstone", "= (3 + 0.5) / (12 + 0.5 · 100) = 0.25"),
        ("interpolated", "= (3 + 4 · 5 · 0.1) / (12 + 4 · 5) = 0.25"),
        ("kneser_ney", "= max(3 − 0.75, 0) / 12 + 0.75 · 5 / 12 · 0.1 = 0.25"),
    ],
)
def test_a_factor_tells_its_counts(smoothing: str, expected: str) -> None:
    line = factor(smoothing=smoothing, count=3, total=12, value="0.25", lower="0.1")
    assert line.startswith("p(b⏎ | ·a) = ")
    assert expected in line
    assert (
        factor(smoothing="mle", count=3, total=12, value="0.25", plainly=True)
        == "“b⏎” comes 3 of 12 times after “·a”: 0.25"
    )


def test_after_a_past_never_seen_there_is_nothing_to_divide_by() -> None:
    unseen = {"count": 0, "total": 0}
    assert "nothing to divide by: 0" in factor(smoothing="mle", value="0", **unseen)
    assert "the order below decides: 0.1" in factor(smoothing="interpolated", value="0.1", **unseen)
    assert "all tokens are equally likely: 0.01" in factor(smoothing="lidstone", value="0.01", plainly=True, **unseen)


def factor(**given: Any) -> str:
    usual = {"h": "·a", "w": "b⏎", "types": 5, "lower": "", "k": 0.5, "V": 100, "strength": 4, "discount": 0.75}
    given = usual | {"is_highest": True, "plainly": False} | given
    return fill(words_of("ngrams", "markov").sections["factor"].text, given.__getitem__, is_plain=True)


def test_sizes() -> None:
    assert [size(v) for v in (0, 0.25, 3.14e-8, math.inf)] == ["0", "0.25", "3.1·10⁻⁸", "infinite"]


def test_shapes_that_do_not_match_are_refused() -> None:
    with pytest.raises(ValueError, match=r"do not match \(2, 1\) tokens"):
        ngram_counts(np.zeros((3, 3)), np.zeros(3), rows=["a", "b"], columns=["c"], key="x")
    with pytest.raises(ValueError, match="2 rows of 1"):
        ngram_factors(
            np.zeros((1, 1)), np.zeros((1, 1), int), tokens=["a"], rows=["1", "2"], details=[], products=np.ones(2),
            log_sums=np.ones(2), perplexities=np.ones(2), key="x",
        )  # fmt: skip
    with pytest.raises(ValueError, match="2 tokens and 1 prob"):
        ngram_samples([Card("t", "", [], ["a", "b"], [0.5], (0, 1), "")], key="x")
