"""What the options of all live experiments share: counts from 1 up, and the most of each that a browser may ask for."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from core.data.checks import whole


class Bounded(ABC):
    """The base of an experiment's `Options`.

    Raises:
        ValueError: if something that `most_in_browser` names is less than 1.
    """

    n_step: int

    @property
    @abstractmethod
    def most_in_browser(self) -> Mapping[str, int]:
        """Name of an option -> the most that a browser may ask for; whoever runs a script waits for nobody else."""

    def __post_init__(self) -> None:
        for name in self.most_in_browser:
            whole(name, getattr(self, name), least=1)

    def check_for_browser(self) -> None:
        """For what came from a browser. Raises ValueError, in plain words, if it is more than `most_in_browser`."""
        for name, most in self.most_in_browser.items():
            if (asked := getattr(self, name)) > most:
                raise ValueError(
                    f"{name}={asked}: a browser may ask for up to {most:,}, so that nobody else waits long; a script "
                    "has no such limit"
                )
