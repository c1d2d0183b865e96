"""Attention heads: all heads of a model on any text, one of them in every detail, and the model without some."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/heads.py",
    order=6,
    icon=":material/grid_view:",
    exhibits=(
        ExhibitSpec("all_heads:all_heads"),
        ExhibitSpec("switch_off:switch_off"),
        ExhibitSpec("one_head:one_head"),
        ExhibitSpec("as_lines:as_lines"),
        ExhibitSpec("set_a_row:set_a_row", is_folded=True),
        ExhibitSpec("attention_rollout:attention_rollout", is_folded=True),
    ),
)
