"""A multi-scale ViT: windows, patch merging, stages."""

from core.ui.frame import layout

layout.page_header(
    "Many scales",
    "From many small patches with few channels to few large ones with many.",
)

from core.rooms.multiscale.room import ROOM  # noqa: E402  (the title first)
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame import depth  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "Attention compares every patch with every patch: twice as many patches make four times as many pairs. So a "
    "plain **ViT** (vision transformer) takes few, large patches, keeps them to the end, and tells nothing smaller "
    "apart. Other models go through several **scales**. As a lecture note puts it, they begin with “high-resolution "
    "patches and few channels” (a channel is one of the numbers of a token) and “gradually decrease the resolution, "
    "while increasing the number of channels”. Convolutional nets have always done so."
)
show(ROOM["stages"])
layout.prose(
    "This is **Swin** (2021): attention within **windows**, shifted every second time, and patch merging between "
    "stages, where 2 × 2 neighbors become one token. A learned number for each offset within a window tells how two "
    "tokens lie to each other."
)
if depth.at_least("numbers"):
    layout.prose(
        "There are other ways. **MViT** (2021) pools inside attention: keys and values are averaged or convolved to a "
        "coarser grid, so every token still attends to all, in a shorter sequence. Where the queries are pooled too, "
        "the resolution falls. **PVT** (2021) shortens only keys and values, by merging neighbors. All three share the "
        "stages."
    )
layout.section(
    "On digits",
    "Eight by eight pixels hardly have scales, so the digits are enlarged to sixteen by sixteen. It's a toy race, "
    "run honestly.",
)
show(ROOM["training"], every=live.pace("scales"))
layout.section(
    "From the window to the whole",
    "This looks into the model trained above: yours, or the example.",
)
show(ROOM["reach"])
