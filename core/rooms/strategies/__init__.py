"""Strategies: one text, one model, and several ways to choose the next token."""

from core.ui.room import ExhibitSpec, Room

ROOM = Room(
    package=__package__,
    page="pages/generate/strategies.py",
    order=2,
    icon=":material/view_column:",
    exhibits=(
        ExhibitSpec("three_ways:three_ways"),
        ExhibitSpec("side_by_side:strategies_side_by_side"),
        ExhibitSpec("thousand:thousand_draws"),
        ExhibitSpec("temperature:what_temperature_does", is_folded=True),
        ExhibitSpec("crossing:who_crosses", is_folded=True),
        ExhibitSpec("order:order_matters", is_folded=True),
    ),
)
