"""The functions that exhibits draw with, all of which `core.ui` offers under one name."""

# ruff: noqa: F401

import streamlit as st

from core.browser.choice_indexed_values import map_choices, pad_stack
from core.browser.weights import export_model_for_browser, offer_weights
from core.charts.axis import Axis
from core.data.localization.numbers import format_power_of_ten
from core.ui import state
from core.ui.controls import picks
from core.ui.controls.browser_side_controls import choice_options, choice_ref, for_each_option, select_by_choice
from core.ui.controls.controls import (
    control_button,
    current_value,
    is_hidden,
    prefill_text,
    set_control,
    set_control_silently,
)
from core.ui.exhibit.browser_computation import compute_in_browser, with_possible_section_names
from core.ui.exhibit.exhibit_drawing_state import (
    add_template_values,
    compute_for_all_choices,
    section_text,
    show_chart,
    show_code_block,
    show_markdown,
    show_metric,
    show_text_by_choice,
    show_text_section,
)
from core.ui.exhibit.pane_and_rail import current_exhibit_containers, exhibit_text_container
from core.ui.exhibit.plots import bars, curves, dots, fitted_curve_chart, grouped_bars, plot
from core.ui.frame.depth import depth_at_least, quantity_label, unit_suffix
from core.ui.frame.errata import show_erratum
from core.ui.frame.layout import color_mode, hidden_on_slides, two_columns, wide_table
from core.ui.models.model_description import describe_model
from core.ui.models.text_notes import (
    offer_model_words,
    recase_text_and_warn_unknown,
    show_text_notes,
    warn_unknown_letters,
    warn_unknown_words,
)
from core.ui.text_formatting import escape_markdown, pluralize, quote_text
from core.ui.widgets import badges
from core.ui.widgets.before_after_bars import before_after_bars, top_ids_before_or_after
from core.ui.widgets.matrix_film import matrix_film
from core.ui.widgets.picture_grid import pictures, to_grid
from core.ui.widgets.provenance_badge import ProvenanceBadge
from core.ui.widgets.sum_of_parts import SumTerm, SumTermPart, parameter_sum_term, sum_of_parts
from core.ui.widgets.tensors import EditedMatrix, distribution, head_grid, matrix, scrubber, token_row
from core.ui.widgets.token_row_with_errors import describe_token_errors, token_row_with_errors
from core.ui.widgets.vector_rows import VectorRow, draw_vector_rows
from core.ui.widgets.widget import mount_widget
