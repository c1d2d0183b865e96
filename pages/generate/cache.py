"""The cache."""

from core.ui import layout

layout.page_header(
    "The cache",
    "Why a transformer that writes need not read everything anew.",
)
