"""Every token view draws Chinese, emoji, Arabic, Hebrew, accents and control characters rightly: set apart from what
stands around them, in order, cut between characters, and inside their picture.

The page under test stands below (see `show` in conftest.py): every widget that prints tokens, all with the same ones.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from tests.browser.rooms import until

PAGE = r"""
from types import SimpleNamespace

import numpy as np
import streamlit as st
from core.generate.beam import beam_search
from core.rooms.step_by_step.compute import attention_walkthrough as walk
from core.rooms.ledger.compute.ledger import NGramEstimates, NetPredictions, LedgerRow
from core.rooms.beam import tree as beam_tree
from core.rooms.captions import caption_film_widget as caption_film
from core.rooms.strategies import side_by_side as columns
from core.ui.widgets import matrix_film
from core.rooms.ledger import ledger
from core.rooms.heads import lines_widget as lines
from core.rooms.masks.batch import MASK_PANELS
from core.rooms.masks.draw import DrawnMask, mask_to_address
from core.ui.widgets.widget import mount_widget
from core.rooms.tokens import born as merges
from core.rooms.decoder.lens_picture import lens_picture
from core.rooms.step_by_step.walk import _draw_stepper
from core.exhibit import Inputs, ViewChoice, slider, text_input
from core.ui.controls.browser_side_controls import select_by_choice, choice_ref
from core.ui.exhibit.exhibit_input_form import render_inputs
from core.ui.widgets import tensors as widgets
from core.ui.widgets.before_after_bars import before_after_bars

T = ["the", " 日本語", " 👩‍👩‍👧‍👦", "🇩🇪🇯🇵", " مرحبا", " שלום", "e\u0301te\u0301", "क्षत्रिय", "a\u202eb\u2066c", "\u200b",
     "Donaudampfschifffahrtsgesellschaft" * 2, "\ufffd", "Z" + "\u0301" * 30, "\u0301", "<b>&amp;</b>", "\n",
     "مرحبا1 2"]
N = len(T)
g = np.random.default_rng(0)
w = np.tril(g.random((2, 2, N, N)) + 0.05)
w /= w.sum(-1, keepdims=True)
z = g.normal(size=N)
q, k, v = (g.normal(size=(2, 2, N, 4)) for _ in range(3))
p = np.exp(z) / np.exp(z).sum()
P = np.tile(p, (N, 1))
top = np.argsort(-p)[:5]
tops = [[(T[i], float(p[i])) for i in top]] * N

def put(name, draw):
    st.caption(name)
    draw()

MASK = mask_to_address(DrawnMask(np.tril(np.ones((N, N), bool)), 2))

class Looked(Inputs):
    drawn: str = text_input(MASK, label="Mask", view=ViewChoice(is_drawn=False))
    layer: int = slider(0, 1, 0, label="Layer", view=ViewChoice())
    head: int = slider(0, 1, 0, label="Head", view=ViewChoice())
    query: int = slider(0, N - 1, 5, label="Query", view=ViewChoice())
    key: int = slider(0, N - 1, 4, label="Key", view=ViewChoice())

def of_head(array):
    return select_by_choice(array.astype(np.float32), "layer", "head")

st.set_page_config(layout="wide")
render_inputs(Looked)
put("row", lambda: widgets.token_row(T, key="row", ids=list(range(N)), title="row"))
put("matrix", lambda: widgets.matrix(w[0, 0], rows=T, columns=T, key="matrix", label="matrix", selected=(5, 4)))
put("grid", lambda: widgets.head_grid(w, tokens=T, key="grid", label="grid"))
put("lines", lambda: lines.draw_attention_lines(w, tokens=T, key="lines", row=choice_ref("query"), label="lines",
                                                open_head=(choice_ref("layer"), choice_ref("head"))))
put("distribution", lambda: widgets.distribution(np.tile(z, (N, 1)), tokens=T, key="dist", context_tokens=T,
                                                    label="distribution"))
ids = np.arange(N)
one = dict(title="greedy", spoken="".join(T), kind="greedy", knobs={}, seed=0, beams=1, penalty=1.0, locked=False,
           stop="", measures=["1"], tokens=ids, plain=p, rank=ids + 1, draws=p, low=p * 0, high=p, n_kept=ids * 0 + 3,
           top_ids=np.tile([*top, 0], (N, 1)), top_plain=np.tile([*p[top], 0.1], (N, 1)),
           top_after=np.tile([*p[top], 0.1], (N, 1)), top_kept=np.ones((N, 6), bool))
put("columns", lambda: mount_widget("columns", **columns._pack_column_texts([one, one], T), measures=["text", "nats"],
                              best=[[0]],
                              most=4, key="columns", label="columns", takeaway="Texts.", state=("columns",)))
logs = np.log(p)
found = beam_search(lambda ids: np.tile(logs, (len(ids), 1)), [0], 3, 4)
put("beams", lambda: mount_widget("beam_tree", **beam_tree.tree_picture(found, T, 1, 1.0, ([1, 4], -3.0)), prompt=T[5],
                            n_beam=3,
                            plain=False, content_id="", key="beams", label="beams", takeaway="A tree."))
