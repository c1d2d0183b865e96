"""What the exhibits of the pixels that are written share: the judge, who tells which digit a picture shows."""

from core import ui
from core.exhibit import Inputs, custom
from core.train.experiment import run_of
from core.train.experiments.live import Live


def ask_judge() -> Live | None:
    """The newest training of the ViT of the room “Patches”; None, after plain words, if there is none."""
    from core.ui.training import experiments

    run = experiments.shown_run("digits")
    if run is None:
        ui.st.info("Nothing here can recognize the digits yet: the ViT of the room “Patches” isn't trained.")
    return run


class Judged(Inputs):
    """Who judges."""

    judge: Live = custom(f"{__name__}:ask_judge", lambda _: run_of("digits"))
