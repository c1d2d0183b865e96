// The text up to the token whose vector is followed, and the next token that the chances are of.
import { mix } from "../drawing/color.js";
import { measure } from "../drawing/elements.js";
import { inText, short } from "../drawing/tokens.js";
import { labels } from "./labels.js";

/** One line, cut at its start where it is too long. */
export function paintText(p, { h, place, theme, width }) {
  const { unit } = place;
  const [y, size] = [14 * unit, (place.isNarrow ? 15 : 17) * unit];
  const look = { size, font: theme.font };
  const wide = (some) => measure(some, size, theme.font);
  const wideBold = (some) => 1.05 * wide(some);
  const last = short(h.words.trim() || h.words);
  const asked = labels("then", { next: short(h.expected.trim() || h.expected) });
  const room = width - wideBold(last) - wideBold(asked) - 24 * unit;
  let before = h.before;
  while (before && wide(inText(before)) > room) {
    const rest = before.replace(/^(… )?\S* ?/, "");
    before = rest && `… ${rest}`;
  }
  p.text(inText(before), 0, y, { ...look, fill: theme.soft });
  const x = wide(inText(before));
  p.text(last, x, y, { ...look, fill: theme.text, weight: 700 });
  const box = x + wideBold(last) + 8 * unit;
  const shape = { fill: mix(theme.page, theme.primary, 0.12), stroke: theme.primary, dash: [4, 3], radius: 6 };
  p.rect(box, y - 14 * unit, wideBold(asked) + 14 * unit, 28 * unit, shape);
  p.text(asked, box + 7 * unit, y + 1, { ...look, fill: theme.primary, weight: 700 });
}
