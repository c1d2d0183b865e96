"""The charts and widgets of n-grams: what is infinite is drawn as such, and messages hold what is shown."""

import math

import numpy as np
import pytest

from core.rooms.ngrams import perplexity_chart
from core.rooms.ngrams.formatting import factor_in_words, formula, size
from core.rooms.ngrams.ngram_counts_widget import ngram_counts
from core.rooms.ngrams.ngram_factors_widget import ngram_factors
from core.rooms.ngrams.ngram_samples_widget import Card, ngram_samples
from core.rooms.ngrams.perplexity_chart import OrderCurve


def test_an_infinite_value_stands_at_the_top_with_its_name() -> None:
    spec = perplexity_chart.by_order(
        [OrderCurve("a", [20, 5, math.inf]), OrderCurve("b", [19, 4, 2])], y_title="perplexity"
    )
    rows = {(row["name"], row["order"]): row for row in spec["datasets"]["rows"]}
    top = spec["layer"][0]["encoding"]["y"]["scale"]["domain"][1]
    assert rows["a", 3]["told"] == "infinite"
    assert rows["a", 3]["value"] == top > 20
    assert [layer["mark"]["text"] for layer in spec["layer"] if layer["mark"]["type"] == "text"] == ["infinite"]
    assert max(spec["layer"][0]["encoding"]["y"]["axis"]["values"]) <= 20 * 1.02


def test_nothing_is_called_infinite_without_reason_and_all_may_be() -> None:
    spec = perplexity_chart.by_order([OrderCurve("a", [20, 5])], y_title="perplexity")
    assert not [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    perplexity_chart.by_order([OrderCurve("a", [math.inf, math.inf])], y_title="perplexity")


def test_curves_need_names_and_one_length() -> None:
    for curves in (
        [OrderCurve("a", [1]), OrderCurve("a", [1])],
        [OrderCurve("a", [1]), OrderCurve("b", [1, 2])],
    ):
        with pytest.raises(ValueError, match="different names"):
            perplexity_chart.by_order(curves, y_title="")


def test_a_small_share_is_not_called_nothing() -> None:
    assert [perplexity_chart.told_share(share) for share in (0, 0.0004, 0.109, 1)] == [
        "0.0%",
        "<0.1%",
        "10.9%",
        "100.0%",
    ]
    assert len(perplexity_chart.shares([0.1, math.nan], y_title="")["datasets"]["rows"]) == 1


def test_formulas_are_the_lectures() -> None:
    assert formula(2, 9) == (r"p(x_1, \dots, x_{9}) = p(x_{1}) p(x_{2} \mid x_{1}) \prod_{t=3}^{9} p(x_t \mid x_{t-1})")
    assert formula(3, 9) == (
        r"p(x_1, \dots, x_{9}) = p(x_{1}) p(x_{2} \mid x_{1}) p(x_{3} \mid x_{1}, x_{2}) "
        r"\prod_{t=4}^{9} p(x_t \mid x_{t-2}, x_{t-1})"
    )
    assert formula(3, 2) == r"p(x_1, \dots, x_{2}) = p(x_{1}) p(x_{2} \mid x_{1})"
    assert formula(2, 1) == "p(x_1) = p(x_{1})"


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
    told = {"count": 3, "total": 12, "types": 5, "lower": 0.1, "p": 0.25, "k": 0.5, "vocab_size": 100}
    line = factor_in_words([" a"], "b\n", smoothing=smoothing, is_highest=True, **told)
    assert line.startswith("p(b⏎ | ·a) = ")
    assert expected in line


def test_after_a_past_never_seen_there_is_nothing_to_divide_by() -> None:
    told = {"count": 0, "total": 0, "types": 0, "lower": 0.1, "k": 1, "vocab_size": 100, "is_highest": True}
    assert "nothing to divide by: 0" in factor_in_words(["a"], "b", smoothing="mle", p=0, **told)
    assert "the order below decides: 0.1" in factor_in_words(["a"], "b", smoothing="interpolated", p=0.1, **told)


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
