"""Tasks of copying letters: sorted, backwards, several times, after a wait."""

from random import Random
from string import ascii_lowercase

from core.data.synthetic.tasks.task import QUESTION_END, SyntheticTask, TaskOption, TaskOptions

BLANK = "_"
MOST_LETTERS = len(ascii_lowercase)


def length_option(default: int, most: int = 40, label: str = "Letters in a question", least: int = 2) -> TaskOption:
    return TaskOption(label, least, most, default, "Longer questions are harder.")


def extra_length_option(most: int = 20) -> TaskOption:
    return TaskOption(
        "Held-out questions are longer by", 0, most, 0, "Can it do what it has learned on more than it ever read?"
    )


def alphabet_size_option(default: int, label: str = "Different letters") -> TaskOption:
    return TaskOption(label, 2, MOST_LETTERS, default, "The first ones of the alphabet.")


def _draw_letters(rng: Random, options: TaskOptions) -> str:
    """Draw as many letters as the options say, uniformly and independently."""
    return "".join(rng.choices(_first_letters(options), k=options["length"]))


def _first_letters(options: TaskOptions) -> str:
    return ascii_lowercase[: options["letters"]]


def _ask(rng: Random, options: TaskOptions) -> str:
    return _draw_letters(rng, options) + QUESTION_END


def _ask_after_a_wait(rng: Random, options: TaskOptions) -> str:
    return _draw_letters(rng, options) + BLANK * options["wait"] + QUESTION_END


def _ask_for_more(rng: Random, options: TaskOptions) -> str:
    return f"{_draw_letters(rng, options)}*{options['times']}{QUESTION_END}"


def _repeated(question: str) -> str:
    what, times = question.removesuffix(QUESTION_END).split("*")
    return what * int(times)


SORT = SyntheticTask(
    title="Sort letters",
    says="Write the letters in the order of the alphabet.",
    hard="Each letter of the answer depends on all of the question.",
    source="Graves et al. 2014, Neural Turing Machines, section 4.5",
    options={"length": length_option(8), "letters": alphabet_size_option(10), "longer": extra_length_option()},
    draw=_ask,
    answer=lambda question: "".join(sorted(question.removesuffix(QUESTION_END))),
    signs=_first_letters,
    longest=lambda o: (o["length"] + 1, o["length"] + 1),
)
REVERSE = SyntheticTask(
    title="Reverse",
    says="Write the letters backwards.",
    hard="The first letter comes last, so nothing may be forgotten.",
    source="Sutskever et al. 2014, Sequence to Sequence Learning, section 3.3, on reversed sources",
    options={"length": length_option(8), "letters": alphabet_size_option(26), "longer": extra_length_option()},
    draw=_ask,
    answer=lambda question: question.removesuffix(QUESTION_END)[::-1],
    signs=_first_letters,
    longest=lambda o: (o["length"] + 1, o["length"] + 1),
)
REPEAT = SyntheticTask(
    title="Repeat",
    says="Write the letters as often as the number says.",
    hard="It has to know where in the letters it is, and how often it has been there.",
    source="Graves et al. 2014, Neural Turing Machines, section 4.2",
    options={
        "length": length_option(5, most=20),
        "letters": alphabet_size_option(26),
        "times": TaskOption("Times", 1, 5, 3, "How often the letters are written."),
        "longer": extra_length_option(most=10),
    },
    draw=_ask_for_more,
    answer=_repeated,
    signs=lambda o: [*_first_letters(o), "*", str(o["times"])],
    longest=lambda o: (o["length"] + 3, o["length"] * o["times"] + 1),
)
COPY_MEMORY = SyntheticTask(
    title="Copy memory",
    says="Read some letters, wait, then write them.",
    hard="What a recurrent net read has to survive the wait; attention looks back over any distance.",
    source="Hochreiter & Schmidhuber 1997, Long Short-Term Memory; this form: Arjovsky et al. 2015",
    options={
        "length": length_option(6, most=20),
        "letters": alphabet_size_option(8),
        "wait": TaskOption("Blanks to wait", 0, 100, 20, "What was read has to be kept so long."),
        "longer": extra_length_option(most=10),
    },
    draw=_ask_after_a_wait,
    answer=lambda question: question.removesuffix(QUESTION_END).rstrip(BLANK),
    signs=lambda o: [*_first_letters(o), BLANK],
    longest=lambda o: (o["length"] + o["wait"] + 1, o["length"] + 1),
)
