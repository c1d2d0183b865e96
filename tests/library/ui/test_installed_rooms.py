"""Rooms of installed packages: the one that CONTRIBUTING describes works, and a broken one is left out with a reason.

Faults these catch: a text, page or exhibit that is looked for in the app's own folders; a broken package that stops the
app or a class's questions; a room that takes the address of another one.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from core.rooms import ENTRY_POINTS
from tests.repo.guides import PACKAGE, PAGE, blocks_of, file_of

ROOT = Path(__file__).resolve().parents[3]
ROOM = """
from core.ui.room import ExhibitSpec, Room
ROOM = Room(package=__package__, page="pages/{page}.py", order=1, title="{title}", icon="", exhibits=({entries}))
"""
WORDS = "# A title\n\nlook here.\n"


def install(site: Path, name: str, value: str, files: dict[str, str]) -> None:
    """Write a package and its metadata into a folder, as an installer would."""
    for path, text in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text, encoding="utf-8")
    about = site / f"{name.replace('-', '_')}-0.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\n{name} = {value}\n", encoding="utf-8")


def run(site: Path, program: str) -> tuple[str, str]:
    """Run a program with the packages of a folder installed; return what it printed, and its log."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{site}{os.pathsep}{ROOT}",
        "GLASSFORMER_DATA": str(site.parent / "data"),
        "GLASSFORMER_TRAINING": "off",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout, done.stderr


USE = """
import json
from pathlib import Path
from core import run_exhibit
from core.classroom.question_types import class_question_catalog
from core.rooms import all_exhibits, rooms
from tests.pages.rooms import clean, linked, text_of

[room] = [one for one in rooms() if one.is_installed]
app = clean(linked(str(Path("app.py").resolve())).run())
links = [one.proto.label for one in app.sidebar.get("page_link")]
app.switch_page(room.page).run()
clean(app)
widgets = [one.proto.component_name for one in app.get("bidi_component")]
table = run_exhibit("previous-token.looks-back").table()
asked = [one["slug"] for one in class_question_catalog.question_sources()["rooms"]]
print(json.dumps([room.page, links, app.title[0].value, text_of(app), widgets, table, asked]))
"""


def test_the_package_of_the_contributing_guide_brings_a_room(tmp_path: Path) -> None:
    package, site = "glassformer_previous_token", tmp_path / "site"
    files = {}
    for block in [code for kind, code in blocks_of(PAGE, "python", "markdown")]:
        path, code = file_of(block)
        inside = path.removeprefix("core/rooms/previous_token/").replace("assets/rooms/previous_token", "assets")
        files[f"{package}/{inside}"] = code.replace("core.rooms.previous_token", package)
    declared = tomllib.loads(blocks_of(PACKAGE, "toml")[0][1])
    [(name, value)] = declared["project"]["entry-points"][ENTRY_POINTS].items()
    assert value == package and declared["tool"]["setuptools"]["packages"] == [package]
    drawn = {line.split()[0] for line in blocks_of(PACKAGE, "text")[0][1].splitlines()}
    assert files.keys() == {one if one.startswith(package) else f"{package}/{one}" for one in drawn - {f"{package}/"}}
    install(site, name, value, files)

    page, links, title, said, widgets, table, asked = json.loads(run(site, USE)[0])

    assert page == str(site / package / "pages/attention/previous_token.py")
    assert "Previous token" in links and title == "Previous token" and "previous_token" in asked
    assert "On average the head gives" in said and "glassformer_matrix" in widgets
    assert len(table["layer"]) == len(table["mean weight on the token before"]) > 1


def entries(*places: str) -> str:
    return "".join(f'ExhibitSpec("{one}"),' for one in places)


# name of the package -> its files, and what the log says of it
BROKEN: dict[str, tuple[dict[str, str], str]] = {
    "no-import": ({"no_import/__init__.py": "import nothing_like_this"}, "No module named 'nothing_like_this'"),
    "no-syntax": ({"no_syntax/__init__.py": "ROOM = ("}, "SyntaxError: '(' was never closed"),
    "no-end": ({"no_end/__init__.py": "raise SystemExit('bye')"}, "SystemExit: bye"),
    "no-room": ({"no_room/__init__.py": ""}, "has no attribute 'ROOM'"),
    "no-kind": ({"no_kind/__init__.py": "ROOM = 7"}, "its ROOM is a int, not a core.ui.room.Room"),
    "no-section": (
        {"no_section/__init__.py": ROOM.format(page="nowhere/x", title="X", entries="")},
        "no section is called 'nowhere'; there are home,",
    ),
    "no-page": ({"no_page/__init__.py": ROOM.format(page="attention/x", title="X", entries="")}, "there is no file"),
    "taken": (
        {
            "taken/__init__.py": ROOM.format(page="attention/masks", title="X", entries=""),
            "taken/pages/attention/masks.py": "",
        },
        "another room is called 'masks'",
    ),
    "no-words": (
        {
            "no_words/__init__.py": ROOM.format(page="attention/x", title="X", entries=entries("look:here")),
            "no_words/pages/attention/x.py": "",
            "no_words/look.py": "",
        },
        "there is no file",
    ),
    "no-exhibit": (
        {
            "no_exhibit/__init__.py": ROOM.format(page="attention/x", title="X", entries=entries("look:here")),
            "no_exhibit/pages/attention/x.py": "",
            "no_exhibit/assets/look.md": WORDS,
        },
        "there is no module no_exhibit.look",
    ),
}


def test_a_broken_package_is_left_out_and_the_log_says_why(tmp_path: Path) -> None:
    for name, (files, _) in BROKEN.items():
        install(tmp_path / "site", name, name.replace("-", "_"), files)

    printed, log = run(tmp_path / "site", "from core.rooms import rooms; print([one.is_installed for one in rooms()])")

    assert "True" not in printed and printed.count("False") > 40
    lines = {line.split('"')[1]: line for line in log.splitlines()}
    assert lines.keys() == BROKEN.keys() and len(log.splitlines()) == len(BROKEN), log
    for name, (_, why) in BROKEN.items():
        assert lines[name].startswith(f'The room "{name}" of the package {name.replace("-", "_")} is left out: ')
        assert why in lines[name]


LATE = """
from pathlib import Path
from core.classroom.question_types import class_question_catalog
from core.rooms import rooms
from tests.pages.rooms import linked
app = linked(str(Path("app.py").resolve())).run()
app.switch_page([one for one in rooms() if one.is_installed][0].page).run()
assert not app.exception
print([one.value for one in app.error], [one.proto.label for one in app.sidebar.get("page_link")][:1])
assert any("masks" in source for source in class_question_catalog._guesses())
"""


def test_an_exhibit_that_fails_later_shows_a_message_on_its_page_alone(tmp_path: Path) -> None:
    files = {
        "late/__init__.py": ROOM.format(page="attention/late", title="Late", entries=entries("look:here")),
        "late/pages/attention/late.py": 'from late import ROOM\n\nROOM.header()\nROOM.show("here")\n',
        "late/look.py": "import nothing_like_this",
        "late/assets/look.md": WORDS,
    }
    install(tmp_path / "site", "late", "late", files)

    printed, log = run(tmp_path / "site", LATE)

    assert "This page hit an unexpected error" in printed and "'Home'" in printed
    assert "No module named 'nothing_like_this'" in log
