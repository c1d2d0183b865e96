"""The encoder-decoder: one side reads a text, the other writes one."""

from core.ui import layout

layout.page_header(
    "Encoder-decoder",
    "One side reads, the other writes, and asks the first one at every word.",
)

from core.exhibits.encoder_decoder import (  # noqa: E402
    applications,
    beams,
    caveats,
    forcing,
    maps,
    rivals,
    roles,
    swap,
    translate,
)
from core.ui import live  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402

contents(
    translate.translate, roles.roles, maps.maps, swap.swap, forcing.forced_or_free, rivals.rivals, beams.beams,
    caveats.bleu_caveats, applications.applications,
)  # fmt: skip

layout.prose(
    "The transformer of 2017 was made to translate. Its encoder reads the whole source at once, in both directions; "
    "its decoder writes word by word, reads what it has written, and in each block asks the encoder. That second "
    "attention is the bridge between the two. Here it learns to translate English into Tamari, an invented "
    "language with a grammar that is known, so that every answer can be checked."
)
show(translate.translate, every=live.pace(translate.NAME))
layout.section(
    "The bridge",
    "One formula, three places. What differs is only who asks and who is asked. The models below are the ones trained "
    "above: yours, or the example.",
)
show(roles.roles)
show(maps.maps)
show(swap.swap)
layout.section(
    "Trained with the truth, used without",
    "In training the decoder reads the true word before each one, so that all positions are learned at once.",
)
show(forcing.forced_or_free)
show(rivals.rivals, every=live.pace(rivals.NAME))
layout.section("Searching and judging", "Which of all texts to write, and how good the ones written are.")
show(beams.beams)
show(caveats.bleu_caveats)
layout.section(
    "One model, many uses",
    "A summary, an answer, names, a verdict: whatever can be written as a text for a text is a task for one model.",
)
show(applications.applications, every=live.pace(applications.NAME))
