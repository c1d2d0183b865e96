"""One attention layer from the words to the output: every matrix, every cell, and what follows from a change."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

import numpy as np
import streamlit as st

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect.tap_lines import line_of
from core.nn.attention import MultiHeadAttention, attention_scores, masked_softmax
from core.nn.positions import sinusoidal
from core.rooms.step_by_step.compute import attention_walkthrough as walks
from core.rooms.step_by_step.compute import walkthrough_edits
from core.rooms.step_by_step.compute.attention_walkthrough import MOST_WORDS, WIDTHS, Layer, Walk
from core.rooms.step_by_step.compute.walkthrough_edits import Cell
from core.rooms.step_by_step.stepper_widget import stepper
from core.ui.controls import controls, picks
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit

SENTENCE = "the cat sat on the mat"
WIDGET = "walk"
ADDRESS = "walk_edits"
# Where each step stands in the source: the first line that holds these words.
_LINES: Mapping[str, tuple[Callable[..., Any], str]] = MappingProxyType(
    {
        "q": (MultiHeadAttention.forward, "q = self.qk_norm("),
        "k": (MultiHeadAttention.forward, "k = self.qk_norm("),
        "v": (MultiHeadAttention.forward, 'v = tap(self, "v"'),
        "dots": (attention_scores, "@ k.mT"),
        "scores": (attention_scores, "scale = 1 / math.sqrt"),
        "masked": (masked_softmax, "masked_fill_(~mask, lowest)"),
        "weights": (masked_softmax, "(scores + blocked).softmax(-1)"),
        "heads": (MultiHeadAttention.forward, "weights @ v"),
        "concat": (MultiHeadAttention.forward, "flatten(2)"),
        "out": (MultiHeadAttention.forward, "self.w_o("),
        "x": (sinusoidal, "angle.sin()"),
    }
)


@memoize(MAX_TRACES)
def walked(layer: Layer, words: tuple[str, ...], edits: tuple[tuple[Cell, float], ...] = ()) -> Walk:
    """One pass of the layer; see `core.rooms.step_by_step.compute.attention_walkthrough.walk`."""
    return walks.walk(layer, words, dict(edits))


@memoize(1)
def code_lines() -> dict[str, tuple[str, str]]:
    """Step -> (file and line, the line of source that computes it), read from the running program."""
    lines = {step: line_of(*where) for step, where in _LINES.items()}
    return {step: (line.place, line.text) for step, line in lines.items()}


def warm_up() -> None:
    """Walk once: torch imports modules when it is first used."""
    walked(Layer(), tuple(walks.split_words(SENTENCE)))
    code_lines()


@exhibit(
    title="The whole computation, cell by cell",
    look_for="how a word's row turns into shares over the words it reads, and those shares into a mixture of "
    "values. In every product, the row on the left and the column above meet in the cell they make.",
    try_this=[
        (
            "Switch positions off and the mask to “None”, then step to “Output”.",
            "Both rows of “the” are the same, number for number: without positions or a mask, attention can't tell "
            "the first word from the fifth. Switch either one back on and they differ.",
        ),
        (
            "Step to “Scale” and set a score in the last row to 9: click it, type, press Enter.",
            "The softmax gives that word nearly the whole row (more than 0.99), so in this head the last word reads "
            "almost that one value. The other rows don't change.",
        ),
        (
            "Step to “Input” and set any number of the last word. Then look for the small dots.",
            "Under the **causal mask**, which hides later words, nothing changes in the rows of the words before "
            "it. Without the mask the dots reach every row of the output.",
        ),
    ],
    code=(MultiHeadAttention, attention_scores, masked_softmax, walks.walk, walks.draw),
    formula=r"\mathrm{softmax}\!\left(\frac{X W_Q\,(X W_K)^{\top}}{\sqrt{d_k}} + M\right) X W_V",
)
def whole_walk() -> Shown:
    """The learner's sentence through a small layer."""
    layer, words = _ask()
    if not words:
        st.info("There's no word yet. Type at least one.")
        return Shown()
    base = content_key(" ".join(words), *_settings(layer))[:12]
    edits = _edits(layer, words, base)
    result = walked(layer, words, tuple(edits.items()))
    stepper(
        result,
        layer,
        edits,
        key=picks.key(WIDGET, ""),
        base=base,
        code={step: line for step, line in code_lines().items() if step != "x" or layer.positions},
        start=picks.remembered("walk_step") or "",
        label="One attention layer, step by step",
    )
    st.caption(
        "Words and matrices are drawn from the seed and rounded, so that you can check every cell by hand. Nothing "
        "here is trained, so don't look for meaning in who reads whom; trained heads are in the room [Attention "
        "heads](heads)."
    )
    depth.note("What is left out: more layers, the feed-forward part, norms, biases.")
    return Shown(
        numbers=lambda: result.table(edits),
        arrays={name: getattr(result, name) for name in walks.TENSORS} | {"mask": result.mask},
        formula=_with_numbers(result),
        script=lambda: _script(layer, words, edits),
    )


