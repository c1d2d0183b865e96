"""The teacher's table of receipts: signatures, deadlines, the count of answers, and repeated runs."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.jobs.reporter import StoreReporter
from core.jobs.runs import JobSpec
from core.jobs.store import RunStore
from core.jobs.worker import STATE_AFTER, run_job
from core.lessons.homework.answer_store import StoredAnswer
from core.lessons.homework.assignment import Assignment
from core.lessons.homework.marking import MarkedQuestion, curve_endpoints, mark_receipt
from core.lessons.homework.receipt import (
    CHANGED_AFTER_SIGNING,
    SIGNED_ELSEWHERE,
    SIGNED_HERE,
    Receipt,
    SignatureVerdict,
    TrainedRun,
)
from core.lessons.lesson_ui.teacher_homework import receipts, training_run_verification
from core.train.experiment import experiment_record
from core.ui.server import upload_quota

DUE = 2_000_000_000
OPTIONS = {"n_step": 12}


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    found = dict[str, object]()
    monkeypatch.setattr(training_run_verification, "_known", lambda: found)
    monkeypatch.setattr(training_run_verification, "owner_id", lambda: "teacher")
    return found


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    made = RunStore(tmp_path / "runs")
    monkeypatch.setattr(training_run_verification, "run_store", lambda: made)
    return made


def receipt(
    name: str, due: int = DUE, signature: SignatureVerdict = SIGNED_HERE, server: str = "a" * 64, **more: Any
) -> Receipt:
    given = Assignment(more.pop("lesson", "short-masks"), due)
    values: dict[str, Any] = {"made": DUE - 60.0, "said": [], "runs": [], **more}
    return Receipt(name=name, given=given, signature=signature, server=server, **values)


def shown(*found: Receipt, own: Assignment | None = None) -> tuple[receipts.ReceiptTable, str]:
    due = receipts._receipt_deadlines(found, own)
    marked: list[tuple[Receipt, list[MarkedQuestion]]] = [(one, mark_receipt(one)) for one in found]
    return receipts._receipt_table(marked, due, None), " ".join(
        receipts._receipt_warnings(found, due, has_link=own is not None)
    )


def test_a_receipt_with_another_deadline_is_marked() -> None:
    """Fault: "in time" by a deadline that the learner chose."""
    late = receipt("Mia", made=DUE + 60.0)
    sly = receipt("Tom", due=DUE + 3600, made=DUE + 60.0)
    rows, words = shown(late, sly, receipt("Ann"))
    assert rows["In time"] == ["late", "late", "yes"] and "another deadline" in rows["Deadline"][1]
    assert "another deadline" not in rows["Deadline"][0] and "most receipts have: Tom." in words
    rows, words = shown(sly, own=late.given)
    assert rows["In time"] == ["late"] and "another deadline" in rows["Deadline"][0], "by the teacher's own link"
    rows, words = shown(late, sly, own=sly.given)
    assert rows["In time"] == ["yes", "yes"] and "in your link: Mia." in words
    assert shown(late, receipt("Ann"))[1] == ""
    two = [late, receipt("Ann", due=DUE + 9, lesson="short-block")]
    assert receipts._receipt_warnings(two, receipts._receipt_deadlines(two, None), has_link=False) == []


def test_a_changed_receipt_chooses_no_deadline() -> None:
    """Fault: two edited files that outvote the honest one."""
    edited = receipt("Tom", due=DUE - 3600, signature=CHANGED_AFTER_SIGNING)
    rows, words = shown(edited, edited, receipt("Mia"))
    assert rows["In time"] == ["unknown", "unknown", "yes"] and "changed after signing: Tom, Tom." in words
    assert rows["Signature"] == ["changed after signing"] * 2 + ["signed here"]


def test_a_server_with_a_single_receipt_is_reported() -> None:
    """Fault: a made-up file, signed by its author, passes among those of a school's server."""
    school = [receipt(name, signature=SIGNED_ELSEWHERE) for name in ("Ann", "Ben")]
    rows, words = shown(*school, receipt("Tom", signature=SIGNED_ELSEWHERE, server="b" * 64))
    assert "from the same server: Tom." in words and rows["Server"] == ["aaaa aaaa aaaa aaaa"] * 2 + [
        "bbbb " * 3 + "bbbb"
    ]
    assert rows["In time"] == ["yes, by its own clock"] * 3
    assert shown(*school)[1] == "" and shown(receipt("Tom", signature=SIGNED_ELSEWHERE))[1] == ""


