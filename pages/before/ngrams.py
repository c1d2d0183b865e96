"""N-grams: counts of which token follows which, and how far counting alone goes."""

from core.rooms.ngrams import ROOM

ROOM.header()

from core.rooms.ngrams.inputs import NGramInputs  # noqa: E402  (the title is drawn before torch)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()

looked = render_inputs(NGramInputs)
if looked is not None:
    ROOM.show("counting-pairs", looked)
    ROOM.show("how-far-back", looked)
    ROOM.show("factor-by-factor", looked)
    ROOM.show("slips")
