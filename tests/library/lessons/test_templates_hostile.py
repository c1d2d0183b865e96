"""A lesson's template ends, stays small and changes nothing, whatever is written in it; honest ones work as before."""

import tracemalloc
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from core.lessons.computed_answers import compute_answer
from core.lessons.format import catalog
from core.lessons.format.lesson import PredictQuestion
from core.lessons.format.templates import TemplateRefused, evaluate_expression, fill_template, template_work_limit
from tests.counts import at_most, count

MOST_BYTES = 120 * 2**20  # two arrays of the size that is allowed, and some
DOUBLED = {
    "'xxxxxxxxxx'": ("a ~ a", "a + a"),
    "[1]": ("a + a", "[a, a]"),
    "(1,)": ("(a, a)",),
    "{1: 2}": ("{1: a, 2: a}",),
    "9": ("a * a", "a ** 9"),
    "['x', 'y']": ("[a|join, a|join]",),
    "'xy'": ("a|join(a)",),
    "column": ("a + a.T",),
}
GROWING = (
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "{% for i in range(99999) %}{% if numbers.sum() %}{% endif %}{% endfor %}",
    "{% for i in range(99999) %}{{ i }}{% endfor %}",
    "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{% macro a() %}{{ a() }}{{ a() }}{% endmacro %}{{ a() }}",
    "{{ '%500000000d' % 1 }}",
    "{{ 1|of('99999d') }}",
    "{{ 1|small(500000000) }}",
    "{{ 5|round(-1000000000) }}",
    "{{ range(99999)|join('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') }}",
    "{{ column == column.T }}",
    "{{ column in column.T }}",
    "{{ numbers[range(99999)|list] }}",
    *(
        f"{{% set a = {begin} %}}{f'{{% set a = {twice} %}}' * 40}{{{{ a }}}}"
        for begin, all_of in DOUBLED.items()
        for twice in all_of
    ),
)


@dataclass(frozen=True)
class Result:
    """An exhibit's, with a text, a list, and arrays."""

    numbers: Any
    column: Any

    def at(self, n: Any = 0) -> Any:
        return n


RESULT = Result(np.arange(600_000.0).reshape(300, 2000), np.zeros((40_000, 1)))
NAMED = {
    "numbers": RESULT.numbers,
    "column": RESULT.column,
    "text": "abc" * 900,
    "words": ["a", "b"] * 900,
    "at": RESULT.at,
}


def named(name: str) -> Any:
    """Return a value for any name, so that each template runs."""
    return NAMED.get(name, 2)


def bounded(text: str) -> bool:
    """Fill a template within its bounds; whether it was refused."""
    before = RESULT.numbers.copy()
    tracemalloc.start()
    try:
        with at_most(5):
            said = fill_template(text, named)
        assert len(said) <= 2 * template_work_limit.MAX_SIZE
        return False
    except TemplateRefused:
        return True
    finally:
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < MOST_BYTES
        assert np.array_equal(before, RESULT.numbers)


@pytest.mark.parametrize("text", GROWING)
def test_what_grows_without_end_is_refused(text: str) -> None:
    """Fault: a lesson's template holds up the server, or fills its memory."""
    assert bounded(text)


ATOMS = st.sampled_from(
    ["1", "9999", "-1", "0.5", "'xyz'", "'%99999d'", "text", "words", "numbers", "column", "a", "none"]
)
OPERATORS = st.sampled_from(["+", "-", "*", "/", "//", "%", "**", "~", "<", "==", "in", "and", "or"])
FILTERS = st.sampled_from(
    [
        "abs",
        "dictsort",
        "first",
        "float",
        "int",
        "join",
        "last",
        "length",
        "list",
        "lower",
        "max",
        "min",
        "round(9)",
        "round(-99999)",
        "string",
        "sum",
        "of('9999d')",
        "small(9)",
        "small(9999)",
        "short",
        "signed",
        "times",
        "in_bytes",
        "plural('x')",
        "token",
        "size",
        "join('xxxxxxxx')",
        "markdown",
    ]
)
METHODS = st.sampled_from([".T", ".sum(0)", ".tolist()", ".sum(out=numbers)", ".max(axis=1, keepdims=true)"])


