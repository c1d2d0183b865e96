"""A model, or an exhibit with its inputs, as one HTML file that runs without us.

    python -m core.export stories --out stories.html
    python -m core.export path/to/my-model --out my-model.html --set "text=Once upon a time"
    python -m core.export heads.one-head --out head.html --set layer=1 --set "text=Mia found a ball."

    python -m core.export lessons --out course             # a folder for any static host: one page for each lesson
    python -m core.export lessons/induction --out induction.html

A model is the name of one that ships, or a folder. An exhibit has its name in lessons, its inputs their names in an
address.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from streamlit import config
from streamlit.logger import set_log_level

from core.data.names import near
from core.data.output import output_file, output_folder
from core.data.printable import clean, printable
from core.export.files import is_page, write_page
from core.inspect.reading.model_key import SHIPPED, ModelKey, ModelUnreadable, facts
from core.lessons.format import shelf
from core.models.imports.advice import check_folder, why_no_folder, with_folder
from core.rooms import exhibits


def main() -> None:
    """Write the file, or print why that isn't possible."""
    parser = argparse.ArgumentParser(
        prog="python -m core.export",
        description=__doc__,
        epilog=_names(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", help="a model's folder, the name of one that ships, an exhibit, or lessons")
    parser.add_argument("--out", required=True, help="the file to write; of all lessons, a new or empty folder")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="what it begins with")
    options = parser.parse_args()
    config.get_config_options()  # reading them sets the level of the log, so they are read first
    set_log_level("ERROR")  # Streamlit warns that there is no browser, partly at import
    if wrong := [one for one in options.set if "=" not in one]:
        parser.error(f"--set wants NAME=VALUE, not {wrong[0]!r}")
    if options.set and options.what.startswith("lessons"):
        parser.error("--set is for an exhibit or a model; a lesson brings its own settings")
    inputs = dict(clean(one).split("=", 1) for one in options.set)
    try:
        for path in _written(options.what, inputs, options.out):
            print(f"{printable(str(path))}: {path.stat().st_size:,} bytes", flush=True)
    except (ModelUnreadable, ValueError, OSError) as refused:
        sys.exit(with_folder(str(refused), options.what))


def _written(what: str, inputs: dict[str, str], out: str) -> Iterator[Path]:
    """Write the requested pages, and yield each file when it is written; first check that they may be written."""
    if what.rstrip("/") == "lessons":
        from core.export.lesson_page import course, is_course, lessons

        folder = output_folder(out, lambda folder: is_course(folder, lessons()))
        yield from course(folder, list(lessons().values()))
    else:
        path = output_file(out, is_page)
        write_page(path, _page(what, inputs))
        yield path


def _names() -> str:
    """List some of the names that can be exported, and how to list the rest."""
    models = ", ".join(sorted(one.parent.name for one in SHIPPED.glob("*/config.json")))
    some = ", ".join(list(exhibits())[::12])
    lessons = ", ".join(shelf.lessons())
    return (
        f"models that ship: {models}\n\nsome of the {len(exhibits())} exhibits: {some}\n"
        "all of them, with what --set can set:  python -m core.lessons list\n\n"
        f"lessons, each as lessons/NAME: {lessons}"
    )


def _page(what: str, inputs: dict[str, str]) -> str:
    if what in exhibits():
        from core.export.exhibit_page import exhibit_page

        return exhibit_page(what, inputs)
    if what.startswith("lessons/"):
        from core.export.lesson_page import lesson_page, lessons

        if (slug := what.partition("/")[2]) not in lessons():
            raise ValueError(f"There is no lesson {slug!r}.{near(slug, lessons())} There are {', '.join(lessons())}.")
        return lesson_page(lessons()[slug])
    models = [one.name for one in SHIPPED.iterdir()]
    if what not in models and Path(what).is_dir():
        check_folder(Path(what))
    elif what not in models and (Path(what).exists() or "/" in what):
        raise ValueError(why_no_folder(what))
    elif what not in models:
        raise ValueError(_unknown(what, models))
    if foreign := [name for name in inputs if name != "text"]:
        raise ValueError(f"--set {foreign[0]}: of a model's page only the text can be set, as in --set text=...")
    from core.ui.models.model_page import model_page

    key = ModelKey.at(what)
    title = str((facts(key.folder).get("recipe") or {}).get("title") or key.name)
    return model_page(key, title, inputs.get("text", ""))


def _unknown(what: str, models: list[str]) -> str:
    """Suggest what to type if nothing has this name."""
    if in_room := [name for name in exhibits() if name.startswith(f"{what}.")]:
        return f"{what} is a room: name one of its exhibits, {', '.join(in_room)}."
    return (
        f"There is no model, exhibit or folder {what!r} here.{near(what, ['lessons', *exhibits(), *models])} --help "
        "lists names. A model of the Hugging Face hub is downloaded first, with `hf download OWNER/MODEL --local-dir "
        "FOLDER`, and named by its folder."
    )


if __name__ == "__main__":
    main()
