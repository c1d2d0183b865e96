"""The encoder: a BERT reads in both directions, is pretrained on masked words, and then fine-tuned on a task."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/families/encoder.py",
    order=3,
    icon=":material/chrome_reader_mode:",
    exhibits=(
        ExhibitSpec("gaps:gaps"),
        ExhibitSpec("lab:masking_lab"),
        ExhibitSpec("pretrain:pretrain", experiments=("masked",)),
        ExhibitSpec("finetune:finetune", experiments=("finetune",)),
        ExhibitSpec("together:together"),
        ExhibitSpec("directions:directions"),
        ExhibitSpec("class_attention:class_attention"),
        ExhibitSpec("entities:entities", experiments=("entities",)),
        ExhibitSpec("next_sentence:next_sentence", experiments=("next-sentence",)),
        ExhibitSpec("slips:slips"),
    ),
)
