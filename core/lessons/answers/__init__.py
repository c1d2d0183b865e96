"""What answers a prediction: a computation, made when it is asked for.

Each module holds functions for one subject and registers them by name. A function takes plain values from the lesson's
file and returns an `Answer`, or `NotYet` where the learner has to train something first. A new module in this folder is
found by itself.
"""

import importlib
import pkgutil

from core.lessons.answers.answer import ANSWERS, Answer, NotYet, answer

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)

__all__ = ["ANSWERS", "Answer", "NotYet", "answer"]
