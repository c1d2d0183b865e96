"""Open a model: an upload, a local folder, or a download by name. A refusal explains itself and loses no input."""

from core import ui
from core.exhibit import Inputs as Base, Result, segmented_control
from core.models import pretrained
from core.models.imports.published import PUBLISHED
from core.models.registry import FAMILIES

CODE = (pretrained.load,)


class Inputs(Base):
    way: str = segmented_control(
        "Where is the model?",
        {
            "example": "Here: a GPT-2 to try",
            "upload": "Upload files",
            "folder": "A folder on this machine",
            "hub": "Download by name",
        },
        "example",
    )


# Common names, their "model_type" in config.json, their kind, and examples.
READABLE = (
    *((one.title, one.model_type, FAMILIES[one.kind].role, one.such_as) for one in PUBLISHED),
    ("Glassformer’s own", "any", "all families", "a run's folder, as the training studio downloads it"),
)


class ReadableFamilies(Result):
    """The families that can be opened."""

    families: tuple[tuple[str, str, str, str], ...] = READABLE

    def table(self) -> dict[str, list[str]]:
        """Return one row per family."""
        columns = map(list, zip(*self.families, strict=True))
        return dict(zip(("name", "type", "family", "such as"), columns, strict=True))


def compute(inputs: Inputs) -> ReadableFamilies:
    """List every family that `core.models.pretrained.load("path/to/the/folder")` reads."""
    return ReadableFamilies()


def draw(result: ReadableFamilies, inputs: Inputs) -> None:
    """Draw the forms, the readable families, and the learner's own models."""
    from core.rooms.pretrained import open_forms  # it needs Streamlit

    {
        "example": open_forms.example_form,
        "upload": open_forms.upload_form,
        "folder": open_forms.folder_form,
        "hub": open_forms.download_form,
    }[inputs.way]()
    open_forms.show_notice()
    open_forms.list_own_models()
    with ui.st.expander("What can be opened", icon=":material/menu_book:"):
        ui.show_text_section("families")
