"""The encoder: a BERT reads in both directions, is pretrained on masked words, and then fine-tuned on a task."""

from core.ui.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/families/encoder.py",
    order=3,
    title="Encoder",
    icon=":material/chrome_reader_mode:",
    card="The kind that reads: train it to fill gaps, then teach it a task with ten examples.",
    exhibits=(
        Entry("gaps:gaps"),
        Entry("lab:masking_lab"),
        Entry("pretrain:pretrain", live=("masked",)),
        Entry("finetune:finetune", live=("finetune",)),
        Entry("together:together", is_folded=True),
        Entry("directions:directions", is_folded=True),
        Entry("class_attention:class_attention", is_folded=True),
        Entry("entities:entities", live=("entities",), is_folded=True),
        Entry("next_sentence:next_sentence", live=("next-sentence",), is_folded=True),
        Entry("slips:slips", is_folded=True),
    ),
)
