"""Keys of models, which hold the source, name, version and folder of a model's current weights."""

import json
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import quote, unquote

from core.data.files import read_start
from core.data.localization.labels import module_labels
from core.data.printable import replace_surrogates_in_json

LABELS = module_labels(__name__)

_Source = Literal["shipped", "run", "opened", "folder"]
SHIPPED_MODELS = Path(__file__).resolve().parents[3] / "assets" / "models"
DEFAULT_MODEL = "stories"
# The kinds of models that generate text, and those that read a text with attention.
WRITER_KINDS = ("gpt", "rnn")
READER_KINDS = ("gpt", "gpt-labels", "bert", "t5", "transformer")
_WEIGHTS_FILE, _INDEX_FILE = "model.safetensors", "model.safetensors.index.json"  # one file, or the index of several


class ModelKey(str):
    """The key of a model in its current state: "source name version folder", a string because caches hash it fastest.

    The source is "shipped" (also for models in the data folder, which everybody sees), "run" or "opened". The name is
    the folder's name, or the id of the run or the opened model. The version changes whenever the weights do, so no
    cache shows an older checkpoint.
    """

    __slots__ = ()

    @classmethod
    def of(cls, source: _Source, name: str, folder: Path, missing: str = LABELS["weights_gone"]) -> Self:
        """Return the key of a model in a folder. Raises ModelUnreadable with the message `missing` without weights."""
        return cls(f"{source} {_quoted(name)} {_version_of(folder, missing)} {_quoted(str(folder))}")

    @classmethod
    def at(cls, folder: Path | str) -> Self:
        """Return the key of a model in any folder, or of one that ships, by its name. Raises ModelUnreadable."""
        place = Path(folder).resolve() if Path(folder).is_dir() else SHIPPED_MODELS / folder
        return cls.of("shipped" if place.parent == SHIPPED_MODELS else "folder", place.name, place)

    @property
    def folder(self) -> Path:
        """The model's folder. Keys are created only for users who may see the model."""
        return Path(unquote(self.split(" ")[3], errors="surrogatepass"))

    @property
    def source(self) -> str:
        return self.split(" ")[0]

    @property
    def is_run(self) -> bool:
        return self.source == "run"

    @property
    def is_opened(self) -> bool:
        return self.source == "opened"

    @property
    def name(self) -> str:
        return unquote(self.split(" ")[1], errors="surrogatepass")


class ModelUnreadable(Exception):
    """The model cannot be shown; the message explains why, for the user."""


def find_weights_file(where: Path) -> Path | None:
    """Return the file that represents a folder's weights, or None; if there are several without an index, the first."""
    named = next((where / name for name in (_WEIGHTS_FILE, _INDEX_FILE) if (where / name).is_file()), None)
    return named or next(iter(sorted(where.glob("model-*-of-*.safetensors"))), None)


def _version_of(where: Path, missing: str = LABELS["weights_gone"]) -> str:
    """Return a version that changes whenever the weights do. Raises ModelUnreadable(missing) without weights."""
    weights = find_weights_file(where)
    try:
        if weights is None:
            raise FileNotFoundError
        stat = weights.stat()
    except OSError:
        raise ModelUnreadable(missing) from None
    return f"{stat.st_mtime_ns:x}-{stat.st_size:x}"


def _quoted(name: str) -> str:
    """Quote a name without spaces. It may hold bytes that aren't text, which Python reads as lone surrogates."""
    return quote(name, errors="surrogatepass")


def read_model_provenance(where: Path) -> dict[str, Any]:
    """Return the record of how the model was made, as far as the folder has it."""
    try:
        about = replace_surrogates_in_json(
            json.loads(read_start(where / "recipe.json", 100_000))
        )  # its content is shown
    except (OSError, ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) and isinstance(about.get("recipe", {}), dict) else {}
