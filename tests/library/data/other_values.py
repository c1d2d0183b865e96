"""A file as a stranger may have changed it."""

import json
import random
from typing import Any


def other_value(raw: bytes, dice: random.Random) -> bytes:
    """A JSON file with one of its values changed for something else."""
    data = json.loads(raw)
    at: Any = data
    while True:
        key = dice.choice(list(at) if isinstance(at, dict) else range(len(at)))
        if not isinstance(at[key], dict | list) or not at[key] or dice.random() > 0.8:
            break
        at = at[key]
    at[key] = dice.choice([None, True, -1, 0, 3, 10**6, 1e300, "", "a", "<s>", [], {}, [[]], {"type": "Sequence"}])
    return json.dumps(data).encode()
