"""Tasks: every answer is the one that a slow and independent search finds; what is held out is never drawn."""

import math
from contextlib import suppress
from itertools import pairwise, permutations, product

import pytest

from core.data.synthetic.tasks import TASKS, TaskExample, find_task, grammar as elman
from core.data.synthetic.tasks.task import QUESTION_END
from core.data.tokenizers import tokenizer_from_bytes, tokenizer_to_bytes

N = 300


def drawn(name: str, **options: int) -> list[tuple[str, str]]:
    """Questions without what ends them, and their answers, of training and held out."""
    posed = TASKS[name].set(options)
    found = [*posed.draw(7, 3, N), *posed.held(N)]
    return [(one.question.removesuffix(QUESTION_END), one.answer) for one in found]


def test_letters_are_put_in_order_turned_round_and_repeated() -> None:
    for question, answer in drawn("sort", length=5):
        ordered = [p for p in permutations(question) if all(ord(a) <= ord(b) for a, b in pairwise(p))]
        assert {"".join(p) for p in ordered} == {answer}
    for question, answer in drawn("reverse"):
        assert all(question[len(question) - 1 - t] == sign for t, sign in enumerate(answer))
        assert len(question) == len(answer)
    for question, answer in drawn("repeat", times=3):
        letters, times = question.split("*")
        assert times == "3" and [answer[t] for t in range(len(answer))] == [letters[t % 5] for t in range(15)]
    for question, answer in drawn("copy-memory", wait=9):
        assert question == answer + 9 * "_" and len(answer) == 6


def test_sums_are_right_by_counting() -> None:
    for question, answer in drawn("addition", length=2):
        first, second = question.split("+")
        carry, digits = 0, ""
        for a, b in zip(first[::-1], second[::-1], strict=True):  # as at school
            carry, digit = divmod("0123456789".index(a) + "0123456789".index(b) + carry, 10)
            digits = str(digit) + digits
        assert answer == str(carry) + digits
    for question, answer in drawn("marked-addition"):
        before_a_star = [part[-1] for part in question.split("*")[:-1]]
        assert len(before_a_star) == 2 and int(answer) == sum(map(int, before_a_star)) and len(answer) == 2
    hand = 0
    for question, answer in drawn("modular-addition", modulus=13):
        first, _, second, _, hours, *_ = question.split()
        hand = int(first)
        for _ in range(int(second)):  # the hand of a clock
            hand = 0 if hand == int(hours) - 1 else hand + 1
        assert int(answer) == hand and hours == "13"


