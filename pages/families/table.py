"""Three families of transformers side by side: what each is for, and what each can do."""

from core.ui import layout

layout.page_header(
    "The family table",
    "The same block, put together in three ways. What is each good for?",
)
