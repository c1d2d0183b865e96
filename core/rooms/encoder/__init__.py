"""The encoder: a BERT reads in both directions, learns from gaps, and is then taught a task."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/families/encoder.py",
    order=3,
    title="Encoder",
    icon=":material/chrome_reader_mode:",
    card="The kind that reads: train it to fill gaps, then teach it a task with ten examples.",
    exhibits=(
        Entry("lab:masking_lab"),
        Entry("pretrain:pretrain", live=("masked",)),
        Entry("gaps:gaps"),
        Entry("together:together"),
        Entry("next_sentence:next_sentence", live=("next-sentence",)),
        Entry("slips:slips"),
        Entry("directions:directions"),
        Entry("finetune:finetune", live=("finetune",)),
        Entry("class_attention:class_attention"),
        Entry("entities:entities", live=("entities",)),
    ),
)
