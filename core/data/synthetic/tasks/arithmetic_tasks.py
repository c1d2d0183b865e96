"""Sums of several kinds, and two questions about bits: small rules that have to be learned exactly."""

from collections import Counter
from itertools import combinations
from random import Random
from string import digits as DIGITS

from core.data.localization.labels import module_labels
from core.data.synthetic.tasks.letter_sequence_tasks import extra_length_option, length_option
from core.data.synthetic.tasks.task import QUESTION_END, SyntheticTask, TaskOption, TaskOptions

LABELS = module_labels(__name__)

MARK = "*"
BITS = "01"


def _add(rng: Random, options: TaskOptions) -> str:
    n = options["length"]
    first, second = (str(rng.randrange(10**n)).zfill(n) for _ in range(2))
    return f"{first}+{second}{QUESTION_END}"


def _sum(question: str) -> str:
    first, second = question.removesuffix(QUESTION_END).split("+")
    return str(int(first) + int(second)).zfill(len(first) + 1)


def _add_marked(rng: Random, options: TaskOptions) -> str:
    """Draw digits with one mark in each half, as in Hochreiter's experiment."""
    n = options["length"]
    signs = rng.choices(DIGITS, k=n)
    for place in (rng.randrange(n // 2), n // 2 + rng.randrange(n - n // 2)):
        signs[place] += MARK
    return "".join(signs) + QUESTION_END


def _marked_sum(question: str) -> str:
    marked = [question[t - 1] for t, sign in enumerate(question) if sign == MARK]
    return f"{sum(map(int, marked)):02d}"


def _add_modulo(rng: Random, options: TaskOptions) -> str:
    n = options["modulus"]
    return f"{rng.randrange(n)} + {rng.randrange(n)} mod {n} {QUESTION_END}"


def _modulo_sum(question: str) -> str:
    first, _, second, _, modulus, _ = question.split()
    return f" {(int(first) + int(second)) % int(modulus)}"


def _numbers(options: TaskOptions) -> list[str]:
    n = options["modulus"]
    return [*map(str, range(n)), *(f" {i}" for i in range(n + 1)), " +", " mod"]


def _bits(rng: Random, options: TaskOptions) -> str:
    """Draw bits of any length up to the longest, because the rule is easier to learn from short ones."""
    n = rng.randint(options.get("shortest", 1), options["length"])
    return "".join(rng.choices(BITS, k=n)) + QUESTION_END


def _odd_bits(rng: Random, options: TaskOptions) -> str:
    """Draw an odd number of random bits, so that the two are never equally frequent."""
    n = options["length"]
    return "".join(rng.choices(BITS, k=n + 1 - n % 2)) + QUESTION_END


def _two_sum(rng: Random, options: TaskOptions) -> str:
    """Draw numbers and a sum that exactly one pair of them has."""
    while True:
        numbers = rng.choices(DIGITS, k=options["length"])
        sums = Counter(int(a) + int(b) for a, b in combinations(numbers, 2))
        if once := [total for total, n in sums.items() if n == 1]:
            return f"{''.join(numbers)}:{rng.choice(once):02d}{QUESTION_END}"


def _pairs_with_sum(numbers: list[str], total: int) -> list[tuple[str, str]]:
    """Return all pairs of numbers that have this sum, in the order of their positions."""
    return [(a, b) for a, b in combinations(numbers, 2) if int(a) + int(b) == total]


def _pair(question: str) -> str:
    numbers, total = question.removesuffix(QUESTION_END).split(":")
    return "".join(_pairs_with_sum(list(numbers), int(total))[0])


ADDITION = SyntheticTask(
    title=LABELS["addition.title"],
    says=LABELS["addition.says"],
    hard=LABELS["addition.hard"],
    source=LABELS["addition.source"],
    options={
        "length": TaskOption(LABELS["addition.length"], 1, 8, 2, LABELS["addition.length_help"]),
        "longer": extra_length_option(most=4),
    },
    draw=_add,
    answer=_sum,
    signs=lambda o: [*DIGITS, "+"],
    longest=lambda o: (2 * o["length"] + 2, o["length"] + 2),
)
MARKED_ADDITION = SyntheticTask(
    title=LABELS["marked_addition.title"],
    says=LABELS["marked_addition.says"],
    hard=LABELS["marked_addition.hard"],
    source=LABELS["marked_addition.source"],
    options={
        "length": length_option(12, label=LABELS["marked_addition.length"], least=3),
        "longer": extra_length_option(),
    },
    draw=_add_marked,
    answer=_marked_sum,
    signs=lambda o: [*DIGITS, MARK],
    longest=lambda o: (o["length"] + 3, 3),
)
MODULAR_ADDITION = SyntheticTask(
    title=LABELS["modular_addition.title"],
    says=LABELS["modular_addition.says"],
    hard=LABELS["modular_addition.hard"],
    source=LABELS["modular_addition.source"],
    options={
        "modulus": TaskOption(LABELS["modular_addition.modulus"], 5, 113, 31, LABELS["modular_addition.modulus_help"])
    },
    draw=_add_modulo,
    answer=_modulo_sum,
    signs=_numbers,
    longest=lambda o: (6, 2),
    by_words=True,
)
PARITY = SyntheticTask(
    title=LABELS["parity.title"],
    says=LABELS["parity.says"],
    hard=LABELS["parity.hard"],
    source=LABELS["parity.source"],
    options={
        "length": length_option(16, label=LABELS["parity.length"], least=6),
        "longer": extra_length_option(),
    },
    draw=_bits,
    answer=lambda question: str(question.count("1") % 2),
    signs=lambda o: BITS,
    longest=lambda o: (o["length"] + 1, 2),
)
MAJORITY = SyntheticTask(
    title=LABELS["majority.title"],
    says=LABELS["majority.says"],
    hard=LABELS["majority.hard"],
    source=LABELS["majority.source"],
    options={"length": length_option(15, label=LABELS["majority.length"], least=7), "longer": extra_length_option()},
    draw=_odd_bits,
    answer=lambda question: max(BITS, key=question.count),
    signs=lambda o: BITS,
    longest=lambda o: (o["length"] + 2 - o["length"] % 2, 2),
)
TWO_SUM = SyntheticTask(
    title=LABELS["two_sum.title"],
    says=LABELS["two_sum.says"],
    hard=LABELS["two_sum.hard"],
    source=LABELS["two_sum.source"],
    options={
        "length": TaskOption(LABELS["two_sum.length"], 2, 8, 5, LABELS["two_sum.length_help"]),
        "longer": extra_length_option(most=2),
    },
    draw=_two_sum,
    answer=_pair,
    signs=lambda o: [*DIGITS, ":"],
    longest=lambda o: (o["length"] + 4, 3),
)
