"""The guides of CONTRIBUTING lead where they say: followed as written, every check that a change must pass passes.

Faults these catch: code in a guide that ruff or mypy refuses; a folder that has no place for one more module; a file or
a command that a guide doesn't mention; a command that doesn't do what the guide says; a page that doesn't open.
"""

from pathlib import Path

import pytest

from tests.repo.guides import ALL, GUIDES, LESSON, check, commands_of, follow, type_in

# The rules that a new file can break; the others are about files that no guide touches.
RULES = ("house", "rules", "coverage", "element_keys", "measured", "plain_names", "shipped", "terms", "years", "readme")
SWEEPS = "tests/pages tests/rooms/test_every_room.py tests/snapshots tests/library/contracts tests/library/parity"


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_all_guides_together_pass_the_checks_of_a_change(tmp_path: Path) -> None:
    house = tmp_path / "house"
    new = follow(house, *ALL)
    for command in [line for guide in ALL for line in commands_of(guide) if line.startswith("python")]:
        type_in(house, command)
    check(house, new)
    type_in(house, f"pytest -q {' '.join(f'tests/repo/test_{one}.py' for one in RULES)} -k 'not its_python_runs'")
    type_in(house, f"pytest -q -m 'not browser' -k 'previous or echo or average or short_text' {SWEEPS}")


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("guide", GUIDES)
def test_a_guide_alone_does_all_that_it_says(guide: str, tmp_path: Path) -> None:
    house = tmp_path / "house"
    new = follow(house, *GUIDES[guide])
    for section in GUIDES[guide]:
        is_last = section == GUIDES[guide][-1]  # its tests see the files of the guide before, too
        for command in [line for line in commands_of(section) if is_last or line.startswith("python")]:
            type_in(house, command)
    check(house, new)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_every_page_opens_next_to_the_new_ones(tmp_path: Path) -> None:
    house = tmp_path / "house"
    follow(house, *ALL)
    type_in(house, "python -m core.train.experiment echo")
    example = house / "assets/experiments/echo.safetensors"
    assert example.stat().st_mode & 0o777 == 0o644, "an example that ships is for everyone to read"
    type_in(house, "pytest -q -m 'not browser' tests/rooms/test_every_room.py tests/pages/test_app.py")


@pytest.mark.full
def test_the_lesson_computes_its_answer(tmp_path: Path) -> None:
    house = tmp_path / "house"
    follow(house, LESSON)
    answer = (
        "from tests.library.lessons.asked import of; found = of('open-cells/1');"
        "assert found.value == 21 and '58%' in found.sentence, found"
    )
    type_in(house, f'GLASSFORMER_LESSONS=../my-lessons python -c "{answer}"')
