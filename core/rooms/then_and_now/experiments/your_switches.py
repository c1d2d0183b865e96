"""Any switches between 2017 and today, trained live: a block without them and one with them, three seeds each."""

from collections.abc import Mapping

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, ViewChoice, hidden_training_steps, multi_select, segmented_control
from core.rooms.then_and_now.compute.switches import STARTS, SWITCHES, THEN, SwitchSetting, make_setting, other_states
from core.rooms.then_and_now.compute.training import N_STEP, SwitchExperiment

LABELS = module_labels(__name__)

WITHOUT, WITH = "without", "with"


class Options(Inputs, prefix="switch_"):
    """The block to compare with, and the second block, given by its states that differ from 2017."""

    start: str = segmented_control(STARTS, THEN)
    on: tuple[str, ...] = multi_select(
        other_states(THEN),
        tuple(one.today for one in SWITCHES.values()),
        name="then_on",
        view=ViewChoice(is_drawn=False),
    )
    n_step: int = hidden_training_steps(N_STEP, most=N_STEP)


class YourSwitches(SwitchExperiment):
    """The block "without" any change and the one "with" all of them. See `SwitchExperiment`."""

    title = LABELS["title"]

    def settings(self) -> Mapping[str, SwitchSetting]:
        return {WITHOUT: make_setting(self.options.start), WITH: make_setting(THEN, *self.options.on)}