layer = walk.WalkLayer(n_head=1)
put("stepper", lambda: _draw_stepper(walk.walk_attention(layer, T[4:9]), layer, key="step", base="b", code={},
                                       label="stepper"))
put("gaps", lambda: mount_widget("gap_row", tokens=T, gaps=[1, 4, 5], never=[0], top=[[T[i] for i in top]] * N,
                           chances=P[:, top], truth=p, key="gaps", label="gaps", takeaway="Gaps.", state=("pick",)))
flat = {name: one.reshape(-1, *one.shape[2:]) for name, one in (("weights", w), ("q", q), ("k", k), ("v", v))}
put("cross", lambda: mount_widget("cross_film", **flat, rows=T, writes=T[::-1], sure=[0.5] * N, columns=T, open=0,
                                  start=1, heads=["0.0", "0.1", "1.0", "1.1"], plain=False, scale=0.5, key="cross",
                                  label="cross", takeaway="A film."))
put("caption", lambda: caption_film.caption_film(
    SimpleNamespace(words=T, probabilities=P, weights=w[:, :, :, :16], reads=np.zeros(N, int)),
    np.zeros((1, 8, 8), np.uint8), vocabulary=T, key="caption", label="caption", takeaway="A caption."))
kept = k[:, :, :-1], v[:, :, :-1], w[:, :, :-1, :-1]
keys, values, weights = map(of_head, kept)
put("cache", lambda: mount_widget("cache_tables", tokens=T, n_prompt=3, limits=[1.0, 1.0], keys=keys, values=values,
                            weights=weights, key="cache", label="cache", takeaway="Tables."))
heads = {"q": q, "k": k, "scores": q @ k.swapaxes(2, 3), "weights": w}
put("additive", lambda: mount_widget("additive", weights=w[0, 0], rows=T, columns=T, selected=[5, 4], plain=False,
                               truth_title="", asked=q[0, 0], read=k[0, 0], v=v[0, 0, 0], states=k[0, 0],
                               key="additive", label="additive", takeaway="Weights."))
put("masking", lambda: mount_widget("masking", read=[T, T], truth=[T, T], never=np.zeros((2, N), bool), key="masking",
                              fate=np.array([[0, 1, 2, 3] * 4 + [1]] * 2, np.uint8), label="masking",
                              takeaway="A batch."))
put("batch", lambda: mount_widget("mask_batch", tokens=[T[:8], T[8:16]], lengths=[6, 8], panels=[*MASK_PANELS.values()],
                                   panel_names=[*MASK_PANELS], key="batch", label="batch", takeaway="A batch."))
put("film", lambda: matrix_film.matrix_film(w[:, 0], steps=[0, 1], rows=T, columns=T, key="film", label="film"))
put("step", lambda: mount_widget("training_step", inputs=T, targets=T, top=tops, untrained_top=None, blind=1.0,
                                 vocab_size=N, first=0, plain=False, probability=p, key="trained", label="step",
                                 takeaway="A step."))
put("unembed", lambda: mount_widget("unembed", tokens=T, largest=float((k[0, 0] @ q[0, 0, 0]).max()), total=2.0,
                                    vocab_size=N, truth=4, has_bias=False, plain=False, hidden=q[0, 0, 0], rows=k[0, 0],
                                    biases=np.zeros(N), key="unembed", label="unembed", takeaway="A row."))
one, two = np.ones((1, 2, N)), np.broadcast_to(top, (1, 2, N, 5))
put("lens", lambda: lens_picture({"top": two, "probabilities": p[two], "rank": one, "truth": one}, tokens=T,
                                 vocabulary=T, key="lens", label="lens"))
put("counts", lambda: mount_widget("ngram_counts", counts=np.full((N, N), 3), totals=np.full(N, 3 * N), rows=T,
                                   columns=T, shows="counts", sums=False, first=None, selected=(4, 5), key="counts",
                                   label="counts", takeaway="Counts.", state=("pick",),
                                   found=[{"position": 0, "before": T[:4], "found": T[4:6], "after": T[6:9]}]))
put("factors", lambda: mount_widget("ngram_factors", p=np.tile(p, (2, 1)), n_context=np.ones((2, N), int), tokens=T,
                              rows=["1", "2"], details=[[""] * N] * 2, products=[1, 1], log_sums=[1, 1],
                              perplexities=[1, 1], plain=False, key="factors", label="factors", takeaway="Factors."))
card = {"title": "title", "note": "note", "prompt": T[:3], "tokens": T, "copied": (4, 2), "foot": "foot"}
put("samples", lambda: mount_widget("ngram_samples", cards=[card, card], p=np.tile(p, 2), key="samples",
                                    label="samples", takeaway="Samples."))
guessed = NetPredictions(p=p[1:], top=np.tile(top[:3], (N - 1, 1)), top_p=np.tile(p[top[:3]], (N - 1, 1)),
                  weights=w[:, :, 1:, 1:].astype(np.float32))
