"""The glossary's file holds what it promises, and a wrong file says what is wrong, line by line."""

import re

import pytest

from core.data import glossary
from core.lessons.room_links import find_room_of_exhibit
from core.rooms import all_exhibits

GOOD = "## key\nWhat a position is found by.\n- forms: only key vector\n- see: steps\n"


def test_it_is_long_and_in_order() -> None:
    terms = glossary.glossary_terms()
    assert len(terms) >= 150
    assert [term.name.casefold() for term in terms] == sorted(term.name.casefold() for term in terms)
    assert len({term.slug for term in terms}) == len(terms)
    assert all(term.elsewhere for term in terms)


def test_every_place_exists() -> None:
    for term in glossary.glossary_terms():
        for name in term.see:
            assert name in all_exhibits() or ("." not in name and find_room_of_exhibit(name)), (term.name, name)


def test_the_address_of_an_exhibit_is_its_name_in_the_catalogue() -> None:
    """Links lead to `masks#kinds-of-masks`; the anchor comes from the draw function."""
    for name, entry in all_exhibits().items():
        assert name.split(".")[1] == entry.location.split(":")[1].replace("_", "-"), name


def test_definitions_are_plain_text() -> None:
    """They are on cards, where Markdown and LaTeX would be shown as source text."""
    for term in glossary.glossary_terms():
        assert not re.search(r"[*`$\\\[]", term.definition.replace("[MASK]", "")), term.name
        assert term.formula.count("$") % 2 == 0, term.name


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (GOOD + GOOD, "line 5: the term “key”"),
        ("## key\n- see: steps\n", "line 1: the definition"),
        (GOOD + "## value\nWhat is read\n- see: steps\n", "line 5: the definition"),
        (GOOD + "- frm: x\n", "line 5: “- frm: x”"),
        (GOOD + "- see: masks\n", "line 5: “key” has see twice"),
        ("## key\nFound by it.\n", "does not say where"),
        (GOOD + "## code\nA thing.\n- forms: Key vector\n- see: steps\n", "the form “key vector”"),
        ("## key\n" + "a" * 400 + ".\n- see: steps\n", "a card holds"),
        ("nothing", "there is no term"),
    ],
)
def test_a_wrong_file_is_refused_by_line(wrong: str, said: str) -> None:
    with pytest.raises(glossary._GlossaryRefused, match=re.escape(said)):
        glossary._parse_glossary(wrong)


def test_forms() -> None:
    (key,) = glossary._parse_glossary(GOOD)
    assert key.forms == ("key vector",)
    plurals = [glossary.regular_plural(word) for word in ("key", "loss", "entropy", "batch", "[CLS]")]
    assert plurals == ["keys", "losses", "entropies", "batches", "[CLS]"]
