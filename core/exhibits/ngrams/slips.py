"""Slips of the lecture notes about probabilities, run as written beside the right version."""

from core.exhibits.slips import LOOK_FOR, TRY, TRY_SEED, draw
from core.inspect import slips_language
from core.ui import controls, scripts
from core.ui.frame import Shown, exhibit


@exhibit(
    title="Slips in the notes",
    look_for=LOOK_FOR,
    try_this=(TRY_SEED, *TRY),
    code=tuple(slip.run for slip in slips_language.NGRAMS),
)
def slips() -> Shown:
    """One slip at a time, on numbers drawn from a seed."""
    seed = controls.seed(name="ngrams_slip_seed")
    return draw(slips_language.NGRAMS, (seed,), "ngrams", script=lambda: _script(seed))


def _script(seed: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect import slips, slips_language

        # Each slip is run as it is written, and as it is right.
        print_table(slips.table(slips_language.NGRAMS, $seed))
        """,
        seed=seed,
    )
