"""Direct logit attribution: what each part writes towards the answer, beside what is lost without it."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.synthetic import referents
from core.exhibit import Inputs as Base
from core.exhibit import Result, segmented
from core.inspect.patch import component_sites
from core.rooms.circuits.compute import logit_attribution
from core.rooms.circuits.compute.logit_attribution import Asked
from core.rooms.circuits.compute.pronoun_patching import MODELS, model_of
from core.train.experiments.live import Live

TRAINED = "explanation"
CODE = (logit_attribution.direct_effects, logit_attribution.written, logit_attribution.lost_without)


class Inputs(Base, prefix="attribution_"):
    model: str = segmented("Model", {name: f"model {name}" for name in MODELS}, "a")


class Attribution(Result):
    """The sentences that were held out, on average."""

    names: tuple[str, ...]  # of the parts that write
    direct: NDArray[np.float64]  # (P,) what each wrote, of the logit difference
    lost: NDArray[np.float64]  # (P,) by how much it falls without the part; nan where a part can't be switched off
    held: NDArray[np.float64]  # (P,) the same, with the last norm's scale held
    effects: dict[str, dict[str, float]]  # the same three of each part by its name
    most_missed: int  # the part without which most is lost
    most_repaired: int  # the part whose loss is made up for most
    whole: float  # the logit difference that the model gives
    error: float  # the most that the sum differs from it, over all sentences

    def table(self) -> dict[str, list[Any]]:
        """One line for each part."""
        columns = {"it writes": self.direct, "lost without it": self.lost, "lost, scale held": self.held}
        return {"part": [*self.names]} | {name: one.round(5).tolist() for name, one in columns.items()}


def held_out(seed: int) -> Asked:
    """The sentences on which no model was trained, the right noun and the other."""
    ids, answers = (torch.from_numpy(one) for one in referents.encode(referents.split(seed)[1]))
    first, second = ids[:, referents.FIRST], ids[:, referents.SECOND]
    return Asked(ids, referents.IT, answers, torch.where(first == answers, second, first))


def compute(inputs: Inputs, run: Live) -> Attribution:
    """The sum, and every part switched off once."""
    model, asked = model_of(run, inputs.model), held_out(run.seed)
    direct = logit_attribution.direct_effects(model, asked)
    with torch.no_grad():
        whole = asked.difference(model(asked.ids))
    without = {site.name: logit_attribution.lost_without(model, asked, site) for site in component_sites(model)}
    lost, held = (
        np.array([float(without[name][i].mean()) if name in without else np.nan for name in direct]) for i in (0, 1)
    )
    means = torch.stack([one.mean() for one in direct.values()]).double().numpy()
    each = zip(direct, means.tolist(), lost.tolist(), held.tolist(), strict=True)
    return Attribution(
        names=tuple(direct),
        direct=means,
        lost=lost,
        held=held,
        effects={name: {"direct": wrote, "lost": fell, "held": kept} for name, wrote, fell, kept in each},
        most_missed=int(np.nanargmax(lost)),
        most_repaired=int(np.nanargmax(means - lost)),
        whole=float(whole.mean()),
        error=float((sum(direct.values()) - whole).abs().max()),
    )


def draw(result: Attribution, inputs: Inputs, run: Live) -> None:
    """Bars side by side, and the two surprises."""
    shown = [i for i, name in enumerate(result.names) if not name.startswith("bias")]
    series = {"it writes": result.direct, "lost without it": result.lost}
    if ui.at_least("numbers"):
        series["scale held"] = result.held
    ui.bars(
        {name: one[shown] for name, one in series.items()},
        labels=[result.names[i] for i in shown],
        x=ui.measured("towards the right noun", "logit difference"),
    )
