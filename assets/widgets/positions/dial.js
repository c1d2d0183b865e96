// One clock face and its hands, for the clocks of positions and the dials of rotary queries and keys.

export function paintFace(p, x, y, radius, theme, { on = false } = {}) {
  p.rect(x - radius, y - radius, 2 * radius, 2 * radius, {
    fill: theme.page,
    stroke: on ? theme.accent : theme.line,
    width: on ? 2 : 1.25,
    radius,
  });
  for (let i = 0; i < 4; i++) {
    // ticks at 12, 3, 6 and 9
    const [dx, dy] = [Math.sin((i * Math.PI) / 2), -Math.cos((i * Math.PI) / 2)];
    p.segment(x + dx * radius * 0.86, y + dy * radius * 0.86, x + dx * radius * 0.97, y + dy * radius * 0.97, {
      color: theme.soft,
      width: 1,
    });
  }
}

/** A hand to (dx, dy) from the middle, with a dot at its end; y downwards. */
export function paintHand(p, x, y, dx, dy, { color, width = 2.5, dash = [], dot = 3 }) {
  p.segment(x, y, x + dx, y + dy, { color, width, dash });
  p.rect(x + dx - dot, y + dy - dot, 2 * dot, 2 * dot, { fill: color, radius: dot });
}

/** Long sliders: a position must be hit exactly. */
export const LONG =
  ".gf-controls label { flex: 1 1 230px; } .gf-controls label > span { white-space: nowrap; } .gf .gf-controls input[type=range] { flex: 1; min-width: 90px; width: auto; }";

/** Where a picture stands whose place Python hears of. What was told comes back later, and changes nothing then. */
export function heard({ at }, old, before) {
  const words = JSON.stringify(at);
  const isKnown = old?.told.includes(words) || words === JSON.stringify(before?.at);
  return old && isKnown ? old : { at, told: [] };
}

/** Tell Python where it stands, unless it knows; and remember that it was told. */
export function tell(shell, { at, told }, set) {
  const words = JSON.stringify(at);
  const isKnown = words === (told.at(-1) ?? JSON.stringify(shell.header.at));
  set({ at, told: isKnown ? told : [...told, words] });
  if (!isKnown) shell.commit("pick", { ...at });
}
