"""Path patching: through which input of which head does the first layer tell the second?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import Look, segmented
from core.inspect import patch
from core.rooms.circuits.compute import path_patching
from core.rooms.circuits.compute.path_patching import ASKED, INPUTS, LETTERS, OTHER, READS, Paths
from core.rooms.circuits.compute.path_patching import draw as texts
from core.train.experiment import rebuild
from core.train.experiments import module
from core.train.experiments.live import Live

TRAINED = "induction"
SITES = ("embedding", "layer 0", "layer 1")
INTO = {"enough": "the changed text", "needed": "the first text"}
CODE = (path_patching.through, path_patching.paths_of, patch.run_patched, patch.recovered)


class Inputs(Base, prefix="path_"):
    """Which text's run gets what is put in: is it enough there, or needed?"""

    into: str = segmented("Put from the other run into …", INTO, "enough", look=Look())


@dataclass(frozen=True)
class Result:
    """Places and paths, on average over texts."""

    found: Paths

    @property
    def n_prompt(self) -> int:
        return path_patching.N_PROMPT

    @property
    def n_head(self) -> int:
        return len(self.found.previous)

    @property
    def writer(self) -> int:
        """The head of layer 0 that reads the token before more than the others do."""
        return int(self.found.previous.argmax())

    @property
    def senders(self) -> list[str]:
        return [f"0.{head}" for head in range(self.n_head)]

    @property
    def readers(self) -> list[str]:
        """Inputs of the heads of layer 1, and the output."""
        return [*(f"{READS[name]} 1.{head}" for head in range(self.n_head) for name in INPUTS), "output"]

    @property
    def places(self) -> list[str]:
        """The eight tokens of both texts, and the first of them again."""
        both = {ASKED: OTHER, OTHER: ASKED}
        once = [f"{one}/{LETTERS[both[i]]}" if i in both else one for i, one in enumerate(LETTERS)]
        return [*once, *LETTERS[: ASKED + 1]]

    @property
    def most_else(self) -> float:
        """The most that any path goes which isn't the writer's into a K, to either side of 0."""
        paths = np.abs(self.found.paths).copy()
        paths[:, self.writer, 1 : 3 * self.n_head : 3] = 0
        return float(paths.max())

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"places": self.found.places, "paths": self.found.paths, "together": self.found.together}

    def table(self) -> dict[str, list[Any]]:
        """One line for each path."""
        enough, needed = self.found.paths.round(4).reshape(2, -1).tolist()
        return {
            "from": [f"head {one}" for one in self.senders for _ in self.readers],
            "into": self.readers * self.n_head,
            "enough": enough,
            "needed": needed,
        }


def compute(inputs: Inputs, run: Live) -> Result:
    """The model of two layers on texts that it has never seen."""
    task = module(TRAINED)
    model = rebuild(run.record, "two", task.config(2, int(run.options["n_head"])))
    return Result(path_patching.paths_of(model, texts(task.VOCAB_SIZE, run.seed)))


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """Where the answer stands after each layer, and by which paths it goes."""
    found = result.found
    for name, values, rows, columns, titles in (
        ("places", found.places, SITES, result.places, ("vector", "place")),
        ("paths", found.paths, result.senders, result.readers, ("head", "read by")),
    ):
        ui.matrix(
            ui.along(values, "path_into"),
            rows=rows,
            columns=columns,
            kind="signed",
            limits=(-1.0, 1.0),
            row_title=titles[0],
            column_title=titles[1],
            value_title="way to the other answer",
            key=f"path-{name}-{result.n_head}",
            label=ui.words(name),
        )
    ui.say("task", LETTERS=LETTERS)
    ui.say("travels")
    both = [
        {name: round(float(one[result.writer, i]), 2) + 0.0 for i, name in enumerate(INPUTS)} for one in found.together
    ]
    ui.say_each("composition", both, "path_into")
    ui.say("control")
    ui.say("method")
