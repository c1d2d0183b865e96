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

from core.data.name_suggestions import suggest_names
from core.data.output_paths import output_file, output_folder
from core.data.printable import printable_text, replace_surrogates
from core.export.files import is_exported_page, write_page
from core.inspect.model_inputs.model_key import SHIPPED_MODELS, ModelKey, ModelUnreadable, read_model_provenance
from core.lessons.format import catalog
from core.models.imports.wrong_folder_advice import add_folder_to_message, check_folder, missing_folder_advice
from core.rooms import all_exhibits


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
    inputs = dict(replace_surrogates(one).split("=", 1) for one in options.set)
    try:
        for path in _written(options.what, inputs, options.out):
            print(f"{printable_text(str(path))}: {path.stat().st_size:,} bytes", flush=True)
    except (ModelUnreadable, ValueError, OSError) as refused:
        sys.exit(add_folder_to_message(str(refused), options.what))


def _written(what: str, inputs: dict[str, str], out: str) -> Iterator[Path]:
    """Write the requested pages, and yield each file when it is written; first check that they may be written."""
    if what.rstrip("/") == "lessons":
        from core.export.lesson_page import is_course_folder, lessons_by_slug, write_course

        folder = output_folder(out, lambda folder: is_course_folder(folder, lessons_by_slug()))
        yield from write_course(folder, list(lessons_by_slug().values()))
    else:
        path = output_file(out, is_exported_page)
        write_page(path, _page(what, inputs))
        yield path


def _names() -> str:
    """List some of the names that can be exported, and how to list the rest."""
    models = ", ".join(sorted(one.parent.name for one in SHIPPED_MODELS.glob("*/config.json")))
    some = ", ".join(list(all_exhibits())[::12])
    lessons = ", ".join(catalog.catalog_lessons())
    return (
        f"models that ship: {models}\n\nsome of the {len(all_exhibits())} exhibits: {some}\n"
        "all of them, with what --set can set:  python -m core.lessons list\n\n"
        f"lessons, each as lessons/NAME: {lessons}"
    )


def _page(what: str, inputs: dict[str, str]) -> str:
    if what in all_exhibits():
        from core.export.exhibit_page import exhibit_page

        return exhibit_page(what, inputs)
    if what.startswith("lessons/"):
        from core.export.lesson_page import lesson_page, lessons_by_slug

        if (slug := what.partition("/")[2]) not in lessons_by_slug():
            raise ValueError(
                f"There is no lesson {slug!r}.{suggest_names(slug, lessons_by_slug())} "
                f"There are {', '.join(lessons_by_slug())}."
            )
        return lesson_page(lessons_by_slug()[slug])
    models = [one.name for one in SHIPPED_MODELS.iterdir()]
    if what not in models and Path(what).is_dir():
        check_folder(Path(what))
    elif what not in models and (Path(what).exists() or "/" in what):
        raise ValueError(missing_folder_advice(what))
    elif what not in models:
        raise ValueError(_unknown(what, models))
    if foreign := [name for name in inputs if name != "text"]:
        raise ValueError(f"--set {foreign[0]}: of a model's page only the text can be set, as in --set text=...")
    from core.ui.models.standalone_model_map import model_page_html

    key = ModelKey.at(what)
    title = str((read_model_provenance(key.folder).get("recipe") or {}).get("title") or key.name)
    return model_page_html(key, title, inputs.get("text", ""))


def _unknown(what: str, models: list[str]) -> str:
    """Suggest what to type if nothing has this name."""
    if in_room := [name for name in all_exhibits() if name.startswith(f"{what}.")]:
        return f"{what} is a room: name one of its exhibits, {', '.join(in_room)}."
    return (
        f"There is no model, exhibit or folder {what!r} here."
        f"{suggest_names(what, ['lessons', *all_exhibits(), *models])} --help lists names. A model of the Hugging Face "
        "hub is downloaded first, with `hf download OWNER/MODEL --local-dir FOLDER`, and named by its folder."
    )


if __name__ == "__main__":
    main()
