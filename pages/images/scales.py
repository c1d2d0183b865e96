"""A multi-scale ViT: windows, patch merging, stages."""

from core.ui import layout

layout.page_header(
    "Many scales",
    "From many small patches with few channels to few large ones with many.",
)

from core.exhibits.scales import reach, stages, training  # noqa: E402  (the title stands before torch)
from core.ui import live  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402

contents(stages.stages, training.training, reach.reach)

layout.prose(
    "Attention compares each patch with each: N patches make N² pairs. So a plain ViT takes few, large patches, keeps "
    "them to the end, and tells nothing smaller apart. Other models go through several **scales**. As a lecture note "
    "has it, they begin with “high-resolution patches and few channels” (a channel is one of the numbers of a token) "
    "and “gradually decrease the resolution, while increasing the number of channels”. Convolutional nets have always "
    "done so."
)
show(stages.stages)
layout.prose(
    "This is **Swin** (2021): attention within **windows**, every second time shifted, and patch merging between "
    "stages, where 2 × 2 neighbors become one token. A learned number for each step within a window tells how two "
    "tokens lie to each other. There are other ways. **MViT** (2021) pools inside of attention: keys and values are "
    "averaged or convolved to a coarser grid, so everyone still attends to everyone, in a shorter sequence. Where the "
    "queries are pooled too, the resolution falls. **PVT** (2021) shortens keys and values only, by merging neighbors. "
    "What all three share are the stages."
)
layout.section(
    "On digits",
    "Eight by eight pixels hardly have scales, so the digits are enlarged to sixteen by sixteen. It is a toy race, "
    "run honestly.",
)
show(training.training, every=live.pace(training.NAME))
layout.section(
    "From the window to the whole",
    "What follows looks into the model that was trained above: yours, or the example.",
)
show(reach.reach)