def grown(inner: "st.SearchStrategy[str]") -> "st.SearchStrategy[str]":
    """Expressions made of smaller ones."""
    return st.one_of(
        st.tuples(inner, OPERATORS, inner).map(lambda one: f"({one[0]} {one[1]} {one[2]})"),
        st.tuples(inner, FILTERS).map("|".join),
        st.tuples(inner, inner).map(lambda one: f"[{one[0]}, {one[1]}]"),
        st.tuples(inner, inner).map(lambda one: f"{one[0]}[{one[1]}]"),
        st.tuples(
            inner, st.sampled_from([".T", ".sum(0)", ".tolist()", ".sum(out=numbers)", ".max(axis=1, keepdims=true)"])
        ).map("".join),
        inner.map(lambda one: f"range({one})|list"),
        inner.map(lambda one: f"at({one})"),
    )


EXPRESSIONS = st.recursive(ATOMS, grown, max_leaves=6)
STATEMENTS = st.recursive(
    EXPRESSIONS.map("{{{{ {} }}}}".format) | EXPRESSIONS.map("{{% set a = {} %}}".format),
    lambda inner: st.one_of(
        st.tuples(EXPRESSIONS, inner).map(lambda one: f"{{% for a in {one[0]} %}}{one[1]}{{% endfor %}}"),
        st.tuples(EXPRESSIONS, inner).map(lambda one: f"{{% if {one[0]} %}}{one[1]}{{% endif %}}"),
        st.tuples(inner, st.integers(1, 30)).map(lambda one: one[0] * one[1]),
        st.tuples(inner, inner).map("".join),
    ),
    max_leaves=4,
)


@pytest.mark.slow
@settings(max_examples=count(60, 3_000), deadline=None)
@example("{{ 1 / numbers }}")
@example("{{ numbers % 0 }}")
@example("{{ 1 ~ 1[1] }}")
@given(STATEMENTS)
def test_no_template_grows_or_changes_what_it_reads(text: str) -> None:
    """Fault: some mix of allowed steps has no bound, raises something else than a refusal, or writes into an array."""
    bounded(text)


def test_what_honest_templates_do_stays() -> None:
    """Fault: a count around a part changes what the part gives."""
    text = (
        "{% set row = numbers[1] %}{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 'a' ~ 1 ~ text[:3] }} {{ (1, 2)[1] }} "
        "{{ [1] + [2] }} "
        "{% for one in words[:3] %}{{ loop.index }}/{{ loop.length }}{{ one }}"
        "{% if not loop.last %}, {% endif %}{% endfor %} "
        "{{ row[3]|of('.1f') }} {{ (row == row).all() }} {{ 2 in [1, 2] }} {{ {'k': 7}['k'] }} "
        "{{ words|length }} {{ 9 ** 2 }}"
    )
    said = fill_template(text, named)
    assert said == "True False a1abc 2 [1, 2] 1/3a, 2/3b, 3/3a 2003.0 True True 7 1800 81"
    assert evaluate_expression("numbers[0][:2]", named) == [0.0, 1.0]


def test_a_slice_beside_a_place_is_refused_in_words() -> None:
    """Fault: Jinja makes a program of it that Python can't read, and the lessons' page shows a traceback."""
    with pytest.raises(TemplateRefused, match="a slice stands alone"):
        fill_template("{{ numbers[0, :2] }}", named)


@pytest.mark.full
def test_our_lessons_take_a_tenth_of_what_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: the bounds are so narrow that an honest lesson meets them."""
    spent: list[int] = []
    monkeypatch.setattr(
        template_work_limit._Meter,
        "__del__",
        lambda meter: spent.append(template_work_limit.MAX_WORK - meter.left),
        raising=False,
    )
    parts = [part for one in catalog.catalog_lessons().values() for step in one.steps for part in step.parts]
    for part in parts:
        if isinstance(part, PredictQuestion):
            compute_answer(part, is_rehearsed=True)
    assert len(spent) > 100 and max(spent) < template_work_limit.MAX_WORK / 10
