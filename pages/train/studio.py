"""The training studio: press Train and watch a small language model learn to write."""

from core.rooms.studio import pieces
from core.ui.frame import layout
from core.ui.frame.exhibit import show

layout.page_header(
    "Training studio",
    "Press **Train** and watch a small language model learn to write, starting from random letters.",
)
look = pieces.look()
if not look.is_named:
    pieces.panel()
if look.run_id is None:
    pieces.nothing_yet()
else:
    show(pieces.live, look.run_id, look.phase, every=look.live_every)
if look.is_named:
    pieces.panel()
if look.run_id is not None:
    show(pieces.film, look.run_id, every=look.film_every)
show(pieces.runs, every=look.runs_every)
