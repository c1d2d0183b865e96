"""Tasks of memory: a few relevant signs to notice and remember among many irrelevant ones."""

from random import Random
from string import ascii_lowercase

from core.data.localization.labels import module_labels
from core.data.synthetic.tasks.letter_sequence_tasks import alphabet_size_option, extra_length_option, length_option
from core.data.synthetic.tasks.task import QUESTION_END, SyntheticTask, TaskOption, TaskOptions

LABELS = module_labels(__name__)

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
    title=LABELS["temporal_order.title"],
    says=LABELS["temporal_order.says"],
    hard=LABELS["temporal_order.hard"],
    source=LABELS["temporal_order.source"],
    options={
        "length": length_option(20, most=100, label=LABELS["temporal_order.length"], least=6),
        "letters": alphabet_size_option(4, LABELS["temporal_order.letters"]),
        "marks": TaskOption(LABELS["temporal_order.marks"], 1, 6, 3, LABELS["temporal_order.marks_help"]),
        "longer": extra_length_option(),
    },
    draw=_ask_for_order,
    answer=lambda question: "".join(sign for sign in question if sign in MARKED),
    signs=lambda o: [*ascii_lowercase[: o["letters"]], *MARKED],
    longest=lambda o: (o["length"] + 1, o["marks"] + 1),
)
SLAPJACK = SyntheticTask(
    title=LABELS["slapjack.title"],
    says=LABELS["slapjack.says"],
    hard=LABELS["slapjack.hard"],
    source=LABELS["slapjack.source"],
    options={"length": length_option(10, label=LABELS["slapjack.length"]), "longer": extra_length_option()},
    draw=_deal,
    answer=_slaps,
    signs=lambda o: [*CARDS, SLAP, PASS],
    longest=lambda o: (o["length"] + 1, o["length"] + 1),
)