def test_only_answers_count_as_answered() -> None:
    """Fault: "3 of 3 answered" where all were only shown, or where values were written in that are no answers."""
    lesson = mark_receipt(receipt("Mia"))
    said = [StoredAnswer(place=one.place, first=None, last=one.right, n_try=2, at=1.0) for one in lesson]
    rows, _ = shown(receipt("Mia", said=said))
    assert (rows["Answered"], rows["Only shown"], rows["Right at first"]) == (["0 of 3"], [3], [0])
    rows, _ = shown(
        receipt("Mia", said=[replace(said[0], first="<b>"), replace(said[1], first=lesson[1].right), said[2]])
    )
    assert (rows["Answered"], rows["Only shown"], rows["Unreadable"]) == (["1 of 3"], [1], [1])


def test_the_files_of_a_class_fit_into_one_page() -> None:
    """Fault: "Drop all files of a class at once", and from the 21st on they are missing in the table."""
    assert upload_quota.SESSION_FILES >= receipts.MOST_FILES


def run_all(store: RunStore) -> None:
    while claimed := store.claim():
        info = store.begin(*claimed, pid=1)
        reporter = StoreReporter(store, *claimed, 0.0, lambda: False)
        outcome = run_job(JobSpec(info.recipe, info.seed, store.folder(info.id)), reporter)
        store.leave(*claimed, STATE_AFTER[outcome], step=reporter.step)
        training_run_verification.store_finished_reruns()


@pytest.mark.slow
def test_a_training_is_verified_by_training_it_again(store: RunStore) -> None:
    numbers = curve_endpoints(experiment_record("induction", seed=3, **OPTIONS))
    better = {name: value / 2 for name, value in numbers.items()}
    spec = {"experiment": "induction", "options": OPTIONS}
    true = TrainedRun(spec=spec, seed=3, step=12, n_step=12, numbers=numbers)
    long = replace(true, step=3000, n_step=3000)
    false, other = replace(true, numbers=better), replace(true, seed=4)
    impossible = TrainedRun(spec={"experiment": "none"}, seed=0, step=1, n_step=1, numbers=numbers)
    assert training_run_verification.rerun_verdict(true) == "not verified yet"
    training_run_verification._start_reruns([true, other, impossible])
    assert (
        training_run_verification.rerun_verdict(true) == "is trained again"
        and training_run_verification.is_training_rerun_active()
    )
    assert store.list("teacher", experiment="induction") == [], "no browser's own"
    run_all(store)
    said = training_run_verification.rerun_verdict(true)
    assert (
        said.startswith("verified (only 12 of the usual ") and not training_run_verification.is_training_rerun_active()
    )
    assert training_run_verification.rerun_verdict(long) == said, (
        "its length is what was trained here, not what the receipt says"
    )
    assert training_run_verification.rerun_verdict(false).startswith("came out differently (")
    assert training_run_verification.rerun_verdict(other).startswith(("nearly the same", "came out differently"))
    assert training_run_verification.rerun_verdict(impossible).startswith("can't be trained here")
    assert store.of_group("homework-") == [], "they are gone again"


def test_no_more_runs_are_examined_than_may_wait(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: four thousand tokenizers are trained before the first of these runs is refused."""
    examined = []
    monkeypatch.setattr(store, "_examine", lambda spec, real=store._examine: examined.append(spec) or real(spec))
    runs = [
        TrainedRun(spec={"experiment": "induction", "options": OPTIONS}, seed=seed, step=12, n_step=12, numbers={})
        for seed in range(60)
    ]
    training_run_verification._start_reruns(runs)
    assert len(examined) == 20 and training_run_verification.rerun_verdict(runs[20]) == "not verified yet"
    training_run_verification._start_reruns(runs[20:])
    assert len(examined) == 20, "the line is still full"
    later = time.time() + 2 * 86400
    monkeypatch.setattr(time, "time", lambda: later)
    training_run_verification._start_reruns(runs[20:21])
    assert len(store.of_group("homework-")) == 1, "what nobody came back for is gone"


SPECS: list[dict[str, Any]] = [
    *({"experiment": one} for one in ([], {}, None, 7, "../x")),
    *({"experiment": "induction", "options": one} for one in ({"n_step": []}, {"n_step": 10**15}, {"": 1})),
    *({"model": []}, {"corpus": {"a": 1}}, {"n_step": -1}, {"name": None}),
]


@pytest.mark.parametrize("spec", SPECS, ids=range(len(SPECS)))
def test_a_spec_that_is_none_is_refused_in_words(store: RunStore, spec: dict[str, Any]) -> None:
    """Fault: a receipt whose training stops the page with a trace."""
    run = TrainedRun(spec=spec, seed=1, step=1, n_step=1, numbers={"a": 1.0})
    training_run_verification._start_reruns([run])
    assert training_run_verification.rerun_verdict(run).startswith("can't be trained here: ")
