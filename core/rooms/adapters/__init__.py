"""Adapters: LoRA on a frozen model, its rank, its update as a matrix, merged and switched off."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/today/adapters.py",
    order=5,
    icon=":material/extension:",
    exhibits=(
        ExhibitSpec("thin_update:thin_update", experiments=("adapters",)),
        ExhibitSpec("fifty_lines:fifty_lines", experiments=("adapters",)),
        ExhibitSpec("on_and_off:off_half_on", experiments=("adapters",)),
        ExhibitSpec("matrix:update", experiments=("adapters",)),
    ),
)