def test_pairs_bits_and_cards_are_found_by_trying_all() -> None:
    for question, answer in drawn("two-sum"):
        numbers, total = question.split(":")
        places = product(range(len(numbers)), repeat=2)
        right = [(a, b) for a, b in places if a < b and int(numbers[a]) + int(numbers[b]) == int(total)]
        assert len(right) == 1 and answer == numbers[right[0][0]] + numbers[right[0][1]]
    for question, answer in drawn("parity"):
        state = "0"
        for bit in question:
            state = {"00": "0", "01": "1", "10": "1", "11": "0"}[state + bit]
        assert answer == state
    for question, answer in drawn("majority"):
        assert sorted(question)[len(question) // 2] == answer  # the median
    for question, answer in drawn("slapjack"):
        for t, (card, deed) in enumerate(zip(question, answer, strict=True)):
            double = t >= 1 and card == question[t - 1]
            sandwich = t >= 2 and card == question[t - 2]
            assert (deed == "!") == (card == "J" or double or sandwich)


def test_what_was_noticed_is_what_stood_there() -> None:
    for question, answer in drawn("temporal-order", marks=4):
        assert question.translate({ord(c): None for c in "abcdefghijklmnopqrstuvwxyz"}) == answer and len(answer) == 4


def test_brackets_are_closed_as_crossing_out_pairs_says() -> None:
    for question, answer in drawn("brackets"):
        whole = question + answer
        while (shorter := whole.replace("()", "").replace("[]", "").replace("{}", "")) != whole:
            whole = shorter
        assert whole == "" and answer and not set(answer) & set("([{")


def test_elmans_grammar_gives_each_sentence_its_exact_probability() -> None:
    """All sentences without a clause, written out by hand, have the probabilities that the steps multiply to."""
    posed = TASKS["elman"].set({"clauses": 0})
    nouns = [(w, n) for n, words in elman.NOUNS.items() for w in words] + [(w, "singular") for w in elman.NAMES]
    total = 0.0
    for (subject, number), kind in product(nouns, elman.VERBS):
        for verb in elman.VERBS[kind][number]:
            ends = [""] if kind == "never" else [w for w, _ in nouns] + ([""] if kind == "may" else [])
            for end in ends:
                share = {"never": 1.0, "needs": 1 / 10, "may": 1 / 2 if not end else 1 / 20}[kind]
                by_hand = 1 / 10 * 1 / 6 * share
                steps = posed.task.chance_of(subject + verb + end, posed.options)  # type: ignore[misc]
                assert math.prod(steps) == pytest.approx(by_hand)
                total += by_hand
    assert total == pytest.approx(1)


def test_elmans_verbs_agree_across_clauses() -> None:
    accepts, options = TASKS["elman"].accepts, {"clauses": 2}
    assert accepts is not None
    for sentence, is_right in {
        " boys who John chases walk": True,
        " boys who John chases walks": False,  # agrees with the wrong noun
        " boy who John chases walks": True,
        " boys who John chases Mary walk": False,  # the object stands before already
        " boys who chase John walk": True,
        " dogs who cats who Mary feeds hear live": True,
        " dogs who cats who Mary feed hear live": False,
        " John who walks lives": False,  # no clause follows a name
        " cat chases": False,
    }.items():
        assert accepts(sentence, options) == is_right, sentence
    every = TASKS["elman"].set({}).draw(0, 0, N)
    assert all(accepts(one.answer, options) for one in every) and any(one.answer.count("who") == 2 for one in every)
    for stack in {state for one in every for state in states(one.answer)}:
        assert sum(share for share, _ in elman._next_words(stack).values()) == pytest.approx(1)


def states(answer: str) -> list[elman.Stack]:
    found = [elman._begun(2)]
    for word in answer.split():
        found.append(elman._next_words(found[-1])[f" {word}"][1])
    return found


@pytest.mark.parametrize("name", TASKS)
def test_what_is_held_out_is_never_drawn_and_each_text_comes_back(name: str) -> None:
    posed = TASKS[name].set({})
    held = posed.held(200)
    assert len({one.key for one in held}) == len(held) > 50 and held == posed.held(200)
    for seed in (0, 1):
        assert not {one.key for step in range(20) for one in posed.draw(seed, step, 64)} & {one.key for one in held}
    assert posed.draw(0, 5, 9) == TASKS[name].set({}).draw(0, 5, 9) != posed.draw(0, 6, 9)
    cutter, n_question, n_answer = posed.tokenizer, 0, 0
    for one in [*held, *posed.draw(2, 0, N)]:
        question, answer = cutter.encode(one.question), cutter.encode(one.answer + posed.task.end)
        assert question + answer == cutter.encode(one.question + one.answer + posed.task.end)
        assert cutter.unknown_id not in question + answer and len(posed.right(one)) == len(answer)
        assert cutter.decode(question + answer) == one.question + one.answer + posed.task.end
        n_question, n_answer = max(n_question, len(question)), max(n_answer, len(answer))
    assert n_question <= posed.longest[0] and n_answer <= posed.longest[1]
    assert tokenizer_from_bytes(tokenizer_to_bytes(cutter)).encode(held[0].question) == cutter.encode(held[0].question)


def test_longer_questions_are_asked_than_were_read() -> None:
    posed = TASKS["sort"].set({"length": 4, "longer": 3})
    assert {len(one.question) for one in posed.held(50)} == {8} and {len(x.question) for x in posed.draw(0, 0, 50)} == {
        5
    }
    assert posed.longest == (8, 8)
    parity = TASKS["parity"].set({"length": 6, "longer": 4})
    assert {len(one.question) - 1 for one in parity.held(400)} == {7, 8, 9, 10}
    assert {len(one.question) - 1 for one in parity.draw(0, 0, 200)} == {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"length": 0}, "from 2 to 40"),
        ({"length": 41}, "from 2 to 40"),
        ({"length": True}, "whole number"),
        ({"length": 1e309}, "whole number"),
        ({"length": "8"}, "whole number"),
        ({"__class__": 1}, "no option"),
        ([1], "table"),
        ({"length": 2, "letters": 2}, "too few different questions"),
    ],
)
def test_nonsense_is_refused_in_plain_words(options: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TASKS["sort"].set(options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no task"):
        find_task("task:../../etc")
    assert find_task("stories") is None and TaskExample("ab=", "ab").shown == "ab → ab"


@pytest.mark.parametrize("name", TASKS)
def test_every_option_can_stand_at_its_ends(name: str) -> None:
    """At each limit there are questions, or a clear message says that there are too few."""
    task = TASKS[name]
    posed = task.set({})
    for option, one in task.options.items():
        for value in (one.least, one.most):
            with suppress(ValueError):
                posed = task.set({option: value})
            assert posed.n_token <= 512, (name, option, value)
