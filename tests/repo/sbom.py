"""A software bill of materials: all packages that the app runs on, as they are installed here (CycloneDX 1.6).

python -m tests.repo.sbom > sbom.json
"""

import json
from importlib import metadata
from typing import Any
from urllib.parse import quote

from packaging.markers import default_environment
from packaging.utils import canonicalize_name

from tests.repo.dependencies import pulled_in, required

APP = "glassformer"


def bill() -> dict[str, Any]:
    """The bill as JSON: packages with version and license, and which of them asks for which."""
    asks: dict[str, set[str]] = {APP: set()}
    for asking, one in pulled_in(required("requirements.txt"), dict(default_environment())):
        name = canonicalize_name(one.name)
        asks.setdefault(name, set())
        asks[asking or APP].add(name)
    found = {name: metadata.distribution(name) for name in sorted(set(asks) - {APP})}
    refs = {APP: APP} | {name: _purl(name, one.version) for name, one in found.items()}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": APP, "bom-ref": APP}},
        "components": [_component(name, one) for name, one in found.items()],
        "dependencies": [
            {"ref": ref, "dependsOn": sorted(refs[one] for one in asks[name])} for name, ref in refs.items()
        ],
    }


def _component(name: str, one: metadata.Distribution) -> dict[str, Any]:
    purl = _purl(name, one.version)
    made = {"type": "library", "name": name, "version": one.version, "purl": purl, "bom-ref": purl}
    if license := _license(one):
        made["licenses"] = [license]
    return made


def _purl(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{quote(version)}"


def _license(one: metadata.Distribution) -> dict[str, Any] | None:
    """The license as the package states it: an SPDX expression, its classifiers, or the first line of its own words."""
    if expression := one.metadata.get("License-Expression"):
        return {"expression": expression}
    classified = [line for line in one.metadata.get_all("Classifier", ()) if line.startswith("License ::")]
    words = [line.rpartition(" :: ")[2] for line in classified] or (one.metadata.get("License") or "").splitlines()[:1]
    return {"license": {"name": ", ".join(words)}} if words else None


if __name__ == "__main__":
    print(json.dumps(bill(), indent=1))
