"""Brackets to be closed, and the sentences of Elman's grammar with the exact probability of each next word.

Both need a stack, because the last bracket or clause that was opened is closed first.
"""

from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from functools import cache
from random import Random
from types import MappingProxyType

from core.data.localization.labels import module_labels
from core.data.synthetic.tasks.letter_sequence_tasks import extra_length_option, length_option
from core.data.synthetic.tasks.task import ANSWER_END, QUESTION_END, SyntheticTask, TaskExample, TaskOption, TaskOptions

LABELS = module_labels(__name__)

OPEN, CLOSE = "([{<", ")]}>"
CLOSING = MappingProxyType(dict(zip(OPEN, CLOSE, strict=True)))


def _half_open(rng: Random, options: TaskOptions) -> str:
    """Draw brackets that are valid so far, at least one of which is still open."""
    while True:
        signs: list[str] = []
        stack: list[str] = []
        for _ in range(options["length"]):
            if stack and rng.random() < 0.5:
                signs.append(stack.pop())
            else:
                signs.append(rng.choice(OPEN[: options["kinds"]]))
                stack.append(CLOSING[signs[-1]])
        if stack:
            return "".join(signs) + QUESTION_END


def _close(question: str) -> str:
    stack: list[str] = []
    for sign in question.removesuffix(QUESTION_END):
        if sign in CLOSING:
            stack.append(CLOSING[sign])
        else:
            stack.pop()
    return "".join(reversed(stack))


DYCK = SyntheticTask(
    title=LABELS["brackets.title"],
    says=LABELS["brackets.says"],
    hard=LABELS["brackets.hard"],
    source=LABELS["brackets.source"],
    options={
        "length": length_option(12, label=LABELS["brackets.length"]),
        "kinds": TaskOption(LABELS["brackets.kinds"], 1, 4, 3, LABELS["brackets.kinds_help"]),
        "longer": extra_length_option(),
    },
    draw=_half_open,
    answer=_close,
    signs=lambda o: [*OPEN[: o["kinds"]], *CLOSE[: o["kinds"]]],
    longest=lambda o: (o["length"] + 1, o["length"] + 1),
)

# Elman's grammar. A verb agrees with its noun in number; some verbs need an object, some may have one, some never do.
NOUNS = {
    "singular": (" boy", " girl", " cat", " dog"),
    "plural": (" boys", " girls", " cats", " dogs"),
}  # fmt: skip
NAMES = (" John", " Mary")  # singular; no clause follows them
VERBS = {
    "needs": {"singular": (" chases", " feeds"), "plural": (" chase", " feed")},
    "may": {"singular": (" sees", " hears"), "plural": (" see", " hear")},
    "never": {"singular": (" walks", " lives"), "plural": (" walk", " live")},
}  # fmt: skip
WHO, FULL_STOP = " who", f" {ANSWER_END}"
CLAUSE, OBJECT = 0.4, 0.5  # probability of a clause after a noun, and of an object after a verb that may have one

Stack = tuple[tuple[str, ...], int]  # what is still to come, the next one at the end; clauses that may still begin


def _begun(clauses: int) -> Stack:
    return ("full stop", "subject"), clauses


@cache
def _next_words(stack: Stack) -> Mapping[str, tuple[float, Stack]]:
    """Return each word that can come next, with its exact probability and the stack after it."""
    found: dict[str, tuple[float, Stack]] = {}
    for share, word, after in _rules(stack):
        if word is not None:
            found[word] = (found.get(word, (0.0, after))[0] + share, after)
            continue
        for later, (probability, then) in _next_words(after).items():  # no word yet: expand it
            found[later] = (found.get(later, (0.0, then))[0] + share * probability, then)
    return MappingProxyType(found)


