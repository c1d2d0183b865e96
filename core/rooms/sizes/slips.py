"""Slips of the lecture notes about sizes, run as written beside the right version."""

from core.inspect.slips import attention
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.slips import LOOK_FOR, TRY, draw


@exhibit(
    title="Slips in the notes",
    look_for=LOOK_FOR,
    try_this=TRY,
    code=tuple(slip.run for slip in attention.SIZES),
)
def slips() -> Shown:
    """A count of a published model, beside what one token meets of it."""
    return draw(attention.SIZES, (0,), "sizes", script=_script)


def _script() -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.slips import slips, attention

        # All parameters of the experts, and those that one token meets.
        print_table(slips.table(attention.SIZES, 0))
        """
    )
