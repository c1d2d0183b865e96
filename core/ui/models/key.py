"""The key of a model as it stands now, and what is said where there is none."""

from typing import Literal, Self

Source = Literal["shipped", "run", "opened"]


class ModelKey(str):
    """A model as it stands now: "source name version". Plain text, because that is what a cache's key is made of
    fastest.

    The source is "shipped" (or put into the data folder, for everybody), "run" or "opened"; name is the folder's name
    or the id of the run or of the opened model; version changes whenever the weights do, so that no cache shows an
    older checkpoint.
    """

    __slots__ = ()

    @classmethod
    def of(cls, source: Source, name: str, version: str) -> Self:
        return cls(f"{source} {name} {version}")

    @property
    def is_run(self) -> bool:
        return self.startswith("run ")

    @property
    def is_opened(self) -> bool:
        return self.startswith("opened ")

    @property
    def name(self) -> str:
        return self.split(" ")[1]


class ModelUnreadable(Exception):
    """The model cannot be shown; the message says why in plain words."""
