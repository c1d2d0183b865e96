"""Swap the names of a sentence: is any word's output different? Without positions, and with each way to add them."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, ViewChoice, seed, segmented_control
from core.models.gpt import GPT
from core.rooms.positions.compute import word_order

LABELS = module_labels(__name__)

WORDS = ("Mia", "saw", "Tom")
SWAPPED = (2, 1, 0)  # place t of the other sentence gets the word from place SWAPPED[t]
SAME = 1e-9  # differences below are rounding errors
SCHEMES = {
    "learned": LABELS["scheme.learned"],
    "sinusoidal": LABELS["scheme.sinusoidal"],
    "rotary": "RoPE",
    "alibi": "ALiBi",
    "relative": "T5",
}
CODE = (word_order.compare_word_orders, word_order.random_model, GPT.embed)
WARM_UP = True


class Inputs(Base, prefix="saw_"):
    scheme: str = segmented_control(SCHEMES, "learned", view=ViewChoice())
    weights: int = seed()


class SwappedNames(Result):
    """The outputs of each word in both sentences, first without positions, then with each of the S schemes."""

    outputs: NDArray[np.float64]  # (1 + S, 2, 3, 16), words in the order of the first sentence
    largest: NDArray[np.float64]  # (1 + S, 3) largest difference between the two outputs of a word

    def table(self) -> Table:
        """Return one row per scheme and word: the largest difference of its output."""
        schemes = [LABELS["scheme.none"], *SCHEMES.values()]
        return {
            LABELS["positions"]: [scheme for scheme in schemes for _ in WORDS],
            LABELS["word"]: list(WORDS) * len(schemes),
            LABELS["largest"]: self.largest.ravel().tolist(),
        }


def compute(inputs: Inputs) -> SwappedNames:
    """Run both sentences through one untrained layer, without positions and with each scheme."""
    models = (
        word_order.random_model(scheme, 1, False, inputs.weights, longest=len(WORDS)) for scheme in ("none", *SCHEMES)
    )
    found = [word_order.compare_word_orders(one, word_order.word_ids(WORDS), SWAPPED, WORDS) for one in models]
    outputs = np.stack([np.stack([one.before, one.after[list(SWAPPED)]]) for one in found])
    return SwappedNames(outputs=outputs, largest=np.abs(outputs[:, 0] - outputs[:, 1]).max(-1))


def draw(result: SwappedNames, inputs: Inputs) -> None:
    """Draw the two outputs of every word: without positions, and with the chosen scheme."""
    ui.mount_widget(
        "who_saw_whom",
        key="who-saw-whom",
        height=380,
        words=list(WORDS),
        sentences=[" ".join(WORDS), " ".join(WORDS[i] for i in SWAPPED)],
        limit=float(np.abs(result.outputs).max()),
        none=result.outputs[0],
        added=ui.select_by_choice(result.outputs[1:], inputs.scheme),
        largest=ui.select_by_choice(result.largest[1:].tolist(), inputs.scheme),
        same=ui.select_by_choice((result.largest[1:] < SAME).tolist(), inputs.scheme),
        scheme=ui.for_each_option(lambda scheme: scheme, inputs.scheme),
    )
