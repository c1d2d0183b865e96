// The block itself, beside its strips: the stream that runs down, and the parts that read it and add to it.
import { mix } from "../drawing/color.js";
import { labels } from "./labels.js";

/** An arrow to the right. */
export function arrow(p, from, to, y, color, unit, thick = 2) {
  p.segment(from, y, to - 5 * unit, y, { color, width: thick });
  p.path(`M${to - 8 * unit} ${y - 5 * unit}L${to} ${y}L${to - 8 * unit} ${y + 5 * unit}z`, { fill: color });
}

/** The stream that runs down, a sign at each row, and the parts. */
export function paintBlock(p, at) {
  const { h, place, theme, text, step, isThere, fade } = at;
  const { unit } = place;
  const last = place.rows[2 * step];
  const wash = mix(theme.page, theme.primary, 0.22);
  p.segment(place.line, place.rows[0], place.line, last, { color: place.isNarrow ? wash : theme.primary, width: 3 });
  place.rows.forEach((y, r) => {
    if (!r || !isThere(r)) return;
    const fill = fade(r % 2 ? theme.primary : theme.text, r);
    p.rect(place.line - 9 * unit, y - 9 * unit, 18 * unit, 18 * unit, {
      fill: theme.page,
      stroke: r % 2 ? fill : "",
      width: 2,
      radius: 9 * unit,
    });
    p.text(r % 2 ? "+" : "=", place.line, y + 0.5, {
      ...text,
      fill,
      size: 18 * unit,
      align: "center",
      weight: 700,
    });
  });
  if (!place.isNarrow) h.parts.forEach((part, i) => paintPart(p, part, 2 * i + 1, at));
}

function paintPart(p, part, r, { h, place, theme, text, isThere, fade }) {
  const { unit } = place;
  const [y, color] = [place.rows[r], isThere(r) ? fade(theme.primary, r) : theme.line];
  const [high, middle] = [40 * unit, place.box / 2];
  const from = place.rows[h.parallel ? 0 : r - 1] + 14 * unit;
  const soft = { color: isThere(r) ? theme.soft : theme.line, width: 1.5 };
  if (h.is_read_out && (!h.parallel || r === 1)) {
    p.line(
      [
        [place.line, from],
        [middle, from],
        [middle, y - high / 2 - 5 * unit],
      ],
      soft,
    );
    const tip = y - high / 2;
    p.path(`M${middle - 4} ${tip - 7}L${middle + 4} ${tip - 7}L${middle} ${tip}z`, { fill: soft.color });
    if (h.norm_first) {
      const [w, x] = [46 * unit, (middle + place.line) / 2];
      p.rect(x - w / 2, from - 9 * unit, w, 18 * unit, { fill: theme.page, stroke: soft.color, radius: 9 * unit });
      p.text(labels("norm"), x, from + 0.5, { ...text, fill: soft.color, align: "center" });
    }
  }
  p.rect(1, y - high / 2, place.box - 2, high, { fill: theme.page, stroke: color, width: 2, radius: 8 * unit });
  const ink = { ...text, align: "center" };
  p.text(labels(part), middle, y - 8 * unit, { ...ink, fill: color, weight: 700 });
  p.text(labels(`${part}_does`), middle, y + 10 * unit, { ...ink, fill: isThere(r) ? theme.soft : theme.line });
  if (isThere(r)) arrow(p, place.box, place.line - 10 * unit, y, color, unit, 2.5);
}
