"""Shuffle the words: what a stack makes of their order, with and without positions, with and without a causal mask."""

from dataclasses import dataclass

import streamlit as st

from core.cache import MAX_FIGURES, MAX_MODELS, memoize
from core.models.gpt import GPT
from core.nn.masks import causal
from core.rooms.positions.compute import word_order
from core.rooms.positions.formatting import tiny
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import escape_markdown, quote_briefly
from core.ui.widgets import widgets

MOST_WORDS = 12  # rows of a matrix whose words can be read
SENTENCE = "Mia saw the dog before Tom came"
HOW = {"seed": "Drawn", "reverse": "Reversed", "hand": "By hand"}
SCHEMES = {
    "none": "None",
    "sinusoidal": "Sines and cosines",
    "learned": "A table",
    "rotary": "RoPE",
    "alibi": "ALiBi",
    "relative": "T5",
}
LAYERS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Words:
    """A sentence and another order of it.

    Attributes:
        words: (T,) at most 12.
        order: (T,) place t of the shuffled sentence gets the word from place order[t].
    """

    words: tuple[str, ...]
    order: tuple[int, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """One number for each different word, in the order of appearance."""
        return word_order.word_ids(self.words)

    @property
    def past_first(self) -> tuple[int, ...]:
        """The same order of all words but the last, which keeps its place."""
        last = len(self.words) - 1
        return (*(i for i in self.order if i != last), last)


@memoize(MAX_MODELS)
def model_of(scheme: str, n_layer: int, is_causal: bool, seed: int) -> GPT:
    """An untrained stack with weights drawn from the seed."""
    return word_order.drawn_model(scheme, n_layer, is_causal, seed, longest=MOST_WORDS)


@memoize(MAX_FIGURES)
def shuffled(
    scheme: str, n_layer: int, is_causal: bool, seed: int, ids: tuple[int, ...], order: tuple[int, ...]
) -> word_order.Shuffled:
    """The text and the shuffled text through the stack."""
    return word_order.shuffle(model_of(scheme, n_layer, is_causal, seed), ids, order)


def warm_up() -> None:
    """Build the models that the page shows at first."""
    model_of("none", 2, False, 0)
    for n_layer in LAYERS:
        model_of("none", n_layer, True, 0)


def ask() -> Words | None:
    """The sentence and its other order, for both exhibits; None, after plain words, with nothing to shuffle."""
    with st.container(key="word-order"):
        left, right = st.columns(2, gap="medium")
        with left:
            text = controls.text_input("order_text", "Your sentence", SENTENCE)
        with right:
            how = controls.segmented("order_how", "Its other order", list(HOW), "seed", labels=HOW)
            settings = st.container()
        found = text.split()
        if len(found) > MOST_WORDS:
            st.caption(
                f"The sentence has {len(found)} words. Only the first {MOST_WORDS} are used, so that the rows stay "
                "readable."
            )
        words = tuple(found[:MOST_WORDS])
        if len(words) < 2:
            st.info("Type at least two words: one alone can't be shuffled.")
            return None
        with settings:
            order = _order(how, len(words))
        st.markdown(f"{_sentence(words, range(len(words)))}  \n**shuffled:** {_sentence(words, order)}")
    return Words(words, order)


def _order(how: str, n: int) -> tuple[int, ...]:
    if how == "reverse":
        return tuple(range(n - 1, -1, -1))
    if how == "seed":
        return word_order.drawn_order(n, controls.seed(name="order_seed", label="Seed of the order"))
    asked = controls.text_input(
        "order_by_hand",
        f"Places 0 to {n - 1} in the new order",
        " ".join(map(str, range(n - 1, -1, -1))),
        help="“2 0 1” puts the third word first, then the first, then the second.",
    )
    parts = asked.replace(",", " ").split()
    order = [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 4]
    if len(order) != len(parts) or sorted(order) != list(range(n)):
        st.warning(
            f"{escape_markdown(quote_briefly(asked))} doesn't name each position from 0 to {n - 1} once. The words "
            "are reversed instead."
        )
        return tuple(range(n - 1, -1, -1))
    return tuple(order)


def _sentence(words: tuple[str, ...], order: range | tuple[int, ...]) -> str:
    return " ".join(escape_markdown(words[i]) for i in order)


@exhibit(
    title="Shuffle the words",
    look_for="the rings, which mark where each word was before. A 0 in a ring means that the word's output is the "
    "same as before: it has only moved to another row.",
    try_this=[
        (
            "Leave the positions at “None” and shuffle any way you like.",
            "The largest difference is around 0.000000000000001, mere rounding: the same rows in another order, "
            "however many layers there are. The stack is **equivariant** (outputs move along with their words), not "
            "invariant (outputs would stay put). So it can't tell “Mia saw Tom” from “Tom saw Mia”.",
        ),
        (
            "Choose any kind of positions.",
            "The ringed cells are no longer 0: now a word's output depends on where it is.",
        ),
        (
            "Choose “ALiBi” and “Reversed”.",
            "Rounding again! In an encoder ALiBi knows how far apart two words are but not which comes first, so a "
            "sentence and its mirror image look the same. The other four tell the two apart.",
        ),
    ],
    code=(word_order.shuffle, word_order.drawn_model, GPT.embed),
    formula=r"f(P X) = P f(X) \quad \text{for every permutation } P",
)
def shuffle_words(words: Words) -> Shown:
    """An encoder reads both orders."""
    scheme = controls.segmented("order_scheme", "Positions", list(SCHEMES), "none", labels=SCHEMES)
    left, right = st.columns(2, gap="medium")
    with left:
        n_layer = int(controls.slider("order_layers", "Layers", 1, 4, 2, step=1))
    with right:
        seed = controls.seed(name="order_weights", label="Seed of the weights")
    found = shuffled(scheme, n_layer, False, seed, words.ids, words.order)
    same = "the same rows in another order" if found.largest < 1e-9 else "other rows"
    st.markdown(
        f"Largest difference between a word's output now and before: **{tiny(found.largest)}**, {same}. The encoder "
        "is untrained, and every word reads every word."
    )
    depth.note("Computed in double precision.")
    _differences(words.words, words.order, found, key="order-encoder")
    return _shown(words.words, found, scheme, n_layer, False, seed)


@exhibit(
    title="Why a causal stack sees the order without being told",
    look_for="the last word's output when the words before it are shuffled: with one layer it doesn't change, with "
    "two it does. **Causal** means that each word reads only itself and the words before it.",
    try_this=[
        (
            "Read the four lines of the table.",
            "With one layer the last word reads a bag of words, and shaking the bag changes only the rounding. With "
            "two it reads words that have already read: each saw a different number of words before it, and that "
            "gives away its position.",
        ),
        (
            "Set 1 layer and look at the rows of the matrix.",
            "Earlier rows differ even without positions: after the shuffle each word has other words before it, and "
            "it can read only those.",
        ),
        (
            "Reverse the words, or change the seed of the weights.",
            "One layer: always rounding. More layers: never.",
        ),
    ],
    code=(causal, word_order.shuffle, word_order.drawn_model),
)
def causal_order(words: Words) -> Shown:
    """A causal stack without positions reads the past in two orders, at one to four layers."""
    left, right = st.columns(2, gap="medium")
    with left:
        n_layer = int(controls.slider("past_layers", "Layers of the stack that is drawn", 1, 4, 2, step=1))
    with right:
        seed = controls.seed(name="past_weights", label="Seed of the weights")
    order = words.past_first
    all_found = {n: shuffled("none", n, True, seed, words.ids, order) for n in LAYERS}
    found = all_found[n_layer]
    last = escape_markdown(quote_briefly(words.words[-1], 20))
    lines = [f"| {n} | {tiny(one.last)} |" for n, one in all_found.items()]
    st.markdown(f"The past, shuffled: {_sentence(words.words, order)}. The last word, {last}, keeps its place.")
    table, matrix = layout.pair("past")  # side by side: the last row of the matrix is one line of the table
    with table:
        st.markdown("\n".join([f"| Layers | Largest change in the output at {last} |", "|--:|--:|", *lines]))
        if len(set(order[:-1])) < 2 or order == tuple(range(len(order))):
            st.caption("This order leaves the past unchanged. Choose another one, or type at least three words.")
    with matrix:
        _differences(words.words, order, found, key="order-causal")
    depth.note(
        "Causal language models trained without positions are only a little worse, because they can work out "
        "positions from the mask (Haviv et al. 2022, “Transformer language models without positional encodings "
        "still learn positional information”)."
    )
    return _shown(words.words, found, "none", n_layer, True, seed)


def _differences(words: tuple[str, ...], order: tuple[int, ...], found: word_order.Shuffled, *, key: str) -> None:
    """Each output row now against each output row before; rings where a word stood before."""
    n = len(words)
    truth = [[order[t] == s for s in range(n)] for t in range(n)]
    widgets.matrix(
        found.difference,
        rows=[words[i] for i in order],
        columns=list(words),
        key=key,
        kind="value",
        truth=truth,
        truth_title="the same word",
        limits=(0.0, float(max(found.difference.max(), 1e-9))),
        row_title="word in the new order",
        column_title="word in the old order",
        value_title="largest difference between the two outputs",
        label="Which output is which? (ring: the same word)",
        takeaway=f"Differences between the outputs of {n} words in the new and in the old order: at most "
        f"{tiny(found.largest)} for the same word.",
        height=420,
    )


def _shown(
    words: tuple[str, ...], found: word_order.Shuffled, scheme: str, n_layer: int, is_causal: bool, seed: int
) -> Shown:
    return Shown(
        numbers=lambda: found.table(words),
        arrays={"before": found.before, "after": found.after, "difference": found.difference},
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.rooms.positions.compute import word_order

            words = $words
            order = $order  # place t of the new order gets the word from place order[t]

            # An untrained stack: every weight is drawn from the seed.
            model = word_order.drawn_model($scheme, n_layer=$n_layer, causal=$causal, seed=$seed, longest=$longest)
            found = word_order.shuffle(model, word_order.word_ids(words), order)
            print_table(found.table(words))
            """,
            words=words,
            order=found.order,
            scheme=scheme,
            n_layer=n_layer,
            causal=is_causal,
            seed=seed,
            longest=MOST_WORDS,
        ),
    )
