"""The ranks that were trained, and how strongly an update is added."""

from core.rooms.adapters.experiments.adapters import RANKS

RANK = {rank: str(rank) for rank in RANKS}
STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5)
