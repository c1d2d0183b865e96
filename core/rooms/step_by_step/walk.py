"""One attention layer from the words to the output: every matrix, every cell, and the effect of a change."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from core import ui
from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels
from core.exhibit import (
    Inputs as Base,
    NothingToShow,
    content_key,
    seed,
    segmented_control,
    selection_in_picture,
    text_input,
    toggle,
)
from core.inspect.tap_lines import find_source_line
from core.nn.attention import MultiHeadAttention, attention_scores, masked_softmax
from core.nn.positions import sinusoidal
from core.rooms.step_by_step.compute import attention_walkthrough, attention_walkthrough as walks
from core.rooms.step_by_step.compute.attention_walkthrough import MOST_WORDS, WIDTHS, AttentionWalk, WalkLayer
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)

SENTENCE = "the cat sat on the mat"
COMPARED_TENSORS = ("x", "q", "k", "v", "dots", "scores", "weights", "heads", "concat", "out")
# The place of each step in the source: the first line that contains these words.
STEP_LINES = {
    "q": (MultiHeadAttention.forward, "q = self._normed("),
    "k": (MultiHeadAttention.forward, "k = self._normed("),
    "v": (MultiHeadAttention.forward, "v = self._split("),
    "dots": (attention_scores, "@ k.mT"),
    "scores": (attention_scores, "scale = 1 / math.sqrt"),
    "masked": (masked_softmax, "block_scores(scores, mask)"),
    "weights": (masked_softmax, "softmax_with_sink(blocked"),
    "heads": (MultiHeadAttention.forward, "weights @ v"),
    "concat": (MultiHeadAttention.forward, "flatten(2)"),
    "out": (MultiHeadAttention.forward, "self.w_o("),
    "x": (sinusoidal, "angle.sin()"),
}
CODE = (MultiHeadAttention, attention_scores, masked_softmax, walks.walk_attention, walks.draw_layer)
WARM_UP = True


@cache
def step_code_lines() -> dict[str, tuple[str, str]]:
    """Return step -> (file and line, the line of source that computes it), read from the running program."""
    lines = {step: find_source_line(*where) for step, where in STEP_LINES.items()}
    return {step: (line.place, line.text) for step, line in lines.items()}


def _words(inputs: "Inputs") -> tuple[str, ...]:
    return tuple(walks.split_words(inputs.text)[:MOST_WORDS])


def _base(inputs: "Inputs") -> str:
    """Return the identity of the walk for edits. The mask is excluded, to compare an edit with and without it."""
    return content_key(" ".join(_words(inputs)), inputs.d_model, inputs.n_head, inputs.seed, inputs.positions)[:12]


def _shapes(inputs: "Inputs") -> dict[str, tuple[int, int, int]]:
    return attention_walkthrough.tensor_shapes(len(_words(inputs)), inputs.d_model, inputs.n_head)


def _text(sent: object, inputs: Any) -> str | None:
    """Return the edited cells as text if they belong to the current walk."""
    if not isinstance(sent, Mapping) or sent.get("base") != _base(inputs):
        return None
    edits = attention_walkthrough.check_edits(sent.get("edits"), _shapes(inputs))
    return None if edits is None else attention_walkthrough.pack_edits(edits)


def _check(text: str, inputs: "Inputs") -> None:
    _, refused = attention_walkthrough.parse_edits(text, _shapes(inputs))
    if refused:
        raise ValueError(LABELS("link_refused", refused=refused))


def _note(_: str, typed: str, __: object) -> None:
    n_word = len(walks.split_words(typed))
    if n_word > MOST_WORDS:
        ui.st.caption(LABELS("words_left_out", n_word=n_word, most_words=MOST_WORDS))


class Inputs(Base, prefix="walk_"):
    text: str = text_input(SENTENCE, notes=_note, label=LABELS("text", most_words=MOST_WORDS))
    mask: str = segmented_control(("causal", "none"), "causal")
    positions: bool = toggle(True)
    n_head: int = segmented_control((1, 2), 2, name="walk_heads")
    d_model: int = segmented_control(WIDTHS, WIDTHS[0], name="walk_width", heading="")
    seed: int = seed()
    edits: str = selection_in_picture("walk", "", text=_text, check=_check, content=_base, part="edits", stays=True)

    @property
    def layer(self) -> WalkLayer:
        sizes = {"d_model": self.d_model, "n_head": self.n_head, "seed": self.seed}
        return WalkLayer(**sizes, positions=self.positions, is_causal=self.mask == "causal")


def compute(inputs: Inputs) -> AttentionWalk:
    """Run the sentence through a small layer; everything after an edited cell follows from it."""
    words = _words(inputs)
    if not words:
        raise NothingToShow(LABELS["no_words"])
    edits, _ = attention_walkthrough.parse_edits(inputs.edits, _shapes(inputs))
    return walks.walk_attention(inputs.layer, words, edits)


def draw(result: AttentionWalk, inputs: Inputs) -> None:
    _draw_stepper(
        result,
        inputs.layer,
        key=ui.picks.picture_widget_key("walk", ""),
        base=_base(inputs),
        code={step: line for step, line in step_code_lines().items() if step != "x" or inputs.positions},
        start=ui.picks.address_value("walk_step") or "",
        label=LABELS["layer"],
    )


def _draw_stepper(
    walk: AttentionWalk,
    layer: WalkLayer,
    *,
    key: str,
    base: str,
    code: Mapping[str, tuple[str, str]],
    start: str = "",
    label: str = "",
) -> None:
    """Draw the film of the layer's matrices, whose cells show their arithmetic and can be edited.

    Stepping, pointing and editing stay in the browser, which recomputes the layer in float64 and compares it with the
    layer's own numbers. It commits `{"base": base, "edits": [[name, head, row, column, number], ...]}`.

    Args:
        walk: the layer's own numbers, with the edits applied.
        base: identity of the walk; edits of a different walk are dropped.
        code: step -> (place, line of source) that computed it.
        start: short name of the step to open first.
    """
    heads = "one_head" if layer.n_head == 1 else "several_heads"
    header = {
        "widget": "stepper",
        "label": label,
        "takeaway": LABELS(heads, n_head=layer.n_head, n=len(walk.words)),
        "base": base,
        "start": start,
        "plain": not ui.depth_at_least("numbers"),
        "words": list(walk.words),
        "n_head": layer.n_head,
        "d_model": layer.d_model,
        "d_head": layer.d_model // layer.n_head,
        "positions": layer.positions,
        "causal": layer.is_causal,
        "mask": walk.mask.astype(int).tolist(),
        "largest": int(attention_walkthrough.MAX_NUMBER),
        "most": attention_walkthrough.MOST_EDITS,
        "edits": [[*cell, value] for cell, value in walk.edits.items()],
        "code": {step: list(line) for step, line in code.items()},
        **{name: matrix.tolist() for name, matrix in walk.drawn._asdict().items()},
    }
    # Not `ui.mount_widget`, because x is both a header (as drawn) and an array (as computed).
    mount("stepper", key, pack_message(header, {name: getattr(walk, name) for name in COMPARED_TENSORS}), edits=None)
