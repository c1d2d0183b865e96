"""The content of a class: its state, learners, questions, answers and races."""

import hmac
import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from core.classroom import seats, state
from core.classroom.class_file import ClassFile
from core.classroom.codes import key_digest, new_key, projector_key
from core.classroom.learner_names import clean_learner_name, make_name_unique, random_learner_name
from core.classroom.question_types import questions
from core.classroom.question_types.questions import ClassQuestion
from core.classroom.race import runs
from core.classroom.race.race_settings import RacerSettings
from core.classroom.state import ClassRace, ClassRefused, ClassSnapshot, ClassState, Learner, LearnerAnswer, RaceEntry
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

MOST_QUESTIONS = 200
MOST_RACES = 20


def _written(now: ClassState) -> str:
    return json.dumps(asdict(now))


class Classroom(ClassFile):
    """A class by its code, usable from any thread.

    Every method raises ClassRefused once the class has ended, ClassBusy if another process or thread writes for too
    long, and ClassDamaged if the file can't be read.
    """

    def age(self) -> tuple[float, bool]:
        """Return the time when the class was started, and whether nobody has ever joined."""
        with self._reading() as db:
            begun, n_learner = db.execute("SELECT begun, (SELECT count(*) FROM learners) FROM class").fetchone()
        return float(begun), not n_learner

    def begun_by(self) -> tuple[str, str]:
        """Return the owner of the browser that started the class, and the mark of its address."""
        with self._reading() as db:
            owner, came = db.execute("SELECT owner, came FROM class").fetchone()
        return str(owner), str(came)

    def opens(self, role: str, key: str) -> bool:
        """Return whether this is the key of the class's "desk" or "projector"."""
        with self._reading() as db:
            row = db.execute("SELECT desk, projector FROM class").fetchone()
        return role in ("desk", "projector") and hmac.compare_digest(row[role], key_digest(key))

    def new_keys(self) -> str:
        """Make new keys for desk and projector, which replace the old ones, and return the desk's."""
        key = new_key()
        with self._writing() as db:
            db.execute("UPDATE class SET desk = ?, projector = ?", (key_digest(key), key_digest(projector_key(key))))
        return key

    def read(self, everything: bool = False) -> ClassSnapshot:
        """Return the class as it is now; past questions and races, which can be many, only with `everything`."""
        with self._reading() as db:
            begun, *keys = db.execute("SELECT begun, desk, projector FROM class").fetchone()
            now = _state(db)
            asked = {n for n, *_ in now.picks} | ({now.asked.n} if now.asked else set())
            raced = {now.race.n} if now.race else set()

            def rows(table: str, number: str, wanted: set[int], order: str) -> list[sqlite3.Row]:
                where = "" if everything else f"WHERE {number} IN ({', '.join(map(str, wanted))})"
                return db.execute(f"SELECT * FROM {table} {where} ORDER BY {order}").fetchall()

            learners = {row["id"]: _learner(row) for row in db.execute("SELECT * FROM learners ORDER BY joined, id")}
            found = {
                row["n"]: questions.question_from_json(json.loads(row["question"]))
                for row in rows("questions", "n", asked, "n")
            }
            answers: dict[tuple[int, int], list[LearnerAnswer]] = {}
            for row in rows("answers", "question", asked, "at, learner"):
                if not learners[row["learner"]].is_out:
                    one = LearnerAnswer(row["learner"], json.loads(row["value"]), row["at"], bool(row["is_late"]))
                    answers.setdefault((row["question"], row["round"]), []).append(one)
            races = {row["n"]: state.race_from_json(json.loads(row["race"])) for row in rows("races", "n", raced, "n")}
            entries: dict[int, dict[str, RaceEntry]] = {n: {} for n in races}
            for row in rows("entries", "race", raced, "racer"):
                entries[row["race"]][row["racer"]] = _entry(row)
            attacks: dict[int, dict[str, object]] = {n: {} for n in races}
            for row in rows("attacks", "race", raced, "racer"):
                attacks[row["race"]][row["racer"]] = json.loads(row["attack"])
            board = db.execute("SELECT key, address FROM board").fetchone() or ("", "")
        kept = {key: tuple(some) for key, some in answers.items()}
        keyed = dict(zip(("desk", "projector"), keys, strict=True))
        return ClassSnapshot(self.code, begun, now, learners, found, kept, races, entries, attacks, tuple(board), keyed)

    def has(self, learner: str) -> bool:
        """Return whether a learner is in the class."""
        with self._reading() as db:
            return bool(db.execute("SELECT 1 FROM learners WHERE id = ? AND NOT is_out", (learner,)).fetchone())

    def change(self, how: Callable[[ClassState], ClassState]) -> ClassState:
        """Change the state of the class in one transaction, and return the new state."""
        with self._writing() as db:
            now = how(_state(db))
            db.execute("UPDATE class SET state = ?", (_written(now),))
        return now

    def ask(self, question: ClassQuestion) -> int:
        """Store a question and return its number, from 1."""
        with self._writing() as db:
            n: int = db.execute("SELECT coalesce(max(n), 0) + 1 FROM questions").fetchone()[0]
            if n > MOST_QUESTIONS:
                raise ClassRefused(LABELS("most_questions", most=MOST_QUESTIONS))
            db.execute("INSERT INTO questions VALUES (?, ?, ?)", (n, time.time(), json.dumps(question.to_json())))
        return n

    def put_question(self, n: int, question: ClassQuestion) -> None:
        """Replace a question by one with its computed answer."""
        with self._writing() as db:
            db.execute("UPDATE questions SET question = ? WHERE n = ?", (json.dumps(question.to_json()), n))

    def learner_of(self, owner: str) -> str | None:
        """Return the id of this browser's learner, or None for a newcomer or one who was sent out."""
        with self._reading() as db:
            row = db.execute("SELECT id FROM learners WHERE owner = ? AND NOT is_out", (owner,)).fetchone()
        return None if row is None else str(row[0])

    def join(self, owner: str, name: str = "", came: str = "") -> str:
        """Admit a browser under a typed name, or under a drawn one if `name` is "", and return the learner's id.

        Args:
            came: the mark of the address that it comes from.

        Raises:
            ClassRefused: if the learner was sent out, or the class is locked or full.
            TryAgain: if too many join from that address at once.
        """
        with self._writing() as db:
            before = db.execute("SELECT id, is_out FROM learners WHERE owner = ?", (owner,)).fetchone()
            if before is not None and before["is_out"]:
                raise ClassRefused(LABELS["sent_out"])
            if before is not None:
                return str(before["id"])
            if _state(db).is_locked:
                raise ClassRefused(LABELS["locked"])
            return seats.take_seat(db, owner, name, came)

    def clear(self, came: str, *, are_gone: bool = False) -> None:
        """Free the seats of all who joined from an address and have never done anything, or who are gone."""
        with self._writing() as db:
            seats.release_idle_seats(db, came, are_gone)

    def way_back(self, learner: str) -> str:
        """Return a new secret with which one other device can become this learner, once; it replaces the old one."""
        key = new_key()
        with self._writing() as db:
            db.execute("UPDATE learners SET key = ? WHERE id = ?", (key_digest(key), learner))
        return key

    def come_back(self, owner: str, key: str) -> str | None:
        """Make a browser the learner with this secret, and return the id, or None if no learner has it."""
        with self._writing() as db:
            row = db.execute("SELECT id FROM learners WHERE key = ? AND NOT is_out", (key_digest(key),)).fetchone()
            if row is None:
                return None
            # A learner who joined in this browser under a different name stays in the class, but without a browser.
            db.execute("UPDATE learners SET owner = NULL WHERE owner = ? AND id != ? AND NOT is_out", (owner, row[0]))
            out = db.execute("SELECT 1 FROM learners WHERE owner = ?", (owner,)).fetchone()
            if out is None:
                db.execute(
                    "UPDATE learners SET owner = ?, key = ? WHERE id = ?", (owner, key_digest(new_key()), row[0])
                )
        return str(row[0])

    def note(self, learner: str, **facts: Any) -> None:
        """Store facts about a learner: name, seen, active, place, hand, is_out."""
        if "place" in facts:
            facts["place"] = json.dumps(facts["place"])
        with self._writing() as db:
            if "name" in facts:
                names = [row[0] for row in db.execute("SELECT name FROM learners WHERE id != ?", (learner,))]
                facts["name"] = make_name_unique(clean_learner_name(facts["name"]) or random_learner_name(names), names)
            named = ", ".join(f"{name} = :{name}" for name in facts)
            db.execute(f"UPDATE learners SET {named} WHERE id = :id", {**facts, "id": learner})
            if facts.get("is_out"):
                seats.prune_sent_out_learners(db)

    def answer(self, learner: str, n: int, round_: int, said: object) -> None:
        """Store an answer; it replaces an earlier one to the same question in the same round.

        Raises ClassRefused: if the question is over. Raises QuestionRefused: if the answer doesn't fit.
        """
        with self._writing() as db:
            now = _state(db).asked
            row = db.execute("SELECT is_out FROM learners WHERE id = ?", (learner,)).fetchone()
            if row is None or row["is_out"]:
                raise ClassRefused(LABELS["not_in_class"])
            if now is None or (now.n, now.round) != (n, round_):
                raise ClassRefused(LABELS["question_over"])
            if now.is_revealed or now.is_answered:
                raise ClassRefused(LABELS["answers_shown"])
            text = db.execute("SELECT question FROM questions WHERE n = ?", (n,)).fetchone()[0]
            value = questions.parse_answer(questions.question_from_json(json.loads(text)).form, said)
            db.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)",
                (n, round_, learner, json.dumps(value), time.time(), not now.is_open),
            )

    def strike(self, n: int, round_: int, learners: Iterable[str]) -> None:
        """Remove the answers of some learners to a question."""
        with self._writing() as db:
            db.executemany(
                "DELETE FROM answers WHERE question = ? AND round = ? AND learner = ?",
                [(n, round_, one) for one in learners],
            )

    def new_race(self, terms: Callable[[int], ClassRace]) -> None:
        """Start a new race; `terms` makes it from its number, from 1."""
        with self._writing() as db:
            n: int = db.execute("SELECT coalesce(max(n), 0) + 1 FROM races").fetchone()[0]
            if n > MOST_RACES:
                raise ClassRefused(LABELS("most_races", most=MOST_RACES))
            race = terms(n)
            db.execute("INSERT INTO races VALUES (?, ?)", (n, json.dumps(asdict(race))))
            db.execute("UPDATE class SET state = ?", (_written(replace(_state(db), race=race)),))

    def enter(self, race: int, racer: str, settings: RacerSettings, run: str = "", bits_per_nat: float = 0.0) -> None:
        """Store a racer's entry; it replaces an earlier one."""
        with self._writing() as db:
            kept = json.dumps(asdict(settings))
            db.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)", (race, racer, kept, run, bits_per_nat))

    def keep_attack(self, race: int, racer: str, attack: Mapping[str, object]) -> None:
        """Store a racer's attack, unless an earlier one was better."""
        with self._writing() as db:
            row = db.execute("SELECT attack FROM attacks WHERE race = ? AND racer = ?", (race, racer)).fetchone()
            if row is None or json.loads(row[0])["margin"] < attack["margin"]:
                db.execute("INSERT OR REPLACE INTO attacks VALUES (?, ?, ?)", (race, racer, json.dumps(attack)))

    def put_board(self, address: str, page: bytes) -> None:
        """Store the projector's page, compressed, which learners see until their own page has loaded.

        They get it by a key that is sent only to them, so no further check is needed.
        """
        with self._writing() as db:
            db.execute("DELETE FROM board")
            db.execute("INSERT INTO board VALUES (?, ?, ?)", (new_key(), address, page))

    def board(self, key: str) -> bytes | None:
        """Return the projector's page with this key, or None if there is a newer one."""
        with self._reading() as db:
            row = db.execute("SELECT page FROM board WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

    def end(self) -> None:
        """End the class and delete everything."""
        runs.delete_race_runs(self.code)
        with suppress(ClassRefused, sqlite3.Error), self._writing() as db:
            db.execute("DELETE FROM class")  # processes that have it open see that it is over
        self.close()
        for ending in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)


def _state(db: sqlite3.Connection) -> ClassState:
    return state.class_state_from_json(json.loads(db.execute("SELECT state FROM class").fetchone()[0]))


def _entry(row: sqlite3.Row) -> RaceEntry:
    return RaceEntry(RacerSettings(**json.loads(row["settings"])), row["run"], row["bits_per_nat"])


def _learner(row: sqlite3.Row) -> Learner:
    return Learner(
        row["id"], row["name"], row["joined"], row["seen"], row["active"], json.loads(row["place"]), row["hand"],
        bool(row["is_out"]), row["came"], row["owner"],
    )  # fmt: skip
