"""The ranks that were trained, and the strengths with which an update can be added."""

from core.rooms.adapters.experiments.adapters import RANKS

RANK = {rank: str(rank) for rank in RANKS}
STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5)
