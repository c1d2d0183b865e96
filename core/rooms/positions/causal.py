"""A causal stack without positions reads the past in two orders: one layer doesn't notice, two do."""

from dataclasses import dataclass

from core import ui
from core.exhibit import seed, slider
from core.nn.masks import causal
from core.rooms.positions.compute import word_order
from core.rooms.positions.compute.word_order import Shuffled
from core.rooms.positions.inputs import MOST_WORDS, Sentence, differences, tiny

LAYERS = (1, 2, 3, 4)
CODE = (causal, word_order.shuffle, word_order.drawn_model)
WARM_UP = True


class Inputs(Sentence, prefix="past_"):
    """An untrained causal stack."""

    n_layer: int = slider("Layers of the stack that is drawn", LAYERS[0], LAYERS[-1], 2, name="past_layers")
    weights: int = seed(label="Seed of the weights")


@dataclass(frozen=True, kw_only=True)
class Past(Shuffled):
    """The past in two orders, through the stack that is drawn."""

    every: dict[int, Shuffled]  # number of layers -> what came of it

    @property
    def is_same(self) -> bool:
        """Whether this order leaves the past unchanged."""
        return len(set(self.order[:-1])) < 2 or self.order == tuple(range(len(self.order)))


def compute(inputs: Inputs) -> Past:
    """Stacks of one to four layers read all words but the last in another order; the last one keeps its place."""
    words = inputs.words
    order = (*(i for i in inputs.order if i != len(words) - 1), len(words) - 1)
    models = {n: word_order.drawn_model("none", n, True, inputs.weights, longest=MOST_WORDS) for n in LAYERS}
    ids = word_order.word_ids(words)
    every = {n: word_order.shuffle(model, ids, order, words) for n, model in models.items()}
    return Past(**vars(every[inputs.n_layer]), every=every)


def draw(result: Past, inputs: Inputs) -> None:
    """The change of the last word's output by number of layers, beside all differences of one stack."""
    ui.say("past", last=ui.quoted(inputs.words[-1], 20))
    table, matrix = ui.pair("past")  # side by side: the last row of the matrix is one line of the table
    with table:
        ui.say("changes", last=ui.quoted(inputs.words[-1], 20), tiny=tiny)
        ui.say("same")
    with matrix:
        differences(result, key="order-causal")
    ui.say("without")
