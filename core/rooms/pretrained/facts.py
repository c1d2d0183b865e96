"""What an opened model is: its settings in our names, and where its parameters are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from core import ui
from core.inspect.costs import parameters
from core.inspect.costs.parameters import ParameterRecord
from core.inspect.reading.model_and_text import load_any
from core.models import pretrained
from core.rooms.pretrained.compute.settings import settings_table
from core.rooms.pretrained.inputs import Looked

CODE = (pretrained.load, parameters.count)
SPECIAL = {
    "class_id": "opens every text",
    "mask_id": "marks a gap",
    "unknown_id": "replaces anything unknown",
    "end_id": "ends a text",
}


class Inputs(Looked):
    """Only the model."""


@dataclass(frozen=True)
class Facts:
    """What a model is."""

    settings: dict[str, list[str]]  # see `settings_table`
    record: ParameterRecord  # its parameters, counted
    tokenizer: str = ""  # its kind, "" where there is none
    vocab_size: int = 0  # of the tokenizer
    special: Mapping[str, str] | None = None  # what a special token does -> the token

    @property
    def rows(self) -> Iterable[tuple[str, ...]]:
        """Name, value and meaning of each setting."""
        return zip(*self.settings.values(), strict=True)

    def table(self) -> dict[str, list[str]]:
        """One line for each setting."""
        return self.settings


def compute(inputs: Inputs) -> Facts:
    """Its config, whose names are ours whoever made the model, and its parameters."""
    found = load_any(inputs.key)
    settings, record, tokenizer = settings_table(found.config), parameters.count(found.model), found.tokenizer
    if tokenizer is None:
        return Facts(settings, record)
    ids = {does: getattr(tokenizer, name, None) for name, does in SPECIAL.items()}
    special = {does: tokenizer.tokens([i])[0] for does, i in ids.items() if i is not None}
    return Facts(settings, record, tokenizer.kind, tokenizer.vocab_size, special)


def draw(result: Facts, inputs: Inputs) -> None:
    """The tokenizer, the map of the parameters and the settings."""
    ui.say("tokenizer")
    parts, has_numbers = [ui.as_part(term) for term in result.record.terms if term.count], ui.at_least("numbers")
    if not has_numbers:
        parts = [replace(part, formula="", numbers="") for part in parts]
    ui.parts(parts, key=f"opened.parameters.{inputs.key.name}", unit="parameters", label="Parameters, part by part")
    if has_numbers:
        with ui.st.expander("All settings", icon=":material/tune:"):
            ui.say("settings")
