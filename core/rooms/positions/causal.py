"""A causal stack without positions reads the past in two orders: one layer doesn't notice, two do."""

from core import ui
from core.exhibit import seed, slider
from core.nn.masks import causal
from core.rooms.positions.compute import word_order
from core.rooms.positions.compute.word_order import ShuffleRecord
from core.rooms.positions.inputs import MOST_WORDS, SentenceInputs, draw_differences, format_small

LAYER_COUNTS = (1, 2, 3, 4)
CODE = (causal, word_order.compare_word_orders, word_order.random_model)
WARM_UP = True


class Inputs(SentenceInputs, prefix="past_"):
    n_layer: int = slider(LAYER_COUNTS[0], LAYER_COUNTS[-1], 2, name="past_layers")
    weights: int = seed()


class ReorderedPast(ShuffleRecord):
    """The past in two orders, through the displayed stack."""

    every: dict[int, ShuffleRecord]  # by number of layers
    is_same: bool  # True if this order leaves the past unchanged


def compute(inputs: Inputs) -> ReorderedPast:
    """Reorder all words but the last, which stays in place, and run stacks of one to four layers on both orders."""
    words = inputs.words
    order = (*(i for i in inputs.order if i != len(words) - 1), len(words) - 1)
    models = {n: word_order.random_model("none", n, True, inputs.weights, longest=MOST_WORDS) for n in LAYER_COUNTS}
    ids = word_order.word_ids(words)
    every = {n: word_order.compare_word_orders(model, ids, order, words) for n, model in models.items()}
    is_same = len(set(order[:-1])) < 2 or order == tuple(range(len(order)))
    return ReorderedPast(**vars(every[inputs.n_layer]), every=every, is_same=is_same)


def draw(result: ReorderedPast, inputs: Inputs) -> None:
    """Draw the change of the last word's output by number of layers, and all differences of one stack."""
    ui.add_template_values(last_word=ui.quote_text(result.words[-1], 20), tiny=format_small)
    table, matrix = ui.two_columns("past")  # side by side: the last row of the matrix is one line of the table
    with table:
        ui.show_text_section("changes")
    with matrix:
        draw_differences(result, key="order-causal")
