"""The training studio: press Train and watch a small language model learn to write."""

from core.exhibits import studio
from core.ui import layout
from core.ui.frame import show

layout.page_header(
    "Training studio",
    "Press **Train** and watch a small language model learn to write, starting from random letters.",
)
look = studio.look()
if not look.is_named:
    studio.panel()
if look.run_id is None:
    studio.nothing_yet()
else:
    show(studio.live, look.run_id, look.phase, every=look.live_every)
if look.is_named:
    studio.panel()
if look.run_id is not None:
    show(studio.film, look.run_id, every=look.film_every)
show(studio.runs, every=look.runs_every)
