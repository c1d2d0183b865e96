"""Files of published models' tokenizers, read within limits and checked before anything of them is run.

`files` reads them, `parts` checks what they say, with `models`, `patterns` and `shapes` for its details.
"""
