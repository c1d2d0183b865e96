"""Files of published models' tokenizers, read within limits and checked before any part of them is run.

`tokenizer_files` reads them, `tokenizer_component_checks` checks their content, with `tokenizer_models`,
`pretokenizer_patterns` and `json_validators` for the details.
"""
