"""Shuffle the words: an encoder's outputs for both orders, with and without positions."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import seed, segmented_control, slider
from core.models.gpt import GPT
from core.rooms.positions.compute import word_order
from core.rooms.positions.compute.word_order import ShuffleRecord
from core.rooms.positions.inputs import MOST_WORDS, SentenceInputs, draw_differences, format_small

LABELS = module_labels(__name__)

SCHEMES = {
    "none": LABELS["scheme.none"],
    "sinusoidal": LABELS["scheme.sinusoidal"],
    "learned": LABELS["scheme.learned"],
    "rotary": LABELS["scheme.rotary"],
    "alibi": LABELS["scheme.alibi"],
    "relative": "T5",
}
CODE = (word_order.compare_word_orders, word_order.random_model, GPT.embed)
WARM_UP = True


class Inputs(SentenceInputs, prefix="order_"):
    scheme: str = segmented_control(SCHEMES, "none")
    n_layer: int = slider(1, 4, 2, name="order_layers")
    weights: int = seed()


def compute(inputs: Inputs) -> ShuffleRecord:
    """Compute the outputs of an untrained encoder for both orders."""
    words = inputs.words
    model = word_order.random_model(inputs.scheme, inputs.n_layer, False, inputs.weights, longest=MOST_WORDS)
    return word_order.compare_word_orders(model, word_order.word_ids(words), inputs.order, words)


def draw(result: ShuffleRecord, inputs: Inputs) -> None:
    """Draw both orders and the differences of the outputs."""
    ui.add_template_values(tiny=format_small)
    draw_differences(result, key="order-encoder")
