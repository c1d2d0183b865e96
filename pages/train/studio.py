"""The training studio: press Train and watch a small GPT learn to write."""

from core.exhibits import studio
from core.ui import layout
from core.ui.frame import show

layout.page_header(
    "Training studio",
    "Press **Train** and watch a small GPT learn to write, from its first random letters on.",
)
studio.panel()
look = studio.look()
if look.run_id is None:
    studio.nothing_yet()
else:
    show(studio.live, look.run_id, look.active, every=studio.LIVE_SECONDS if look.active else None)
    show(studio.film, look.run_id, every=studio.FILM_SECONDS if look.active else None)
show(studio.runs, every=studio.RUNS_SECONDS if look.any_active else None)
