"""What answers a prediction: a computation, made when it is asked for.

Each module holds functions for one subject and registers them by name. A function takes plain values from the lesson's
file and returns an `Answer`, or `NotYet` where the learner has to train something first.
"""

from core.lessons.answers import masks
from core.lessons.answers.answer import ANSWERS, Answer, NotYet, answer

__all__ = ["ANSWERS", "Answer", "NotYet", "answer", "masks"]
