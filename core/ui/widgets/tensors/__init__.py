"""Interactive pictures of tensors that work without the server: one record and one function each."""

from core.ui.widgets.tensors.distribution import distribution
from core.ui.widgets.tensors.head_grid import head_grid
from core.ui.widgets.tensors.matrix import EditedMatrix, matrix
from core.ui.widgets.tensors.scrubber import scrubber
from core.ui.widgets.tensors.token_row import token_row

__all__ = ["EditedMatrix", "distribution", "head_grid", "matrix", "scrubber", "token_row"]
