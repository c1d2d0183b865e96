"""Tasks of copying letters: sorted, backwards, several times, after a wait."""

from random import Random
from string import ascii_lowercase

from core.data.localization.labels import module_labels
from core.data.synthetic.tasks.task import QUESTION_END, SyntheticTask, TaskOption, TaskOptions

LABELS = module_labels(__name__)

BLANK = "_"
MOST_LETTERS = len(ascii_lowercase)


def length_option(default: int, most: int = 40, label: str = LABELS["length"], least: int = 2) -> TaskOption:
    return TaskOption(label, least, most, default, LABELS["length_help"])


def extra_length_option(most: int = 20) -> TaskOption:
    return TaskOption(LABELS["longer"], 0, most, 0, LABELS["longer_help"])


def alphabet_size_option(default: int, label: str = LABELS["letters"]) -> TaskOption:
    return TaskOption(label, 2, MOST_LETTERS, default, LABELS["letters_help"])


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
    title=LABELS["sort.title"],
    says=LABELS["sort.says"],
    hard=LABELS["sort.hard"],
    source=LABELS["sort.source"],
    options={"length": length_option(8), "letters": alphabet_size_option(10), "longer": extra_length_option()},
    draw=_ask,
    answer=lambda question: "".join(sorted(question.removesuffix(QUESTION_END))),
    signs=_first_letters,
    longest=lambda o: (o["length"] + 1, o["length"] + 1),
)
REVERSE = SyntheticTask(
    title=LABELS["reverse.title"],
    says=LABELS["reverse.says"],
    hard=LABELS["reverse.hard"],
    source=LABELS["reverse.source"],
    options={"length": length_option(8), "letters": alphabet_size_option(26), "longer": extra_length_option()},
    draw=_ask,
    answer=lambda question: question.removesuffix(QUESTION_END)[::-1],
    signs=_first_letters,
    longest=lambda o: (o["length"] + 1, o["length"] + 1),
)
REPEAT = SyntheticTask(
    title=LABELS["repeat.title"],
    says=LABELS["repeat.says"],
    hard=LABELS["repeat.hard"],
    source=LABELS["repeat.source"],
    options={
        "length": length_option(5, most=20),
        "letters": alphabet_size_option(26),
        "times": TaskOption(LABELS["repeat.times"], 1, 5, 3, LABELS["repeat.times_help"]),
        "longer": extra_length_option(most=10),
    },
    draw=_ask_for_more,
    answer=_repeated,
    signs=lambda o: [*_first_letters(o), "*", str(o["times"])],
    longest=lambda o: (o["length"] + 3, o["length"] * o["times"] + 1),
)
COPY_MEMORY = SyntheticTask(
    title=LABELS["copy_memory.title"],
    says=LABELS["copy_memory.says"],
    hard=LABELS["copy_memory.hard"],
    source=LABELS["copy_memory.source"],
    options={
        "length": length_option(6, most=20),
        "letters": alphabet_size_option(8),
        "wait": TaskOption(LABELS["copy_memory.wait"], 0, 100, 20, LABELS["copy_memory.wait_help"]),
        "longer": extra_length_option(most=10),
    },
    draw=_ask_after_a_wait,
    answer=lambda question: question.removesuffix(QUESTION_END).rstrip(BLANK),
    signs=lambda o: [*_first_letters(o), BLANK],
    longest=lambda o: (o["length"] + o["wait"] + 1, o["length"] + 1),
)
