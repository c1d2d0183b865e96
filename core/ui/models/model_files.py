"""The files of a model that a learner opens: which are known by name, and which folder is one."""

import os
import re
import stat
from collections.abc import Collection
from pathlib import Path

from core.inspect.reading.model_key import INDEX, WEIGHTS
from core.ui.text import clean_text

TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt")
# They tell of capital letters, of special tokens and of chats, and on what a model of ours was trained.
EXTRAS = (
    "tokenizer_config.json", "special_tokens_map.json", "generation_config.json", "chat_template.jinja", "recipe.json",
)  # fmt: skip
NAMES = ("config.json", WEIGHTS, INDEX, *TOKENIZERS, *EXTRAS)
# Of weights in several files, as `core.models.imports.weights_folder` finds them by their index.
SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
MAX_NAME = 60
MAX_PATH = 1_000  # characters; systems allow some thousands
EXAMPLE = "/home/anna/models/gpt2 or C:\\models\\gpt2"


class OpeningRefused(ValueError):
    """A model cannot be taken in; the message says why in plain words."""


def clean_name(name: str) -> str:
    """A name for a list: one line, no control characters, not empty."""
    line = " ".join(clean_text(name, 1_000).text.split())
    return "".join(c if c.isprintable() else "\ufffd" for c in line)[:MAX_NAME].strip() or "unnamed"


def file_name(given: str) -> str | None:
    """The name of a model's file that an uploaded one stands for: in `NAMES`, or of one of several files of weights.

    None of any other. Browsers add " (1)" to a second download.
    """
    plain = re.sub(r" ?\(\d{1,3}\)(?=\.[a-z]+$)", "", given[-100:].lower())
    if plain in NAMES or SHARD.fullmatch(plain):
        return plain
    return WEIGHTS if plain.endswith(".safetensors") else None


def why_unknown(given: str) -> str:
    """Why a file isn't taken whose name stands for none of a model's."""
    return (
        f"“{clean_name(given)}” is not a model file that is read here. These are: {', '.join(NAMES)}. Files of pickled "
        "weights (.bin, .pt) can run programs when they are opened, so they never are."
    )


def folder_at(path: str) -> Path:
    """The folder that a person's path names, if it looks like a model's.

    What it says about a machine's folders is only what opening a model needs: that there is none, or none with a
    config.json.

    Raises:
        OpeningRefused: otherwise, in plain words.
    """
    text = path.strip().strip("\"'")
    if not text:
        raise OpeningRefused(f"The path is empty. A path looks like {EXAMPLE}.")
    if len(text) > MAX_PATH or "\0" in text:
        raise OpeningRefused(
            f"This isn't a path: it may have at most {MAX_PATH:,} characters, and no control characters."
        )
    if text.startswith(("\\\\", "//")):
        raise OpeningRefused("A folder on another machine can't be opened: copy it to this one first.")
    try:
        folder = Path(text).expanduser()
        if not folder.is_absolute():
            raise OpeningRefused(f"The path must be complete, such as {EXAMPLE}.")
        folder = Path(os.path.normpath(folder))
        if not folder.is_dir():
            raise OpeningRefused("There is no folder at this path that this program may read.")
        config = (folder / "config.json").stat()
    except OpeningRefused:
        raise
    except FileNotFoundError:
        raise OpeningRefused("There is no config.json in this folder.") from None
    except (OSError, ValueError, RuntimeError):
        raise OpeningRefused("There is no folder at this path that this program may read.") from None
    if not stat.S_ISREG(config.st_mode):
        raise OpeningRefused("There is no config.json in this folder.")
    return folder


def check_names(names: Collection[str]) -> None:
    """Raises OpeningRefused if files are missing, or one is unknown."""
    if unknown := [name for name in names if file_name(name) != name]:
        raise OpeningRefused(f"No model needs a file with this name: {clean_name(unknown[0])}.")
    if "config.json" not in names:
        raise OpeningRefused("There is no config.json among the files.")
    if WEIGHTS not in names and INDEX not in names:
        raise OpeningRefused(f"There is no {WEIGHTS} among the files.")
