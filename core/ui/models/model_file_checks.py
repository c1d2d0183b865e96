"""The files of a model that a learner opens: the known names, and checks of files and folders."""

import os
import re
import stat
from collections.abc import Collection
from pathlib import Path

from core.data.localization.labels import module_labels
from core.inspect.model_inputs.model_key import _INDEX_FILE, _WEIGHTS_FILE
from core.models.imports.model_folder_reader import SHARD, list_shards
from core.models.imports.weights_file import GGUF, ImportRefused
from core.models.imports.wrong_folder_advice import (
    ADAPTER,
    ADAPTER_FILES,
    FILE_ENDS,
    file_instead_of_folder_advice,
    incomplete_folder_refusal,
    parse_hub_name,
)
from core.ui.text_formatting import clean_text

LABELS = module_labels(__name__)

TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt")
# They describe capital letters, special tokens and chats, and the training data of our own models.
EXTRAS = (
    "tokenizer_config.json", "special_tokens_map.json", "generation_config.json", "chat_template.jinja", "recipe.json",
)  # fmt: skip
NAMES = ("config.json", _WEIGHTS_FILE, _INDEX_FILE, *TOKENIZERS, *EXTRAS)
MAX_NAME = 60
MAX_PATH = 1_000  # characters; operating systems allow a few thousand
_UNREADABLE = LABELS["no_folder"]
EXAMPLE = LABELS["example_path"]


class OpeningRefused(ValueError):
    """A model that cannot be accepted; the message explains why."""


def clean_model_name(name: str) -> str:
    """Clean a name for a list: one line, no control characters, not empty."""
    line = " ".join(clean_text(name, 1_000).text.split())
    return "".join(c if c.isprintable() else "\ufffd" for c in line)[:MAX_NAME].strip() or LABELS["unnamed"]


def recognize_model_file(given: str) -> str | None:
    """Return the model file that an uploaded file's name means: one of `NAMES`, or one of several files of weights.

    Returns None for any other name. A trailing " (1)", which browsers add to a second download, is ignored.
    """
    plain = _plain(given)
    if plain in ADAPTER_FILES:
        return None
    if plain in NAMES or SHARD.fullmatch(plain):
        return plain
    return _WEIGHTS_FILE if plain.endswith(".safetensors") else None


def _plain(given: str) -> str:
    return re.sub(r" ?\(\d{1,3}\)(?=\.[a-z]+$)", "", given[-100:].lower())


def file_refusal_reason(given: str) -> str:
    """Return the reason why a file with this name isn't accepted, and what to do next."""
    plain = _plain(given)
    if plain in ADAPTER_FILES or plain.endswith(".gguf"):
        return f"{GGUF if plain.endswith('.gguf') else ADAPTER}."
    return LABELS("not_a_model_file", name=clean_model_name(given), names=", ".join(NAMES))


def model_folder_at(path: str) -> Path:
    """Return the folder at a person's path if it looks like a model's.

    The messages reveal about the machine's folders only what opening a model needs: that there is no such folder, or
    which kind of folder lacks a config.json.

    Raises:
        OpeningRefused: if it doesn't.
    """
    text = path.strip().strip("\"'")
    if not text:
        raise OpeningRefused(LABELS("empty_path", example=EXAMPLE))
    if len(text) > MAX_PATH or "\0" in text:
        raise OpeningRefused(LABELS("not_a_path", most=MAX_PATH))
    if text.startswith(("\\\\", "//")):
        raise OpeningRefused(LABELS["other_machine"])
    try:
        folder = Path(text).expanduser()
        if parse_hub_name(text) is not None:
            raise OpeningRefused(LABELS("hub_name", name=parse_hub_name(text)))
        if not folder.is_absolute():
            raise OpeningRefused(LABELS("relative_path", example=EXAMPLE))
        folder = Path(os.path.normpath(folder))
        if not folder.is_dir():
            if folder.name.lower().endswith(FILE_ENDS):  # whether or not it exists, which isn't revealed
                raise OpeningRefused(f"{file_instead_of_folder_advice(folder.name)}.")
            raise OpeningRefused(_UNREADABLE)
        config = (folder / "config.json").stat()
    except OpeningRefused:
        raise
    except FileNotFoundError:
        raise OpeningRefused(f"{incomplete_folder_refusal(folder)}.") from None
    except (OSError, ValueError, RuntimeError):
        raise OpeningRefused(_UNREADABLE) from None
    if not stat.S_ISREG(config.st_mode):
        raise OpeningRefused(LABELS["config_not_a_file"])
    return folder


def check_file_names(names: Collection[str]) -> None:
    """Check file names. Raises OpeningRefused if files are missing or one is unknown."""
    if unknown := [name for name in names if recognize_model_file(name) != name]:
        raise OpeningRefused(LABELS("unknown_file", name=clean_model_name(unknown[0])))
    if "config.json" not in names:
        raise OpeningRefused(LABELS["no_config"])
    try:
        has_weights = _WEIGHTS_FILE in names or _INDEX_FILE in names or list_shards(names)
    except ImportRefused as refusal:
        raise OpeningRefused(LABELS("incomplete", reason=refusal)) from None
    if not has_weights:
        raise OpeningRefused(LABELS("no_weights", file=_WEIGHTS_FILE))
