"""The facts about an opened model: its settings under our names, and the distribution of its parameters."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result
from core.inspect.costs import parameters
from core.inspect.costs.parameters import ParameterBreakdown
from core.inspect.model_inputs.model_and_text import load_any_model
from core.models import pretrained, registry
from core.models.imports import importable_families, tensor_plan
from core.models.imports.importable_families import ModelFamilyDifferences, foreign_family, plan_and_tensors
from core.models.imports.model_folder_reader import ModelFolder
from core.models.imports.weights_file import ImportRefused, Shape
from core.rooms.pretrained.inputs import ModelInputs

LABELS = module_labels(__name__)

SETTING_MEANINGS = LABELS.options("meaning")  # setting -> its meaning


class RenamedTensor(NamedTuple):
    """One tensor of a model's files."""

    theirs: str  # its name in the files
    shape: Shape  # as stored
    ours: tuple[str, ...]  # our parameters made from it; empty if it is not read (for example a mask that we compute)
    is_turned: bool  # True if its numbers are transposed, split or scaled, and not only renamed


def list_renamed_tensors(folder: Path | str) -> tuple[RenamedTensor, ...]:
    """List the tensors of an import and the parameters made from them, reading only the headers.

    Args:
        folder: a folder that `core.models.pretrained.load` reads.

    Raises:
        ImportRefused: if it contains no such model.
    """
    opened = ModelFolder(folder)
    plan, read = plan_and_tensors(foreign_family(opened.config), opened.config, opened.tensors)
    found = tensor_plan.tensor_placements(plan.rows, registry.build_empty(pretrained.make_config(plan.fields)))
    becomes = {one.name: found[name] for name, one in read.items() if name in found}
    rows = []
    for name, one in opened.tensors.items():
        place = becomes.get(name)
        is_turned = place is not None and place.layout is not tensor_plan.SAME
        rows.append(RenamedTensor(name, one.shape, () if place is None else place.ours, is_turned))
    return tuple(rows)


def _starred(name: str) -> str:
    """Replace a name's block number by `*`, and allow line breaks after dots and underscores for narrow screens."""
    return re.sub(r"([._])", "\\1\u200b", re.sub(r"(?<=\.)\d+(?=\.)", "*", name, count=1)[:120])


def settings_table(config: object) -> dict[str, list[str]]:
    """Return one row per setting; the blocks' settings are named "block.norm".

    Args:
        config: one of `core.models.registry.CONFIGS`.
    """
    flat: dict[str, object] = {}
    for name, value in registry.flat_settings(config).items():
        flat |= {f"{name}.{inner}": one for inner, one in value.items()} if isinstance(value, dict) else {name: value}
    return {
        LABELS["table.setting"]: list(flat),
        LABELS["table.value"]: [str(value) for value in flat.values()],
        LABELS["table.meaning"]: [_meaning(name) for name in flat],
    }


def _meaning(name: str) -> str:
    """Return the meaning of a setting; rotary positions in windowed layers share the meaning of the others."""
    if name.startswith("window_rotary."):
        return LABELS("windowed_meaning", meaning=SETTING_MEANINGS[name.removeprefix("window_")])
    return SETTING_MEANINGS.get(name, "")


CODE = (
    pretrained.load,
    parameters.count_module_parameters,
    list_renamed_tensors,
    tensor_plan.tensor_placements,
    tensor_plan.convert_tensors,
)
SPECIAL_TOKENS = {
    "class_id": LABELS["special.class_id"],
    "mask_id": LABELS["special.mask_id"],
    "unknown_id": LABELS["special.unknown_id"],
    "end_id": LABELS["special.end_id"],
}


class Inputs(ModelInputs):
    """The model only."""


class ModelFacts(Result):
    """The sizes of a model."""

    settings: dict[str, list[str]]  # see `settings_table`
    record: ParameterBreakdown  # its parameter count
    rows: list[tuple[str, ...]]  # name, value and meaning of each setting
    tensors: tuple[RenamedTensor, ...]  # of its files; () if these can no longer be read
    is_own: bool  # True if all tensors have our names already
    differences: ModelFamilyDifferences | None  # from the nearest relative; None for a model that Glassformer wrote
    grouped: list[tuple[RenamedTensor, int]]  # tensors of one name and shape in several blocks share a row
    tokenizer: str = ""  # its kind, "" if there is none
    vocab_size: int = 0  # of the tokenizer
    special: Mapping[str, str] | None = None  # role of a special token -> the token

    def table(self) -> dict[str, list[str]]:
        """Return one row per setting."""
        return self.settings


def compute(inputs: Inputs) -> ModelFacts:
    """Collect the config, under our names for models from anywhere, and the parameters."""
    found = load_any_model(inputs.key)
    settings, tokenizer = settings_table(found.config), found.tokenizer
    try:
        tensors = list_renamed_tensors(inputs.key.folder)
        model_type = str(ModelFolder(inputs.key.folder).config.get("model_type"))
    except (ImportRefused, ValueError, OSError):
        tensors, model_type = (), ""
    lines = (one._replace(theirs=_starred(one.theirs), ours=tuple(map(_starred, one.ours))) for one in tensors)
    facts = ModelFacts(
        settings=settings,
        record=parameters.count_module_parameters(found.model),
        rows=list(zip(*settings.values(), strict=True)),
        tensors=tensors,
        is_own=all(one.ours == (one.theirs,) for one in tensors),
        differences=importable_families.differences_from_nearest_family(model_type),
        grouped=list(Counter(lines).items()),
    )
    if tokenizer is None:
        return facts
    ids = {does: getattr(tokenizer, name, None) for name, does in SPECIAL_TOKENS.items()}
    return replace(
        facts,
        tokenizer=tokenizer.kind,
        vocab_size=getattr(tokenizer, "n_token", tokenizer.vocab_size),  # the model may have more outputs
        special={does: tokenizer.tokens([i])[0] for does, i in ids.items() if i is not None},
    )


def draw(result: ModelFacts, inputs: Inputs) -> None:
    """Draw the map of the parameters and the settings."""
    parts, has_numbers = (
        [ui.parameter_sum_term(term) for term in result.record.terms if term.count],
        ui.depth_at_least("numbers"),
    )
    if not has_numbers:
        parts = [replace(part, formula="", numbers="") for part in parts]
    ui.sum_of_parts(
        parts, key=f"opened.parameters.{inputs.key.name}", unit=LABELS["parameters"], label=LABELS["parameters_title"]
    )
    if has_numbers:
        with ui.st.expander(LABELS["all_settings"], icon=":material/tune:"):
            ui.show_text_section("settings")
        if result.tensors:
            with ui.st.expander(LABELS["renamed"]):
                ui.show_text_section("tensors")
