"""Sums of several kinds, and two questions about bits: small rules that have to be learned exactly."""

from collections import Counter
from itertools import combinations
from random import Random
from string import digits as DIGITS

from core.data.synthetic.tasks.letter_sequence_tasks import extra_length_option, length_option
from core.data.synthetic.tasks.task import QUESTION_END, SyntheticTask, TaskOption, TaskOptions

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
    title="Addition",
    says="Add two numbers, digit by digit.",
    hard="A carry can run through all digits, and the first digit of the answer depends on all of them.",
    source="Nogueira et al. 2021, Investigating the Limitations of Transformers with Simple Arithmetic Tasks",
    options={
        "length": TaskOption("Digits of each number", 1, 8, 2, "More digits are harder."),
        "longer": extra_length_option(most=4),
    },
    draw=_add,
    answer=_sum,
    signs=lambda o: [*DIGITS, "+"],
    longest=lambda o: (2 * o["length"] + 2, o["length"] + 2),
)
MARKED_ADDITION = SyntheticTask(
    title="Marked addition",
    says="Add the two digits that have a star after them.",
    hard="Two of many digits count, far from each other.",
    source="Hochreiter & Schmidhuber 1997, Long Short-Term Memory, experiment 4; here with digits as tokens",
    options={"length": length_option(12, label="Digits in a question", least=3), "longer": extra_length_option()},
    draw=_add_marked,
    answer=_marked_sum,
    signs=lambda o: [*DIGITS, MARK],
    longest=lambda o: (o["length"] + 3, 3),
)
MODULAR_ADDITION = SyntheticTask(
    title="Modular addition",
    says="Add two numbers, as on a clock.",
    hard="Numbers are names here: nothing tells that 7 comes after 6, and a tenth of all sums is never seen.",
    source="Power et al. 2022, Grokking: Generalization Beyond Overfitting on Small Algorithmic Datasets",
    options={"modulus": TaskOption("Hours on the clock", 5, 113, 31, "It begins anew after so many numbers.")},
    draw=_add_modulo,
    answer=_modulo_sum,
    signs=_numbers,
    longest=lambda o: (6, 2),
    by_words=True,
)
PARITY = SyntheticTask(
    title="Parity",
    says="Is the number of ones odd? Write 1, or else 0.",
    hard="Every bit turns the answer round: attention, which averages, hardly learns it; one bit of memory is enough.",
    source="Hahn 2019, Theoretical Limitations of Self-Attention in Neural Sequence Models",
    options={
        "length": length_option(16, label="Bits in a question, at most", least=6),
        "longer": extra_length_option(),
    },
    draw=_bits,
    answer=lambda question: str(question.count("1") % 2),
    signs=lambda o: BITS,
    longest=lambda o: (o["length"] + 1, 2),
)
MAJORITY = SyntheticTask(
    title="Majority",
    says="Which of the two bits stands there more often?",
    hard="Every bit counts a little: what attention, which averages, is made for.",
    source="Merrill et al. 2021, Saturated Transformers are Constant-Depth Threshold Circuits",
    options={"length": length_option(15, label="Bits in a question", least=7), "longer": extra_length_option()},
    draw=_odd_bits,
    answer=lambda question: max(BITS, key=question.count),
    signs=lambda o: BITS,
    longest=lambda o: (o["length"] + 2 - o["length"] % 2, 2),
)
TWO_SUM = SyntheticTask(
    title="Two-sum",
    says="Which two digits have this sum?",
    hard="Every digit has to be held against every other one.",
    source="Sanford et al. 2023, Representational Strengths and Limitations of Transformers, on matching pairs",
    options={
        "length": TaskOption("Digits in a question", 2, 8, 5, "More digits, more pairs."),
        "longer": extra_length_option(most=2),
    },
    draw=_two_sum,
    answer=_pair,
    signs=lambda o: [*DIGITS, ":"],
    longest=lambda o: (o["length"] + 4, 3),
)
