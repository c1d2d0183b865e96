"""Why a class doesn't do what it was asked: each says so in plain words."""

OVER = "This class has ended."


class ClassRefused(ValueError):
    """What was asked for cannot be; the message says why, in plain words."""


class TryAgain(ClassRefused):
    """It may be possible in a moment: the screen asks again by itself, after `seconds`."""

    def __init__(self, why: str, seconds: float) -> None:
        super().__init__(why)
        self.seconds = seconds


class ClassBusy(TryAgain):
    """Another process or thread writes to the class's file for longer than is waited for."""


class ClassDamaged(ClassRefused):
    """The file of a class cannot be read."""
