"""The code of a class, which one reads off a projector, and secrets, which one does not.

new_code()            # "K7M2QX"
read_code("k7m-2qx")  # the same, however it was typed
"""

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

# Crockford's: no I, L, O and U; who types I or L means 1, who types O means 0. 32 to the 6th are 2^30 codes.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
N_LETTER = 6
_MEANT = str.maketrans("ILO", "110", " -")


def new_code() -> str:
    """Six letters, at random."""
    return "".join(secrets.choice(ALPHABET) for _ in range(N_LETTER))


def read_code(typed: str) -> str | None:
    """The code that a person means; None if it cannot be one."""
    code = typed[:40].upper().translate(_MEANT)
    return code if len(code) == N_LETTER and set(code) <= set(ALPHABET) else None


def new_key() -> str:
    """A secret for a link: 128 random bits, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def digest(key: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(b"glassformer class " + key.encode()).hexdigest()


class Tries:
    """How often an address may do something, try a wrong code say: `burst` times, then every `pause` seconds.

    A class sits behind one address, and some of it will mistype; a machine that tries all codes at one every two
    seconds needs 34 years for half of them.
    """

    MOST_ADDRESSES = 10_000

    def __init__(self, burst: int = 30, pause: float = 2.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst, self._pause, self._clock = burst, pause, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> tries left, as of when

    def may(self, address: str) -> bool:
        """Whether this address has one left."""
        return self._now(address) >= 1.0

    def count(self, address: str) -> None:
        """One was used up: by a code that is none, say."""
        self._left[address] = (self._now(address) - 1.0, self._clock())
        self._left.move_to_end(address)
        if len(self._left) > self.MOST_ADDRESSES:
            self._left.popitem(last=False)

    def _now(self, address: str) -> float:
        left, then = self._left.get(address, (float(self._burst), self._clock()))
        return min(float(self._burst), left + (self._clock() - then) / self._pause)
