"""Slips of the lecture notes about probabilities, run as written beside the right version."""

from core.inspect.slips import language
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.slips import LOOK_FOR, TRY, TRY_SEED, draw


@exhibit(
    title="Slips in the notes",
    look_for=LOOK_FOR,
    try_this=(TRY_SEED, *TRY),
    code=tuple(slip.run for slip in language.NGRAMS),
)
def slips() -> Shown:
    """One slip at a time, on numbers drawn from a seed."""
    seed = controls.seed(name="ngrams_slip_seed")
    return draw(language.NGRAMS, (seed,), "ngrams", script=lambda: _script(seed))


def _script(seed: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.slips import slips, language

        # Each slip is run as it is written, and as it is right.
        print_table(slips.table(language.NGRAMS, $seed))
        """,
        seed=seed,
    )
