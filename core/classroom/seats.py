"""The seats of a class: taking them, at a limited rate, and freeing them."""

import sqlite3
import time

from core.classroom.codes import key_digest, new_key
from core.classroom.learner_names import clean_learner_name, make_name_unique, random_learner_name
from core.classroom.state import ClassRefused, RetryLater
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

MOST_SEATS = 120
GONE_SECONDS = 50.0  # without a message from a browser, which is then closed or has lost its network
JOINS_PER_MINUTE = 60  # from one address, which a whole class may share
MOST_SENT_OUT = 1000  # that are remembered; beyond that the earliest are forgotten
MINUTE = 60.0
_IDLE = (
    "NOT is_out AND hand IS NULL AND id NOT IN (SELECT learner FROM answers) AND id NOT IN (SELECT racer FROM entries)"
)


def take_seat(db: sqlite3.Connection, owner: str, name: str, came: str) -> str:
    """Give a new learner a seat, and return the learner's id.

    A learner who was sent out has no seat. If all seats are taken, those of learners who are gone and have never done
    anything are freed.

    Args:
        owner: the browser's owner.
        name: the typed name; "" draws one.
        came: the mark of the address that it comes from.

    Raises:
        TryAgain: if too many have joined from this address within a minute.
        ClassRefused: if the class is full.
    """
    now = time.time()
    recent = db.execute("SELECT count(*) FROM learners WHERE came = ? AND joined > ?", (came, now - MINUTE)).fetchone()
    if recent[0] >= JOINS_PER_MINUTE:
        raise RetryLater(LABELS["many_joining"], 5.0)
    if _n_taken(db) >= MOST_SEATS:
        db.execute(f"DELETE FROM learners WHERE seen < ? AND {_IDLE}", (now - GONE_SECONDS,))
    if _n_taken(db) >= MOST_SEATS:
        raise ClassRefused(LABELS("full", most=MOST_SEATS))
    names = [row[0] for row in db.execute("SELECT name FROM learners")]
    called = (
        make_name_unique(clean_learner_name(name), names) if clean_learner_name(name) else random_learner_name(names)
    )
    learner = new_key()[:12]
    db.execute(
        "INSERT INTO learners (id, owner, key, name, joined, seen, active, came) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (learner, owner, key_digest(new_key()), called, now, now, now, came),
    )
    return learner


def release_idle_seats(db: sqlite3.Connection, came: str, are_gone: bool) -> None:
    """Free the seats of all from one address who have never done anything, or who are gone.

    They still count for the rate limit of that address, and each browser may join again. Answers stay.
    """
    fits = f"seen < {time.time() - GONE_SECONDS}" if are_gone else _IDLE
    db.execute(f"UPDATE learners SET is_out = 1, owner = NULL WHERE came = ? AND {fits}", (came,))
    prune_sent_out_learners(db)


def prune_sent_out_learners(db: sqlite3.Connection) -> None:
    """Forget the earliest of more than `MOST_SENT_OUT` learners who were sent out."""
    out = "SELECT id FROM learners WHERE is_out AND id NOT IN (SELECT learner FROM answers) ORDER BY joined DESC"
    db.execute(f"DELETE FROM learners WHERE id IN ({out} LIMIT -1 OFFSET ?)", (MOST_SENT_OUT,))


def _n_taken(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM learners WHERE NOT is_out").fetchone()[0])
