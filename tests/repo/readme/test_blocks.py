"""Everything in the README is tested: each command has a test that types it unchanged, and each block is read."""

from pathlib import Path

import pytest

from tests.repo.readme.blocks import NOT_TYPED, ROOT, TYPED_BY, block_commands, blocks, commands, notebooks

HERE = Path(__file__).parent


@pytest.mark.parametrize("command", [one.text for one in commands()])
def test_each_command_is_typed_by_one_test(command: str) -> None:
    tests = {name for start, name in TYPED_BY.items() if command.startswith(start)}
    if command.startswith(NOT_TYPED):
        assert command not in [one.text for one in block_commands()], "a block is always typed"
    else:
        assert len(tests) == 1, f"{command!r} is typed by {sorted(tests) or 'no test'}: name one in TYPED_BY"


@pytest.mark.parametrize(("start", "name"), TYPED_BY.items())
def test_each_test_types_what_it_is_named_for(start: str, name: str) -> None:
    assert any(one.text.startswith(start) for one in commands()), f"the README no longer says {start!r}"
    assert f'"{start}"' in (HERE / f"test_{name}.py").read_text(encoding="utf-8")


def test_each_block_is_for_a_shell_or_for_python_or_draws_the_house() -> None:
    assert {block.language for block in blocks()} == {"bash", "python", ""}
    assert [block.section for block in blocks("")] == ["The house"]
    assert {block.section for block in blocks("python")} == {"Without the web app", "In a notebook"}, (
        "run by these tests"
    )
    assert notebooks() and all((ROOT / one).exists() for one in notebooks())
