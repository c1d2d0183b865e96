"""Tasks of copying letters: sorted, backwards, several times, after a wait."""

from random import Random
from string import ascii_lowercase

from core.data.synthetic.tasks.task import ASKS, Option, Options, Task

BLANK = "_"
MOST_LETTERS = len(ascii_lowercase)


def length(default: int, most: int = 40, label: str = "Letters in a question", least: int = 2) -> Option:
    return Option(label, least, most, default, "Longer questions are harder.")


def longer(most: int = 20) -> Option:
    return Option(
        "Held-out questions are longer by", 0, most, 0, "Can it do what it has learned on more than it ever read?"
    )


def alphabet(default: int, label: str = "Different letters") -> Option:
    return Option(label, 2, MOST_LETTERS, default, "The first ones of the alphabet.")


def drawn(rng: Random, options: Options) -> str:
    """Draw as many letters as the options say, uniformly and independently."""
    return "".join(rng.choices(letters(options), k=options["length"]))


def letters(options: Options) -> str:
    return ascii_lowercase[: options["letters"]]


def _ask(rng: Random, options: Options) -> str:
    return drawn(rng, options) + ASKS


def _ask_after_a_wait(rng: Random, options: Options) -> str:
    return drawn(rng, options) + BLANK * options["wait"] + ASKS


def _ask_for_more(rng: Random, options: Options) -> str:
    return f"{drawn(rng, options)}*{options['times']}{ASKS}"


def _repeated(question: str) -> str:
    what, times = question.removesuffix(ASKS).split("*")
    return what * int(times)


SORT = Task(
    title="Sort letters",
    says="Write the letters in the order of the alphabet.",
    hard="Each letter of the answer depends on all of the question.",
    source="Graves et al. 2014, Neural Turing Machines, section 4.5",
    options={"length": length(8), "letters": alphabet(10), "longer": longer()},
    draw=_ask,
    answer=lambda question: "".join(sorted(question.removesuffix(ASKS))),
    signs=letters,
    longest=lambda o: (o["length"] + 1, o["length"] + 1),
)
REVERSE = Task(
    title="Reverse",
    says="Write the letters backwards.",
    hard="The first letter comes last, so nothing may be forgotten.",
    source="Sutskever et al. 2014, Sequence to Sequence Learning, section 3.3, on reversed sources",
    options={"length": length(8), "letters": alphabet(26), "longer": longer()},
    draw=_ask,
    answer=lambda question: question.removesuffix(ASKS)[::-1],
    signs=letters,
    longest=lambda o: (o["length"] + 1, o["length"] + 1),
)
REPEAT = Task(
    title="Repeat",
    says="Write the letters as often as the number says.",
    hard="It has to know where in the letters it is, and how often it has been there.",
    source="Graves et al. 2014, Neural Turing Machines, section 4.2",
    options={
        "length": length(5, most=20),
        "letters": alphabet(26),
        "times": Option("Times", 1, 5, 3, "How often the letters are written."),
        "longer": longer(most=10),
    },
    draw=_ask_for_more,
    answer=_repeated,
    signs=lambda o: [*letters(o), "*", str(o["times"])],
    longest=lambda o: (o["length"] + 3, o["length"] * o["times"] + 1),
)
COPY_MEMORY = Task(
    title="Copy memory",
    says="Read some letters, wait, then write them.",
    hard="What a recurrent net read has to survive the wait; attention looks back over any distance.",
    source="Hochreiter & Schmidhuber 1997, Long Short-Term Memory; this form: Arjovsky et al. 2015",
    options={
        "length": length(6, most=20),
        "letters": alphabet(8),
        "wait": Option("Blanks to wait", 0, 100, 20, "What was read has to be kept so long."),
        "longer": longer(most=10),
    },
    draw=_ask_after_a_wait,
    answer=lambda question: question.removesuffix(ASKS).rstrip(BLANK),
    signs=lambda o: [*letters(o), BLANK],
    longest=lambda o: (o["length"] + o["wait"] + 1, o["length"] + 1),
)
