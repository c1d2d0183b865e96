"""A slip of the lecture notes about encoders: that they are generative."""

from core.exhibits.encoder.common import current, models_in_script, pair
from core.exhibits.encoder.together import FIRST, SECOND
from core.exhibits.slips import LOOK_FOR, TRY, draw
from core.inspect import slips_language
from core.train.experiments import masked as task
from core.ui import scripts
from core.ui.frame import Shown, exhibit


@exhibit(
    title="Slips in the notes",
    look_for=LOOK_FOR,
    try_this=TRY,
    code=tuple(slip.run for slip in slips_language.ENCODER),
)
def slips() -> Shown | None:
    """Two gaps, filled in one order and in the other."""
    models = current()
    if models is None:
        return None
    opened = pair(models)
    words = opened.words
    ids = [words.class_id, *words.encode(task.PROBE)]
    given = (opened.bert, ids, (FIRST, SECOND), words.mask_id, words.labels(range(words.n_plain)))
    return draw(slips_language.ENCODER, given, "encoder", script=_script)


def _script() -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect import slips, slips_language
        from core.train.experiment import record_of
        from core.train.experiments import masked

        $models
        words = models.words
        ids = [words.class_id, *words.encode(masked.PROBE)]

        # Two gaps: the first is filled first, then the second first.
        given = (models.bert, ids, ($first, $second), words.mask_id, words.labels(range(words.n_plain)))
        print_table(slips.table(slips_language.ENCODER, *given))
        """,
        models=models_in_script(),
        first=FIRST,
        second=SECOND,
    )
