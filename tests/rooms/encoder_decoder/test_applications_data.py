"""Summaries, questions and the four applications as pairs of texts: every answer is known and where it should be."""

import numpy as np
import pytest

from core.data.synthetic import entities
from core.rooms.encoder_decoder.compute import applications as tasks
from core.rooms.encoder_decoder.compute import questions, summaries
from core.rooms.encoder_decoder.compute.applications import TASKS

RNG_SEED = 5


def drawn(task: str, n: int = 300) -> list[tasks.Pair]:
    return tasks.draw(task, n, np.random.default_rng(RNG_SEED))


def test_one_story_and_its_summary() -> None:
    story = summaries.Story("ben", "lost", "drum", "river", "mia", "tired", "warm", (0, 2))
    assert " ".join(story.words) == (
        "mia was tired . ben went to the river . the sun was warm . there he lost a drum ."
    )
    assert " ".join(story.summary) == "ben lost a drum at the river"
    asked = {kind: questions.ask(story, kind) for kind in questions.KINDS}
    assert {kind: " ".join(one.answer) for kind, one in asked.items()} == {
        "who did it": "ben", "what": "a drum", "where": "the river", "who was": "mia", "how was": "tired",
        "the sun": "warm",
    }  # fmt: skip
    assert asked["who did it"].span == (4, 5) and asked["where"].span == (7, 9)
    assert " ".join(asked["what"].question) == "what was lost ?"


def test_stories_vary_and_every_answer_stands_in_its_story() -> None:
    stories = summaries.draw(300, np.random.default_rng(0))
    assert {story.order for story in stories} == {(i, j) for i in range(4) for j in range(4) if i != j}
    assert all(story.who != story.other for story in stories)
    assert all(set(story.words) | set(story.summary) <= set(summaries.WORDS) for story in stories)
    for one in questions.draw(300, np.random.default_rng(1)):
        assert one.story[slice(*one.span)] == one.answer
        assert set(one.question) <= set(questions.WORDS) and len(one.question) <= questions.MOST


def test_finding_words_in_a_text() -> None:
    assert questions.find(("b", "c"), ("a", "b", "c", "b", "c")) == (1, 3)
    assert questions.find(("c", "b", "a"), ("a", "b")) is None
    assert questions.find((), ("a",)) is None


@pytest.mark.parametrize("task", TASKS)
def test_pairs_fit_the_model(task: str) -> None:
    for pair in drawn(task):
        assert pair.source[0] == tasks.PREFIX[task]
        assert len(pair.source) <= tasks.MOST_WORDS + 1 and len(pair.target) < tasks.MOST_ANSWER
        assert tasks.decode([*tasks.encode(pair.target), tasks.END, 0]) == pair.target
        assert tasks.read(task, " ".join(pair.source[1:])) == (pair.source, ())
    assert len(set(tasks.WORDS)) == len(tasks.WORDS)


def test_entities_are_written_with_their_kinds_and_counted() -> None:
    sentence = entities.Sentence(
        ("john", "paris", "flew", "to", "rome", "."),
        tuple(entities.LABELS.index(x) for x in ("B-person", "I-person", "other", "other", "B-place", "other")),
    )
    answer = tasks.named(sentence)
    assert answer == ("person", "john", "paris", "place", "rome")
    assert tasks.entities_in(answer) == {("person", "john", "paris"): 1, ("place", "rome"): 1}
    assert tasks.f1([answer], [answer]) == 1
    assert tasks.f1([("place", "john", "paris", "place", "rome")], [answer]) == 0.5
    assert tasks.f1([("rome",)], [answer]) == tasks.f1([], []) == 0  # no kind before it: nothing is said
    # One right of one said and two true: precision 1, recall 1/2.
    assert tasks.f1([("place", "rome")], [answer]) == pytest.approx(2 / 3)
    assert tasks.f1([("place", "rome", "place", "rome")], [answer]) == 0.5  # said twice counts as said twice


def test_words_that_are_not_known_are_told() -> None:
    source, unknown = tasks.read("sentiment", "The soup wasn't lovely 🙂 unicorn unicorn")
    assert source == ("sentiment:", "soup", "not", "lovely", ".")
    assert "unicorn" in unknown and unknown.count("unicorn") == 1
    assert tasks.read("entities", "🙂 <b>")[0] == ("entities:",)
    assert tasks.read("summarize", "") == (("summarize:",), ())
    assert len(tasks.read("question", "who was " * 200)[0]) == tasks.MOST_WORDS + 1
