"""Slips of the lecture notes about decoders, run as written beside the right version, on the chosen model and text."""

from core.inspect.model_and_text import ModelAndText
from core.inspect.slips import language
from core.rooms.decoder.inputs import model_of
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.slips import LOOK_FOR, TRY, draw
from core.ui.models import models


@exhibit(
    title="Slips in the notes",
    look_for=LOOK_FOR,
    try_this=TRY,
    code=tuple(slip.run for slip in language.DECODER),
)
def slips(looked: ModelAndText) -> Shown:
    """One slip at a time, on this model and this text."""
    given = (model_of(looked.key), looked.encoded.ids, models.vocabulary(looked.key))
    return draw(language.DECODER, given, "decoder", script=lambda: _script(looked))


def _script(looked: ModelAndText) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.slips import slips, language
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        tokenizer = found.tokenizer
        ids = $ids
        vocabulary = [str(i) for i in range(found.model.config.vocab_size)]  # names do not change the numbers
        print_table(slips.table(language.DECODER, found.model, ids, vocabulary))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
    )
