"""Strategies: one prompt, one model, up to six ways to choose the next token."""

from core.ui import layout

layout.page_header(
    "Strategies",
    "A model gives probabilities; a strategy makes text of them. One prompt, one model, up to six ways to choose the "
    "next token, side by side.",
)

from core.exhibits.strategies import side_by_side  # noqa: E402  (title first)
from core.ui.frame import contents, show  # noqa: E402
from core.ui.looking import look  # noqa: E402

contents(side_by_side.strategies_side_by_side)
looked = look(most=side_by_side.PROMPT_TOKENS)
if looked is not None:
    show(side_by_side.strategies_side_by_side, looked)
