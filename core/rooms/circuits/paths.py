"""Path patching: through which input of which head does the first layer tell the second?"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import Look, Result, segmented
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
    into: str = segmented("Put from the other run into …", INTO, "enough", look=Look())


class PathEffects(Result):
    """Places and paths, on average over texts."""

    found: Paths
    n_prompt: int
    letters: str
    writer: int  # the head of layer 0 that reads the token before more than the others do
    senders: list[str]
    readers: list[str]  # inputs of the heads of layer 1, and the output
    places: list[str]  # the eight tokens of both texts, and the first of them again
    most_else: float  # the most that any path goes which isn't the writer's into a K, to either side of 0

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"places": self.found.places, "paths": self.found.paths, "together": self.found.together}

    def table(self) -> dict[str, list[Any]]:
        """One line for each path."""
        enough, needed = self.found.paths.round(4).reshape(2, -1).tolist()
        return {
            "from": [f"head {one}" for one in self.senders for _ in self.readers],
            "into": self.readers * len(self.senders),
            "enough": enough,
            "needed": needed,
        }


def compute(inputs: Inputs, run: Live) -> PathEffects:
    """The model of two layers on texts that it has never seen."""
    task = module(TRAINED)
    model = rebuild(run.record, "two", task.config(2, int(run.options["n_head"])))
    found = path_patching.paths_of(model, texts(task.VOCAB_SIZE, run.seed))
    n_head, writer = len(found.previous), int(found.previous.argmax())
    others = np.abs(found.paths).copy()
    others[:, writer, 1 : 3 * n_head : 3] = 0
    both = {ASKED: OTHER, OTHER: ASKED}
    once = [f"{one}/{LETTERS[both[i]]}" if i in both else one for i, one in enumerate(LETTERS)]
    return PathEffects(
        found=found,
        n_prompt=path_patching.N_PROMPT,
        letters=LETTERS,
        writer=writer,
        senders=[f"0.{head}" for head in range(n_head)],
        readers=[*(f"{READS[name]} 1.{head}" for head in range(n_head) for name in INPUTS), "output"],
        places=[*once, *LETTERS[: ASKED + 1]],
        most_else=float(others.max()),
    )


def draw(result: PathEffects, inputs: Inputs, run: Live) -> None:
    """Where the answer stands after each layer, and by which paths it goes."""
    found = result.found
    for name, values, rows, columns, titles in (
        ("places", found.places, SITES, result.places, ("vector", "place")),
        ("paths", found.paths, result.senders, result.readers, ("head", "read by")),
    ):
        ui.matrix(
            ui.along(values, inputs.into),
            rows=rows,
            columns=columns,
            kind="signed",
            limits=(-1.0, 1.0),
            row_title=titles[0],
            column_title=titles[1],
            value_title="way to the other answer",
            key=f"path-{name}-{len(result.senders)}",
            label=ui.words(name),
        )
    both = [
        {name: round(float(one[result.writer, i]), 2) + 0.0 for i, name in enumerate(INPUTS)} for one in found.together
    ]
    ui.facts(ui.along(both, inputs.into))
