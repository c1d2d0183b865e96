"""Open a model: an upload, a folder of this machine, or a download by name. Refused in plain words, nothing lost."""

from dataclasses import dataclass
from typing import NamedTuple

from core import ui
from core.inputs import Inputs as Base
from core.inputs import segmented
from core.models import pretrained

CODE = (pretrained.load,)


class Inputs(Base):
    """Where the model is."""

    way: str = segmented(
        "Where is the model?",
        {"upload": "Upload files", "folder": "A folder on this machine", "hub": "Download by name"},
        "upload",
    )


class Family(NamedTuple):
    """Models that `core.models.pretrained.load` reads.

    Attributes:
        name: what people call them.
        type: their own name for themselves in config.json: "model_type" in Hugging Face's.
        family: what kind of model they are.
        such_as: some of them.
    """

    name: str
    type: str
    family: str
    such_as: str


READABLE = (
    Family("GPT-2", "gpt2", "decoder", "gpt2, distilgpt2, and relatives"),
    Family("BERT", "bert", "encoder", "bert-base-uncased; with a head for words, a whole text, or each token"),
    Family("DistilBERT", "distilbert", "encoder", "distilbert-base-uncased"),
    Family("RoBERTa", "roberta", "encoder", "roberta-base, distilroberta-base"),
    Family("T5, T5 v1.1", "t5", "encoder-decoder", "t5-small, flan-t5-small"),
    Family("ViT", "vit", "encoder of pictures", "its facts only"),
    Family("ImageGPT", "imagegpt", "decoder of pictures", "its facts only"),
    Family("Glassformer’s own", "any", "all families", "a run's folder, as the training studio downloads it"),
)


@dataclass(frozen=True)
class Readable:
    """What can be opened."""

    families: tuple[Family, ...] = READABLE

    def table(self) -> dict[str, list[str]]:
        """One line for each family."""
        columns = zip(*self.families, strict=True)
        return {name.replace("_", " "): list(column) for name, column in zip(Family._fields, columns, strict=True)}


def compute(inputs: Inputs) -> Readable:
    """Every family that `core.models.pretrained.load("path/to/the/folder")` reads."""
    return Readable()


def draw(result: Readable, inputs: Inputs) -> None:
    """The three ways, what is read, and the learner's own models."""
    from core.rooms.pretrained import open_forms, yours  # they need Streamlit

    {"upload": open_forms.upload, "folder": open_forms.folder, "hub": open_forms.download}[inputs.way]()
    open_forms.tell()
    yours.yours()
    with ui.st.expander("What can be opened", expanded=True, icon=":material/menu_book:"):
        ui.say("families")
        ui.say("both")
