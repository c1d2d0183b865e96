"""Names of learners: typed, or drawn at random, such as "Quiet Heron"."""

import re
import secrets
import unicodedata
from collections.abc import Collection
from functools import lru_cache

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

MAX_NAME_LETTERS = 24  # letters of a name: a cell of the teacher's grid is no wider
_FIRST = LABELS["first_words"]
_SECOND = LABELS["second_words"]
# Characters that are invisible or change the direction of writing, because a name must stay in its cell.
_HIDDEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u2060-\u206f\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufffc\U000e0100-\U000e01ef]"
)
# Letters that look like a Latin one, small or capital, according to Unicode's list of confusables (UTS 39).
_SMALL = str.maketrans("аеорсухіјѕԁԛԝһӏгοαρντυκιγηωɡ0iı|1!", "aeopcyxljsdqwhlroapvtukiynwgolllll")
_CAPITAL = str.maketrans("аеорсухіјѕԛԝӏвкмнтοαρντυκιχηεζβμ0iı|1!", "aeopcyxljsqwlbkmhtoapntyklxhezbmolllll")


def random_learner_name(taken: Collection[str]) -> str:
    """Draw a name that nobody has yet; if none is left, a number is added."""
    known = _looks_of(taken)
    for _ in range(200):
        first, second = secrets.choice(_FIRST.split()), secrets.choice(_SECOND.split())
        name = LABELS("name", first=first, second=second).title()
        if not _looks(name) & known:
            return name
    return make_name_unique(name, taken)


def clean_learner_name(typed: str) -> str:
    """Return a visible name on one line of at most `MAX_NAME_LETTERS` letters, "" if nothing is left."""
    text = _HIDDEN.sub("", unicodedata.normalize("NFC", typed[:1000]))
    kept: list[str] = []
    for letter in text:
        kind = unicodedata.category(letter)
        is_pile = kind[0] == "M" and len(kept) > 1 and unicodedata.category(kept[-1])[0] == "M"
        if kind not in ("Cc", "Cs", "Co", "Cn", "Cf") and not is_pile:
            kept.append(letter)
    name = " ".join("".join(kept).split())[:MAX_NAME_LETTERS].strip()
    return name if any(unicodedata.category(letter)[0] in "LNPS" for letter in name) else ""


def make_name_unique(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number if another one looks like it."""
    known = _looks_of(taken)
    numbered = (name if n == 1 else f"{name[: MAX_NAME_LETTERS - 4]} {n}" for n in range(1, len(known) + 2))
    return next(one for one in numbered if not _looks(one) & known)


def _looks_of(names: Collection[str]) -> set[str]:
    return {look for name in names for look in _looks(name)}


@lru_cache(maxsize=4096)
def _looks(name: str) -> frozenset[str]:
    """Return a name's lookalike keys, for small and for capital letters; names that share a key look alike."""
    bare = unicodedata.normalize("NFKC", _HIDDEN.sub("", name)).casefold()
    bare = "".join(letter for letter in bare if unicodedata.category(letter) != "Mn").replace(" ", "")
    return frozenset((bare.translate(_SMALL), bare.translate(_CAPITAL)))
