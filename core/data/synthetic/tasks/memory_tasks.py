"""Tasks of memory: a few relevant signs to notice and remember among many irrelevant ones."""

from random import Random
from string import ascii_lowercase

from core.data.synthetic.tasks.letter_sequence_tasks import alphabet_size_option, extra_length_option, length_option
from core.data.synthetic.tasks.task import QUESTION_END, SyntheticTask, TaskOption, TaskOptions

MARKED = "XY"
CARDS = "A23456789TJQK"
SLAP, PASS = "!", "-"


def _ask_for_order(rng: Random, options: TaskOptions) -> str:
    n = options["length"]
    signs = rng.choices(ascii_lowercase[: options["letters"]], k=n)
    for place in rng.sample(range(n), options["marks"]):
        signs[place] = rng.choice(MARKED)
    return "".join(signs) + QUESTION_END


def _deal(rng: Random, options: TaskOptions) -> str:
    """Draw cards, about a third of which repeat one of the two before, so that there is something to slap."""
    dealt: list[str] = []
    for _ in range(options["length"]):
        dealt.append(rng.choice(dealt[-2:]) if dealt and rng.random() < 0.3 else rng.choice(CARDS))
    return "".join(dealt) + QUESTION_END


def _slaps(question: str) -> str:
    cards = question.removesuffix(QUESTION_END)
    return "".join(SLAP if card == "J" or card in cards[max(0, t - 2) : t] else PASS for t, card in enumerate(cards))


TEMPORAL_ORDER = SyntheticTask(
    title="Temporal order",
    says="Write each X and Y, in the order in which they come.",
    hard="A few signs count, at unknown places far from each other.",
    source="Hochreiter & Schmidhuber 1997, Long Short-Term Memory, experiment 6",
    options={
        "length": length_option(20, most=100, label="Signs in a question", least=6),
        "letters": alphabet_size_option(4, "Letters that don't count"),
        "marks": TaskOption("X and Y in a question", 1, 6, 3, "How many there are to be remembered."),
        "longer": extra_length_option(),
    },
    draw=_ask_for_order,
    answer=lambda question: "".join(sign for sign in question if sign in MARKED),
    signs=lambda o: [*ascii_lowercase[: o["letters"]], *MARKED],
    longest=lambda o: (o["length"] + 1, o["marks"] + 1),
)
SLAPJACK = SyntheticTask(
    title="Slapjack",
    says="Slap (!) on each jack, and on each card that is one of the two before; else pass (-).",
    hard="A rule on the sign itself and one on its neighbors, at every place.",
    source="the card game, as a task: Sequence Toy (vinhowe/piston, 2025)",
    options={"length": length_option(10, label="Cards in a question"), "longer": extra_length_option()},
    draw=_deal,
    answer=_slaps,
    signs=lambda o: [*CARDS, SLAP, PASS],
    longest=lambda o: (o["length"] + 1, o["length"] + 1),
)
