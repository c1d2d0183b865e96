"""T11: killed at any moment, with a full disk or with none: every checkpoint loads, and goes on bit for bit.

Server, supervisor and workers are killed in `tests/library/learning/test_jobs.py`, real trainings in
`test_jobs_training.py`.
"""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.data import files
from tests.counts import count, tally

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="forks and kills as POSIX does")
def test_kills_and_full_disks_leave_checkpoints_that_load(tmp_path: Path) -> None:
    n_kill, n_full = count(6, 200), count(10, 50)
    run = subprocess.run(
        [sys.executable, "-m", "tests.safety.crash", str(tmp_path), str(n_kill), str(n_full)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "GLASSFORMER_DATA": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    killed, filled = json.loads(run.stdout.splitlines()[-1])
    assert killed["kills"] == killed["resumes"] == n_kill
    assert killed["unloadable"] == killed["lost_steps"] == 0
    assert killed["in_a_save"] > 0 and killed["runs_equal_bit_for_bit"] > 0
    assert filled == {"full_disks": n_full, "unloadable": 0, "refused": n_full}
    tally("T11 kill -9", **killed)
    tally("T11 full disk", **filled)


@pytest.mark.parametrize("page", ["pages/train/studio.py", "pages/attention/heads.py"])
def test_without_a_place_to_write_the_pages_say_so(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", "/proc/nowhere/data")

    def draw(page: str) -> None:
        import runpy

        from core.ui.frame import errors

        with errors.page_guard():
            runpy.run_path(page)

    test = AppTest.from_function(draw, args=(str(ROOT / page),), default_timeout=60).run()
    assert not test.exception
    shown = " ".join(one.value for one in (*test.error, *test.title, *test.caption, *test.markdown))
    assert shown and not any(word in shown for word in ("Traceback", "FileNotFoundError", "/proc/nowhere"))


def test_a_full_disk_is_told_in_plain_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of one's own that no longer fits: the page goes on, with words that a person understands."""

    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    monkeypatch.setattr("core.data.corpora.write_atomic", full)

    def draw() -> None:
        from core.ui.controls import own_text
        from core.ui.frame import errors

        with errors.page_guard():
            own_text._own_text_panel()

    test = AppTest.from_function(draw, default_timeout=30).run()
    test.text_area[0].set_value("It was a quiet morning, and nobody knew. " * 30)
    test.button(key="gf-own-use").click().run()
    assert not test.exception
    assert [one.value for one in test.error], "nothing was said"
    assert "Errno" not in test.error[0].value
    assert files.data_dir() == tmp_path
