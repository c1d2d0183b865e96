"""A model as one HTML file that runs without us: its map, to be typed into, played, changed and rewound.

    python -m core.export stories --out stories.html
    python -m core.export path/to/my-model --out my-model.html --text "Once upon a time"

A model is the name of one that ships, or a folder: of a checkpoint of the training studio, say.
"""

import argparse
import sys
from pathlib import Path

from core.inspect.reading.model_key import SHIPPED, ModelKey, ModelUnreadable, facts
from core.ui.web_page.model_page import model_page


def main() -> None:
    """Write the file, or say in plain words why not."""
    parser = argparse.ArgumentParser(prog="python -m core.export", description=__doc__.partition("\n")[0])
    parser.add_argument("model", help="a folder, or the name of a model that ships")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--text", default="", help="to begin with")
    options = parser.parse_args()
    if not any(folder.is_dir() for folder in (Path(options.model), SHIPPED / options.model)):
        sys.exit(f"There is no model {options.model!r} here: name a folder, or one of assets/models.")
    try:
        key = ModelKey.at(options.model)
        title = str((facts(key.folder).get("recipe") or {}).get("title") or key.name)
        page = model_page(key, title, options.text)
        options.out.write_text(page, encoding="utf-8")
    except (ModelUnreadable, ValueError, OSError) as refused:
        sys.exit(f"{refused}")
    print(f"{options.out}: {len(page.encode()):,} bytes")


if __name__ == "__main__":
    main()
