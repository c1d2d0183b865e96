"""A slip of the lecture notes about encoders: that they are generative."""

from core.inspect.slips import language
from core.rooms.encoder.common import current, models_in_script, pair
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.together import FIRST, SECOND
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.slips import LOOK_FOR, TRY, draw


@exhibit(
    title="Slips in the notes",
    look_for=LOOK_FOR,
    try_this=TRY,
    code=tuple(slip.run for slip in language.ENCODER),
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
    return draw(language.ENCODER, given, "encoder", script=_script)


def _script() -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.slips import slips, language
        from core.train.experiment import record_of
        from core.rooms.encoder.experiments import masked

        $models
        words = models.words
        ids = [words.class_id, *words.encode(masked.PROBE)]

        # Two gaps: the first is filled first, then the second first.
        given = (models.bert, ids, ($first, $second), words.mask_id, words.labels(range(words.n_plain)))
        print_table(slips.table(language.ENCODER, *given))
        """,
        models=models_in_script(),
        first=FIRST,
        second=SECOND,
    )
