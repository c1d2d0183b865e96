"""Our own grammars: the same everywhere, true to themselves, and varied."""

import hashlib
import re

from core.data.corpora import load
from core.data.synthetic import NOUNS, bottle_and_cup, write_stories
from core.data.synthetic.story_grammar import COLORS, PEOPLE, TOYS

TOLD = write_stories(600, seed=3).split("\n\n")[:-1]


def test_the_same_seed_tells_the_same_stories() -> None:
    assert write_stories(50, seed=1) == write_stories(50, seed=1)
    assert write_stories(50, seed=1) != write_stories(50, seed=2)
    assert write_stories(50, seed=1).startswith(write_stories(20, seed=1))
    # The shipped model and every recorded curve stand on this text: a change must be meant.
    digest = hashlib.sha256(write_stories(1000, seed=0).encode()).hexdigest()
    assert digest == "d67e5be138d6f857cdaad8b24d4212f54aa7242e4a85ef2642f30e0e24de0a8e"


def test_stories_are_separated_by_a_blank_line_and_differ() -> None:
    assert len(TOLD) == 600
    assert len(set(TOLD)) > 590
    assert all(story[-1] in '.!"' and "\n" not in story and "  " not in story for story in TOLD)


def test_the_default_text_is_long_and_has_few_words() -> None:
    text = load("stories").text
    assert 1_100_000 < len(text) < 1_300_000  # long enough that a small model does not learn it by heart
    assert len(set(re.findall(r"\w+", text.lower()))) < 180


def test_he_and_she_agree_with_the_names() -> None:
    for story in TOLD:
        names = [person for person in PEOPLE if re.search(rf"\b{person.name}\b", story)]
        pronouns = set(re.findall(r"\b(he|she|his|her|him)\b", story.lower()))
        assert 1 <= len(names) <= 2, story
        assert pronouns <= {word for person in names for word in (person.they, person.them, person.their)}, story


def test_colors_stay_with_their_toys() -> None:
    for story in TOLD:
        color_of: dict[str, set[str]] = {}
        for color, toy in re.findall(rf"\b({'|'.join(COLORS)}) ({'|'.join(TOYS)})\b", story):
            color_of.setdefault(toy, set()).add(color)
        assert all(len(colors) == 1 for colors in color_of.values())


def test_what_was_hidden_is_found_where_it_was_put() -> None:
    found = 0
    for story in TOLD:
        put = re.search(r"(?:put it|hid) ((?:under|behind|in|near) the [\w ]*?\w)(?: and|\.)", story)
        last = re.search(r"(?:At last|Then) s?he looked ((?:under|behind|in|near) the [\w ]+)\.", story)
        if put and last:
            assert put[1] == last[1]
            found += 1
    assert found > 150


def test_bottle_and_cup_knows_the_truth() -> None:
    records = bottle_and_cup(2000, seed=0)
    for record in records:
        assert record.first != record.second
        assert record.referent == (record.second if record.ending == "full" else record.first)
        assert record.text_with_answer.endswith(f"{record.ending}. It is the {record.referent}.")
    assert len({record.text for record in records}) == 8 * 7 * 2
    assert {record.referent for record in records} == set(NOUNS)
    text = "I poured water from the bottle into the cup until it was full."
    assert {"bottle", "cup"} < set(NOUNS) and text in {record.text for record in records}
    assert bottle_and_cup(10, seed=5) == bottle_and_cup(20, seed=5)[:10]
