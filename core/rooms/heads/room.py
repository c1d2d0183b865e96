from core.ui.frame.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/attention/heads.py",
    order=6,
    title="Attention heads",
    icon=":material/grid_view:",
    card="See what each head looks at, then switch it off and see what's lost.",
    exhibits=(
        Entry("all_heads:all_heads", bar="open_head:look_at_head"),
        Entry("one_head:one_head", bar="open_head:look_at_head"),
        Entry("as_lines:as_lines", bar="open_head:look_at_head"),
        Entry("coordinates:coordinates", bar="open_head:look_at_head"),
        Entry("switch_off:switch_off", bar="open_head:look_and_measure"),
        Entry("set_a_row:set_a_row", bar="open_head:look_and_measure_head", is_listed=False),
        Entry("attention_rollout:attention_rollout", bar="open_head:look_here"),
    ),
)
