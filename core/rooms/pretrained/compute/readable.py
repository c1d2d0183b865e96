"""What can be opened, in words: one line for each family that `core.models.pretrained.load` reads."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Readable:
    """A family of models.

    Args:
        name: what people call it.
        type: its own name for itself in config.json: "model_type" in Hugging Face's.
        family: what kind of model it is.
        such_as: some of its models.
    """

    name: str
    type: str
    family: str
    such_as: str


READABLE = (
    Readable("GPT-2", "gpt2", "decoder", "gpt2, distilgpt2, and relatives"),
    Readable("BERT", "bert", "encoder", "bert-base-uncased; with a head for words, a whole text, or each token"),
    Readable("DistilBERT", "distilbert", "encoder", "distilbert-base-uncased"),
    Readable("RoBERTa", "roberta", "encoder", "roberta-base, distilroberta-base"),
    Readable("T5, T5 v1.1", "t5", "encoder-decoder", "t5-small, flan-t5-small"),
    Readable("ViT", "vit", "encoder of pictures", "its facts only"),
    Readable("ImageGPT", "imagegpt", "decoder of pictures", "its facts only"),
    Readable("Glassformer’s own", "any", "all families", "a run's folder, as the training studio downloads it"),
)


def readable_table() -> dict[str, list[str]]:
    """One line for each family."""
    return {
        "name": [one.name for one in READABLE],
        "type": [one.type for one in READABLE],
        "family": [one.family for one in READABLE],
        "such as": [one.such_as for one in READABLE],
    }
