"""Train with every switch between 2017 and today alone: on in the block of 2017, and off in today's."""

from collections.abc import Mapping

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.rooms.then_and_now.compute.switches import STARTS, SwitchSetting, make_setting, other_states
from core.rooms.then_and_now.compute.training import N_STEP, SwitchExperiment

LABELS = module_labels(__name__)


class Options(Inputs):
    """Steps of the block of 2017; all others get the same compute. Too many models for a visitor to wait for."""

    n_step: int = hidden_training_steps(N_STEP, most=20)


class AllSwitches(SwitchExperiment):
    """Both blocks, and each with one part of another year; "2017+rope" is 2017 with RoPE. See `SwitchExperiment`."""

    title = LABELS["title"]

    def settings(self) -> Mapping[str, SwitchSetting]:
        return {
            setting_name(start, *flipped): make_setting(start, *flipped)
            for start in STARTS
            for flipped in ((), *((state,) for state in other_states(start)))
        }


def setting_name(start: str, *flipped: str) -> str:
    """Return a setting's name in the record."""
    return "+".join((start, *flipped))
