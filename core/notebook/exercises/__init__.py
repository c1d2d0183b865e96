"""What one builds oneself, in the order in which one does."""

from core.notebook.exercises.attention import ATTEND, CAUSAL
from core.notebook.exercises.blocks import BLOCK
from core.notebook.exercises.exercise import Exercise
from core.notebook.exercises.merging import MERGE
from core.notebook.exercises.sampling import SAMPLE
from core.notebook.exercises.training import TRAINING_STEP

EXERCISES = {
    "merge": MERGE,
    "causal": CAUSAL,
    "attend": ATTEND,
    "block": BLOCK,
    "training_step": TRAINING_STEP,
    "sample": SAMPLE,
}

__all__ = ["EXERCISES", "Exercise"]
