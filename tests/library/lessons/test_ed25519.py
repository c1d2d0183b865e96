"""Ed25519 signatures: the examples of RFC 8032 verify, and nothing else does."""

import random

import pytest

from core.lessons.homework import ed25519

# Seed, public key, message and signature, in hexadecimal digits: tests 1 to 3 of RFC 8032, section 7.1.
RFC = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
        "655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
        "b00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d"
        "c027beceea1ec40a",
    ),
]


@pytest.mark.parametrize("told", RFC)
def test_keys_and_signatures_are_those_of_the_standard(told: tuple[str, ...]) -> None:
    """Fault: arithmetic that agrees with itself alone."""
    seed, public, message, signature = map(bytes.fromhex, told)
    assert ed25519.public_key(seed) == public and ed25519.sign_message(seed, message) == signature
    assert ed25519.verify_signature(public, message, signature)


def test_one_changed_bit_anywhere_is_no_signature() -> None:
    """Fault: a part of key, message or signature that isn't looked at."""
    chance = random.Random(0)
    for _ in range(30):
        seed, message = chance.randbytes(32), chance.randbytes(1 + chance.randrange(40))
        told = [ed25519.public_key(seed), message, ed25519.sign_message(seed, message)]
        assert ed25519.verify_signature(*told)
        which = chance.randrange(3)
        changed = bytearray(told[which])
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        told[which] = bytes(changed)
        assert not ed25519.verify_signature(*told)


def test_a_scalar_beyond_the_order_and_lengths_that_are_none_are_refused() -> None:
    """Fault: a second signature of the same message, made without the key."""
    seed, public, _, signature = map(bytes.fromhex, RFC[0])
    scalar = int.from_bytes(signature[32:], "little") + ed25519._ORDER
    assert not ed25519.verify_signature(public, b"", signature[:32] + scalar.to_bytes(32, "little"))
    for cut in (signature[:63], signature + b"\0", b""):
        assert not ed25519.verify_signature(public, b"", cut)
    assert not ed25519.verify_signature(public[:31], b"", signature) and not ed25519.verify_signature(
        b"\xff" * 32, b"", signature
    )
    assert seed != public
