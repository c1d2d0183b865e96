"""Ed25519 signatures (RFC 8032): anyone with the public key can verify, and only the owner of the seed can sign.

public = public_key(seed)                      # 32 bytes each
verify(public, message, sign(seed, message))   # True

This is the RFC's Python code, shortened. A call takes a few milliseconds, and there is no protection against timing.
"""

import hashlib
from functools import lru_cache

N_KEY = 32  # bytes of a seed and of a public key
N_SIGNATURE = 64
_P = 2**255 - 19  # coordinates are numbers modulo this prime
_ORDER = 2**252 + 27742317777372353535851937790883648493  # of the base point
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)  # of -1
_Point = tuple[int, int, int, int]  # X, Y, Z, T: x = X / Z, y = Y / Z, x y = T / Z
_ZERO: _Point = (0, 1, 1, 0)


@lru_cache(maxsize=16)
def public_key(seed: bytes) -> bytes:
    """Return the public key of a seed."""
    return _packed(_times(_secret(seed)[0], _BASE))


def sign_message(seed: bytes, message: bytes) -> bytes:
    """Return the signature of a message, 64 bytes; the same message has the same signature."""
    (secret, prefix), public = _secret(seed), public_key(seed)
    nonce = _number(prefix, message)
    point = _packed(_times(nonce, _BASE))
    return point + ((nonce + _number(point, public, message) * secret) % _ORDER).to_bytes(32, "little")


def verify_signature(public: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether the owner of a public key has signed a message; False for malformed keys and signatures."""
    if len(public) != N_KEY or len(signature) != N_SIGNATURE:
        return False
    key, point, scalar = _point(public), _point(signature[:32]), int.from_bytes(signature[32:], "little")
    if key is None or point is None or scalar >= _ORDER:
        return False
    challenge = _number(signature[:32], public, message)
    return _packed(_times(scalar, _BASE)) == _packed(_sum(point, _times(challenge, key)))


def _secret(seed: bytes) -> tuple[int, bytes]:
    """Return the scalar of a seed, and the prefix from which its nonces are made."""
    digest = hashlib.sha512(seed).digest()
    return int.from_bytes(digest[:32], "little") & ~7 & (2**254 - 1) | 2**254, digest[32:]


def _number(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % _ORDER


def _sum(p: _Point, q: _Point) -> _Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % _P, (p[1] + p[0]) * (q[1] + q[0]) % _P
    c, d = 2 * p[3] * q[3] * _D % _P, 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(n: int, point: _Point) -> _Point:
    total = _ZERO
    while n:
        if n & 1:
            total = _sum(total, point)
        point, n = _sum(point, point), n >> 1
    return total


def _x_of(y: int, sign_bit: int) -> int | None:
    """Return the x coordinate of a point, or None if no point of the curve has this y."""
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (x == 0 and sign_bit):
        return None
    return x if x & 1 == sign_bit else _P - x


def _packed(point: _Point) -> bytes:
    inverse = pow(point[2], -1, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _point(packed: bytes) -> _Point | None:
    number = int.from_bytes(packed, "little")
    y = number & (2**255 - 1)
    x = _x_of(y, number >> 255) if y < _P else None
    return None if x is None else (x, y, 1, x * y % _P)


_BASE_Y = 4 * pow(5, -1, _P) % _P
_BASE: _Point = (_base_x := _x_of(_BASE_Y, 0) or 0, _BASE_Y, 1, _base_x * _BASE_Y % _P)