def _ask() -> tuple[Layer, tuple[str, ...]]:
    """The sentence and the layer."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        text = controls.text_input("walk_text", f"Your sentence (up to {MOST_WORDS} words)", SENTENCE)
    with right:
        seed = controls.seed(name="walk_seed")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        width = controls.segmented("walk_width", "Numbers for each word", WIDTHS, WIDTHS[0])
        n_head = controls.segmented("walk_heads", "Heads", (1, 2), 2)
        mask = controls.segmented(
            "walk_mask", "Mask", ["causal", "none"], "causal", labels={"causal": "Causal", "none": "None"}
        )
        positions = controls.toggle("walk_positions", "Positions", True, help="Add sines and cosines of the position.")
    found = walks.split_words(text)
    if len(found) > MOST_WORDS:
        st.caption(
            f":material/info: The text has {len(found)} words. Only the first {MOST_WORDS} are used, so that the "
            "matrices stay readable."
        )
    layer = Layer(d_model=width, n_head=n_head, seed=seed, positions=positions, is_causal=mask == "causal")
    return layer, tuple(found[:MOST_WORDS])


def _settings(layer: Layer) -> tuple[int, int, int, bool]:
    """What an edit belongs to. Not the mask: with and without it, the same edit can be compared."""
    return layer.d_model, layer.n_head, layer.seed, layer.positions


def _edits(layer: Layer, words: tuple[str, ...], base: str) -> dict[Cell, float]:
    """The cells that were set: in the picture just now, else those of the address."""
    sizes = walkthrough_edits.shapes(len(words), layer.d_model, layer.n_head)
    if picks.has_changed("walk.base", base):
        picks.remember(ADDRESS, None)  # they belong to their numbers
    committed = picks.news(WIDGET, "", "edits")
    if isinstance(committed, Mapping) and committed.get("base") == base:
        edits = walkthrough_edits.check(committed.get("edits"), sizes)
        if edits is not None:
            picks.remember(ADDRESS, walkthrough_edits.pack(edits) or None)
            return edits
    edits, refused = walkthrough_edits.parse(picks.remembered(ADDRESS) or "", sizes)
    if refused:
        st.warning(f"The link sets {refused} cells that this layer doesn't have. They are not used.")
    return edits


def _script(layer: Layer, words: tuple[str, ...], edits: Mapping[Cell, float]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.step_by_step.compute.attention_walkthrough import Layer, walk
        from core.rooms.step_by_step.compute.walkthrough_edits import Cell

        layer = Layer(d_model=$d_model, n_head=$n_head, seed=$seed, positions=$positions, is_causal=$is_causal)
        words = $words
        edits = $edits

        # Every tensor of the real layer, from the words to the output. A cell that was set by hand is replaced on the
        # way, and everything after it follows.
        print_table(walk(layer, words, edits).table(edits))
        """,
        **asdict(layer),
        words=list(words),
        edits=scripts.Code(f"{{{', '.join(f'{cell}: {number}' for cell, number in edits.items())}}}"),
    )


def _with_numbers(result: Walk) -> str:
    """The last word's strongest weight in head 0, in the layer's own numbers."""
    row = len(result.words) - 1
    key = int(result.weights[0, row].argmax())
    scores = result.scores[0, row][result.mask[row]]
    score, dot = float(result.scores[0, row, key]), float(result.dots[0, row, key])
    others = float(np.exp(scores.astype(np.float64) - score).sum())
    return (
        rf"\begin{{aligned}} \text{{head 0:}}\quad q_{{{row}}}\cdot k_{{{key}}} &= {dot:.3f} \\"
        rf"\text{{score}} &= \frac{{{dot:.3f}}}{{\sqrt{{{result.q.shape[-1]}}}}} = {score:.3f} \\"
        rf"\text{{weight}} &= \frac{{1}}{{\sum_s e^{{\,\text{{score}}_s {-score:+.3f}}}}} \\"
        rf"&= \frac{{1}}{{{others:.3f}}} = {float(result.weights[0, row, key]):.4f} \end{{aligned}}"
    )
