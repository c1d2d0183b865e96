"""The ledger."""

from core.ui import layout

layout.page_header(
    "The ledger",
    "One sentence, token by token: what does each token cost a counter, a recurrent net and a transformer?",
)
