"""Slips of the lecture notes about sizes, run as written beside the right version."""

from core.exhibits.slips import LOOK_FOR, TRY, draw
from core.inspect import slips_attention
from core.ui import scripts
from core.ui.frame import Shown, exhibit


@exhibit(
    title="Slips in the notes",
    look_for=LOOK_FOR,
    try_this=TRY,
    code=tuple(slip.run for slip in slips_attention.SIZES),
)
def slips() -> Shown:
    """A count of a published model, beside what one token meets of it."""
    return draw(slips_attention.SIZES, (0,), "sizes", script=_script)


def _script() -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect import slips, slips_attention

        # All parameters of the experts, and those that one token meets.
        print_table(slips.table(slips_attention.SIZES, 0))
        """
    )
