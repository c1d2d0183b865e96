"""The ranks that were trained, and the strengths with which an update can be added."""

from core.rooms.adapters.experiments.adapters import RANKS

RANK = {rank: str(rank) for rank in RANKS}
STRENGTH = {0.0: "none", 0.25: "a quarter", 0.5: "half", 0.75: "three quarters", 1.0: "all", 1.25: "1.25", 1.5: "1.5"}
STRENGTHS = tuple(STRENGTH)