def _rules(stack: Stack) -> Iterator[tuple[float, str | None, Stack]]:
    """Yield how the next constituent can begin: probability, word (None: no word), and the stack after it."""
    (*below, top), left = stack
    what, _, number = top.partition(":")

    def then(*more: str, fewer: int = 0) -> Stack:
        return (*below, *more), left - fewer

    if what == "full stop":
        yield 1.0, FULL_STOP, then()
    elif what in ("subject", "object", "owner"):  # the owner of a verb whose object comes before it
        after = {"subject": "verb", "object": "", "owner": "needing verb"}[what]
        words = [(noun, one) for one, nouns in NOUNS.items() for noun in nouns] + [(name, "") for name in NAMES]
        for word, kind in words:
            agreeing = [f"{after}:{kind or 'singular'}"] if after else []
            yield 1 / len(words), word, then(*agreeing, *([f"clause:{kind}"] if kind else []))
    elif what == "clause":
        begins = CLAUSE if left else 0.0
        yield 1 - begins, None, then()
        if left:
            yield begins, WHO, then(f"who:{number}", fewer=1)
    elif what == "who":  # "who chase dogs", or "who dogs chase"
        yield 0.5, None, then(f"verb:{number}")
        yield 0.5, None, then("owner")
    elif what == "verb":
        for kind, verbs in VERBS.items():
            for word in verbs[number]:
                yield 1 / 6, word, then(*{"needs": ("object",), "may": ("maybe",), "never": ()}[kind])
    elif what == "needing verb":
        for kind in ("needs", "may"):
            for word in VERBS[kind][number]:
                yield 1 / 4, word, then()
    else:  # an optional object
        yield OBJECT, None, then("object")
        yield 1 - OBJECT, None, then()


def _walk(answer: str, clauses: int) -> Iterator[tuple[str, Mapping[str, tuple[float, Stack]]]]:
    """Yield each word of a sentence, including the full stop, and all words that were possible in its place."""
    stack = _begun(clauses)
    for word in [*(f" {one}" for one in answer.split()), FULL_STOP]:
        choice = _next_words(stack)
        yield word, choice
        stack = choice[word][1]


def _sentence(rng: Random, options: TaskOptions) -> TaskExample:
    words: list[str] = []
    stack = _begun(options["clauses"])
    while not words or words[-1] != FULL_STOP:
        choice = _next_words(stack)
        (word,) = rng.choices(list(choice), [probability for probability, _ in choice.values()])
        words.append(word)
        stack = choice[word][1]
    return TaskExample(ANSWER_END, "".join(words[:-1]))


def _possible(answer: str, options: TaskOptions) -> Sequence[AbstractSet[str]]:
    return [choice.keys() for _, choice in _walk(answer, options["clauses"])]


def _probabilities(answer: str, options: TaskOptions) -> Sequence[float]:
    return [choice[word][0] for word, choice in _walk(answer, options["clauses"])]


def _accepts(answer: str, options: TaskOptions) -> bool:
    """Return whether the grammar can generate this sentence."""
    stack = _begun(options["clauses"])
    for word in [*(f" {one}" for one in answer.split()), FULL_STOP]:
        choice = _next_words(stack)
        if word not in choice:
            return False
        stack = choice[word][1]
    return True


ELMAN = SyntheticTask(
    title=LABELS["elman.title"],
    says=LABELS["elman.says"],
    hard=LABELS["elman.hard"],
    source=LABELS["elman.source"],
    options={"clauses": TaskOption(LABELS["elman.clauses"], 0, 4, 2, LABELS["elman.clauses_help"])},
    draw=_sentence,
    signs=lambda o: [
        ANSWER_END,
        WHO,
        *NAMES,
        *sum(NOUNS.values(), ()),
        *(v for kind in VERBS.values() for n in kind.values() for v in n),
    ],
    longest=lambda o: (1, 4 + 3 * o["clauses"]),
    by_words=True,
    possible=_possible,
    accepts=_accepts,
    chance_of=_probabilities,
    writes_on=True,
)
