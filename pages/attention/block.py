"""The block."""

from core.ui import layout

layout.page_header(
    "The block",
    "Around attention stand norms, a feed-forward layer and the residual path. Follow one token through, and see what happens without them.",
)
