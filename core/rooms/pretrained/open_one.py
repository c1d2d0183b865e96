"""Open a model: an upload, a local folder, or a download by name. A refusal explains itself and loses no input."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, segmented_control
from core.models import pretrained
from core.models.imports.published import PUBLISHED
from core.models.registry import FAMILIES

LABELS = module_labels(__name__)

CODE = (pretrained.load,)


class Inputs(Base):
    way: str = segmented_control(
        ("example", "upload", "folder", "hub"),
        "example",
    )


# Common names, their "model_type" in config.json, their kind, and examples.
READABLE = (
    *((one.title, one.model_type, FAMILIES[one.kind].role, one.such_as) for one in PUBLISHED),
    (LABELS["own_title"], "any", LABELS["all_families"], LABELS["own_such_as"]),
)


class ReadableFamilies(Result):
    """The families that can be opened."""

    families: tuple[tuple[str, str, str, str], ...] = READABLE

    def table(self) -> dict[str, list[str]]:
        """Return one row per family."""
        columns = map(list, zip(*self.families, strict=True))
        names = LABELS.options("table", "name", "type", "family", "such_as").values()
        return dict(zip(names, columns, strict=True))


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
    with ui.st.expander(LABELS["what_can_be_opened"], icon=":material/menu_book:"):
        ui.show_text_section("families")
