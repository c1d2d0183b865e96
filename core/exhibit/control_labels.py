"""The texts of a control, from the labels of its module."""

from collections.abc import Mapping
from dataclasses import replace

from core.data.localization.labels import Labels, module_labels
from core.exhibit.controls import Control

LABELS = module_labels(__name__)


def with_labels(control: Control, field: str, labels: Labels) -> Control:
    """Return a control with the texts that its declaration leaves out: `field`, `field.help`, `field.option`.

    Options with labels become a mapping.
    """
    options, more = control.options.get("options"), dict(control.options)
    if options is not None and not callable(options):
        texts = options if isinstance(options, Mapping) else dict.fromkeys(options, "")
        found = {one: text or labels.get(f"{field}.{one}", "") for one, text in texts.items()}
        if any(found.values()):
            more["options"] = {one: text or str(one) for one, text in found.items()}
    help_text = labels.get(f"{field}.help") if control.help is None else control.help
    general = LABELS["seed"] if control.kind == "seed" else ""
    return replace(control, label=control.label or labels.get(field, general), help=help_text, options=more)
