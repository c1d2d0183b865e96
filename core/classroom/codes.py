"""Codes of classes, which people read off a projector, and secret keys.

new_code()            # "K7M2QX"
read_code("k7m-2qx")  # the same, however it was typed
"""

import hashlib
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

# Crockford's alphabet, without I, L, O and U; a typed I or L means 1, and O means 0. 32**6 = 2**30 codes.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
N_LETTER = 6
_KEY = re.compile("[0-9a-f]{32}", re.ASCII)
_MEANT = str.maketrans("ILO", "110", " -")


def new_code() -> str:
    """Return six random letters or digits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(N_LETTER))


def read_code(typed: str) -> str | None:
    """Return the code that a person means, or None if the text can't be one."""
    code = typed[:40].upper().translate(_MEANT)
    return code if len(code) == N_LETTER and set(code) <= set(ALPHABET) else None


def new_key() -> str:
    """Return a secret: 128 random bits as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def projector_key(desk_key: str) -> str:
    """Derive the projector's key of a class from the desk's; the reverse is impossible."""
    return hashlib.sha256(b"glassformer projector " + desk_key.encode()).hexdigest()[:32]


def is_key(said: object) -> bool:
    """Return whether a value has the form of a secret."""
    return isinstance(said, str) and _KEY.fullmatch(said) is not None


def key_digest(key: str) -> str:
    """Return the digest of a secret, which is stored instead of it."""
    return hashlib.sha256(b"glassformer class " + key.encode()).hexdigest()


class RateLimit:
    """A rate limit for each address or browser: `burst` times at once, then once every `pause` seconds.

    Uses beyond the limit are still counted, and `delay` returns how long their answers should wait.
    """

    MOST_KEYS = 10_000

    def __init__(
        self, burst: float, pause: float, longest: float = 0.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Set the limits; `longest` is the longest delay in seconds."""
        self._burst, self._pause, self._longest, self._clock = float(burst), pause, longest, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # uses left, and the time of that count

    def may(self, key: str) -> bool:
        """Return whether one more use is within the limit."""
        return self._now(key) >= 1.0

    def count(self, key: str) -> None:
        """Count a use."""
        self._left[key] = (max(self._now(key) - 1.0, -self._longest / self._pause), self._clock())
        self._left.move_to_end(key)
        if len(self._left) > self.MOST_KEYS:
            self._left.popitem(last=False)

    def delay(self, key: str) -> float:
        """Return the seconds until the last counted use is within the limit; at most `longest`."""
        return max(0.0, -self._now(key) * self._pause)

    def _now(self, key: str) -> float:
        left, then = self._left.get(key, (self._burst, self._clock()))
        return min(self._burst, left + (self._clock() - then) / self._pause)
