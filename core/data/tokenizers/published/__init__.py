"""Files of published models' tokenizers, read within limits and checked before any part of them is run.

`files` reads them, `parts` checks their content, with `models`, `patterns` and `shapes` for the details.
"""