rows = [LedgerRow("GPT", "gpt", p[1:], 1.0, guesses=guessed)]
put("ledger", lambda: mount_widget("ledger", **ledger._pack_ledger_rows(rows, T, T), smoothing="none", selected=[0, 3],
                             plain=False,
                             mean_title="mean", key="ledger", label="ledger", takeaway="A ledger."))
put("merges", lambda: merges.draw_merges(merges.film_merges(" ".join(T[:8]), 6), key="merges", label="merges"))
put("editor", lambda: mount_widget("mask_editor", rows=T, drawn=choice_ref("drawn"), first=MASK, max_layers=8,
                                   key="editor", label="editor", takeaway="A mask.", click_sets={"drawn": "drawn"}))
put("pairs", lambda: before_after_bars(T[:5], p[:5].tolist(), p[:5].tolist(), key="pairs", label="pairs"))
"""

N_VIEW = PAGE.count("\nput(")
# Every text of the pictures with its figure's name: what stands in the document, and what was painted on a canvas.
GATHER = """() => {
  const roots = [document], texts = [];
  for (const root of roots)
    for (const node of root.querySelectorAll("*")) if (node.shadowRoot) roots.push(node.shadowRoot);
  for (const root of roots.slice(1)) {
    const figure = root.querySelector("figure.gf");
    if (!figure) continue;
    const name = figure.querySelector(".gf-title").textContent;
    const walker = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      texts.push([name, node.data, node.parentElement.tagName]);
    for (const one of figure.querySelectorAll("[aria-label], [title]"))
      for (const what of ["aria-label", "title"])
        if (one.hasAttribute(what)) texts.push([name, one.getAttribute(what), what]);
  }
  return texts.concat(window.painted ?? []);
}"""
PAINTED = """() => {
  window.painted = [];
  const paint = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    window.painted.push(["canvas", text, this.direction]);
    return paint.call(this, text, ...rest);
  };
}"""
RIGHT_TO_LEFT = range(0x590, 0x8FF)
ISOLATE, END = "\u2068", "\u2069"


def faults(text: str) -> str:
    """What a reader would stumble over in a label; "" if nothing."""
    depth = 0
    for letter in text:
        depth += (letter == ISOLATE) - (letter == END)
        if letter in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u200b\ufeff\x00":
            return f"holds U+{ord(letter):04X}"
        if ord(letter) in RIGHT_TO_LEFT and depth == 0:
            return "turns what stands around it"
        if 0xD800 <= ord(letter) < 0xE000:
            return "holds half a letter"
    if "\u0301" * 5 in text:
        return "a tower of accents"
    if text.endswith(("\u200d", "\u200d…")) or text.startswith(("\u200d", "\u0301")):
        return "cut inside a letter"
    return "is not closed" if depth else ""


@pytest.mark.parametrize(("width", "dark"), [(1280, False), pytest.param(390, True, marks=pytest.mark.full)])
def test_every_view_draws_every_script(show: Callable[..., Any], width: int, dark: bool) -> None:
    page = show("all", width=width, dark=dark)
    until(page, f"document.querySelectorAll('.gf-wait').length === 0 && {COUNT} === {N_VIEW}")
    page.wait_for_timeout(500)
    page.evaluate(PAINTED)
    page.set_viewport_size({"width": width - 2, "height": 900})  # all pictures are drawn anew, and written down
    until(page, "window.painted.length > 100")
    page.wait_for_timeout(500)
    texts = page.evaluate(GATHER)
    assert {name for name, *_ in texts} >= {"row", "matrix", "columns", "beams", "ledger", "canvas"}
    wrong = {(name, text[:60], where, what) for name, text, where in texts if (what := faults(text))}
    assert not wrong, "\n".join(map(str, sorted(wrong)))
    until(page, "(main => main.scrollWidth <= main.clientWidth)(document.querySelector('[data-testid=stMain]'))")
    check_order(page)


COUNT = """(() => {
  const roots = [document];
  for (const root of roots)
    for (const node of root.querySelectorAll("*")) if (node.shadowRoot) roots.push(node.shadowRoot);
  return roots.reduce((n, root) => n + root.querySelectorAll("figure.gf[data-drawn]").length, 0);
})()"""


def check_order(page: Any) -> None:
    """In the rows of tokens, the next token stands to the right or below, also between Arabic and Hebrew."""
    for view, token in (("row", ".gf-chips button"), ("masking", ".tok"), ("gaps", ".gf-gaps button")):
        figure = page.locator("figure.gf", has=page.locator(".gf-title", has_text=view)).first
        boxes = [box for box in (one.bounding_box() for one in figure.locator(token).all()) if box]
        assert len(boxes) >= 17, (view, len(boxes))
        for one, two in pairwise(boxes):
            below = two["y"] >= one["y"] + one["height"] - 2
            assert below or two["x"] >= one["x"] + one["width"] - 1, (view, one, two)
