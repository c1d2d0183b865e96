"""The functions that exhibits draw with, all of which `core.ui` offers under one name."""

# ruff: noqa: F401

import streamlit as st

from core.browser.linked import over, stacked
from core.browser.weights import offer, offer_model
from core.charts.axis import Axis
from core.ui import state
from core.ui.controls import picks
from core.ui.controls.choices import along, chosen, each, values_of
from core.ui.controls.controls import begin, button, is_hidden, now, put, reset
from core.ui.exhibit.computed import computed, named
from core.ui.exhibit.drawing import chart, code, facts, metric, results, say, say_each, words, write
from core.ui.exhibit.plots import bars, curves, dots, grouped_bars, plot, trend
from core.ui.exhibit.rail import beside, reading
from core.ui.frame.depth import at_least, measured, unit
from core.ui.frame.layout import color_mode, off_slide, pair, wide_table
from core.ui.frame.slips import slip
from core.ui.models.about import about
from core.ui.models.own_words import offer_words_of, read_words, show_notes, tell_letters, tell_words
from core.ui.numbers import power_of_ten
from core.ui.text import escape_markdown, plural, quoted
from core.ui.widgets import badges
from core.ui.widgets.badge import Badge
from core.ui.widgets.before_after import before_after, top_of_either
from core.ui.widgets.film import film
from core.ui.widgets.parts import Part, Piece, as_part, parts
from core.ui.widgets.pictures import as_grid, pictures
from core.ui.widgets.strips import Strip, strips
from core.ui.widgets.tensors import Edited, distribution, head_grid, matrix, scrubber, token_row
from core.ui.widgets.widget import widget
from core.ui.widgets.written_row import mistakes, written_row
