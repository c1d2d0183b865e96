"""Every package that `pip` brings is pinned with hashes, and the bill of materials lists it."""

import json
from importlib import metadata
from urllib.parse import unquote

import pytest
from packaging.utils import canonicalize_name

from tests.repo.dependencies import ROOT, environments, gaps, locked, pulled_in, required
from tests.repo.sbom import bill

FILES = ("requirements.txt", "requirements-dev.txt")
AGAIN = "write the locks again as CONTRIBUTING says, under Dependencies"


def lock_of(file: str) -> str:
    return (ROOT / file.replace(".txt", ".lock")).read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES)
def test_the_lock_meets_every_requirement_on_every_system(file: str) -> None:
    """Fails if a pin was changed without the lock, or a package pulls in one that isn't locked (T17)."""
    assert not gaps(file, locked(lock_of(file))), AGAIN


@pytest.mark.parametrize("file", FILES)
def test_every_file_of_the_lock_has_a_hash(file: str) -> None:
    """Fails if an entry has no hash, which pip would refuse, or names a place, which only one machine has."""
    entries = locked(lock_of(file))
    assert all(one.digests for each in entries.values() for one in each)
    assert "://" not in lock_of(file) and "+" not in "".join(one.version for each in entries.values() for one in each)


def test_each_package_that_a_lock_lacks_is_missed() -> None:
    """Fails if the first test passed whatever the lock says: each entry that is installed here is needed."""
    file = "requirements.txt"
    lock = locked(lock_of(file))
    installed = {canonicalize_name(one.name) for one in metadata.distributions()}
    for name in sorted(installed & set(lock))[::3]:
        assert gaps(file, {key: one for key, one in lock.items() if key != name}), name


def test_the_bill_of_materials_lists_what_is_installed() -> None:
    """Fails if a package that the app runs on is left out, listed twice, or without a version."""
    made = json.loads(json.dumps(bill()))
    here = {canonicalize_name(one.name) for _, one in pulled_in(required("requirements.txt"), environments()[0])}
    installed = {canonicalize_name(one.name) for one in metadata.distributions()}
    listed = [one["name"] for one in made["components"]]
    assert sorted(listed) == sorted(set(listed)) and set(listed) >= here & installed
    assert all(unquote(one["purl"]) == f"pkg:pypi/{one['name']}@{one['version']}" for one in made["components"])
    known = {made["metadata"]["component"]["bom-ref"], *(one["bom-ref"] for one in made["components"])}
    assert {one["ref"] for one in made["dependencies"]} == known
    assert {ref for one in made["dependencies"] for ref in one["dependsOn"]} <= known
