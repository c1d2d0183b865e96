"""The notebooks and the wheel, as the README says to use them."""

from tests.repo.readme.blocks import notebooks, typed

# Hook: `shell(folder)` and `Shell.type` (tests/repo/readme/clone.py) type `pip install .`; `notebooks()` are the files.


def test_the_readme_says_how_to_install_and_links_both_notebooks() -> None:
    assert typed("pip install .")
    assert len(notebooks()) == 2
