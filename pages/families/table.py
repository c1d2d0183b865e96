"""Three families of transformers side by side: what each is for, and what each can do."""

from core.ui.frame import layout

layout.page_header(
    "The family table",
    "The same block, put together in three ways. What is each one good for?",
)

from core.rooms.families.room import ROOM  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "The transformer of 2017 had two sides: an encoder that reads and a decoder that writes. In 2018 each side went "
    "its own way: **GPT** kept the decoder, **BERT** the encoder. In 2019 **T5** put them back together. All three are "
    "stacks of one block; what sets them apart is who may read whom."
)
show(ROOM["family-table"])
show(ROOM["three-blocks"])
layout.section(
    "What can each of them do?",
    "The table above says what each family is used for, not what it *can* do. Here all three learn from the same "
    "texts: walks, told as a list of what you meet. They classify (by the sea or in the wood?), continue (which things "
    "come next if you go round again?) and translate (into French, on the way back).",
)
show(ROOM["same-question"], every=live.pace("families"))
show(ROOM["who-reads"])
