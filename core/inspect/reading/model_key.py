"""Keys of models: the source, name, version and folder of a model's current weights."""

import json
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import quote, unquote

from core.data.files import read_start
from core.data.printable import cleaned

Source = Literal["shipped", "run", "opened", "folder"]
SHIPPED = Path(__file__).resolve().parents[3] / "assets" / "models"
DEFAULT = "stories"
# Of whoever writes text; and whoever reads a text with attention.
WRITERS = ("gpt", "rnn")
READERS = ("gpt", "gpt-labels", "bert", "t5", "transformer")
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"  # one file of weights, or the list of several


class ModelKey(str):
    """A model as it stands now: "source name version folder". Plain text, because that is what a cache's key is made of
    fastest.

    The source is "shipped" (or put into the data folder, for everybody), "run" or "opened"; the name is the folder's
    or the id of the run or of the opened model; version changes whenever the weights do, so that no cache shows an
    older checkpoint.
    """

    __slots__ = ()

    @classmethod
    def of(cls, source: Source, name: str, folder: Path, missing: str = "Its weights are no longer there.") -> Self:
        """The key of a model in a folder. Raises ModelUnreadable, with the words of `missing`, without weights."""
        return cls(f"{source} {_quoted(name)} {version_of(folder, missing)} {_quoted(str(folder))}")

    @classmethod
    def at(cls, folder: Path | str) -> Self:
        """The key of a model in any folder; the name of one that ships will do. Raises ModelUnreadable."""
        place = Path(folder).resolve() if Path(folder).is_dir() else SHIPPED / folder
        return cls.of("shipped" if place.parent == SHIPPED else "folder", place.name, place)

    @property
    def folder(self) -> Path:
        """The model's folder. A key is made only for users who may see the model."""
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
    """The model cannot be shown; the message says why in plain words."""


def weights_in(where: Path) -> Path | None:
    """The file that represents a folder's weights, or None; of several without an index, the first."""
    named = next((where / name for name in (WEIGHTS, INDEX) if (where / name).is_file()), None)
    return named or next(iter(sorted(where.glob("model-*-of-*.safetensors"))), None)


def version_of(where: Path, missing: str = "Its weights are no longer there.") -> str:
    """A version that changes whenever the weights do. Raises ModelUnreadable, saying `missing`, without weights."""
    weights = weights_in(where)
    try:
        if weights is None:
            raise FileNotFoundError
        stat = weights.stat()
    except OSError:
        raise ModelUnreadable(missing) from None
    return f"{stat.st_mtime_ns:x}-{stat.st_size:x}"


def _quoted(name: str) -> str:
    """A name without spaces; a file's may hold bytes that are no text, which Python writes as lone surrogates."""
    return quote(name, errors="surrogatepass")


def facts(where: Path) -> dict[str, Any]:
    """The record of how the model was made, as far as the folder has it."""
    try:
        about = cleaned(json.loads(read_start(where / "recipe.json", 100_000)))  # what it says is shown
    except (OSError, ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) and isinstance(about.get("recipe", {}), dict) else {}
