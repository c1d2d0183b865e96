from core.ui.frame.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/generate/strategies.py",
    order=2,
    title="Strategies",
    icon=":material/view_column:",
    card="Careful or daring: ways to choose the next word, side by side on the same text.",
    exhibits=(
        Entry("side_by_side:strategies_side_by_side", bar="place:look_here"),
        Entry("microscope:one_step", bar="place:look_at_place"),
        Entry("thousand:thousand_draws", bar="place:look_at_place"),
        Entry("temperature:what_temperature_does", bar="place:look_at_place"),
        Entry("nucleus:who_crosses"),
        Entry("nucleus:order_matters", bar="place:look_at_place"),
    ),
)
