"""A model, or an exhibit with its inputs, as one HTML file that runs without us.

    python -m core.export stories --out stories.html
    python -m core.export path/to/my-model --out my-model.html --set "text=Once upon a time"
    python -m core.export heads.one-head --out head.html --set layer=1 --set "text=Mia found a ball."

A model is the name of one that ships, or a folder; an exhibit is called as in lessons, its inputs as in an address.
"""

import argparse
import sys
from pathlib import Path

from core.inspect.reading.model_key import SHIPPED, ModelKey, ModelUnreadable, facts
from core.rooms import exhibits
from core.ui.web_page.model_page import model_page


def main() -> None:
    """Write the file, or say in plain words why not."""
    parser = argparse.ArgumentParser(prog="python -m core.export", description=__doc__.partition("\n")[0])
    parser.add_argument("what", help="a model's folder, the name of one that ships, or an exhibit")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="what it begins with")
    options = parser.parse_args()
    inputs = dict(one.split("=", 1) for one in options.set if "=" in one)
    try:
        page = _page(options.what, inputs)
        options.out.write_text(page, encoding="utf-8")
    except (ModelUnreadable, ValueError, OSError) as refused:
        sys.exit(f"{refused}")
    print(f"{options.out}: {len(page.encode()):,} bytes")


def _page(what: str, inputs: dict[str, str]) -> str:
    if what in exhibits():
        from core.export.exhibit_page import exhibit_page  # Streamlit, which a model's page needs not

        return exhibit_page(what, inputs)
    if not any(folder.is_dir() for folder in (Path(what), SHIPPED / what)):
        raise ValueError(f"There is no model or exhibit {what!r} here.")
    key = ModelKey.at(what)
    title = str((facts(key.folder).get("recipe") or {}).get("title") or key.name)
    return model_page(key, title, inputs.get("text", ""))


if __name__ == "__main__":
    main()
