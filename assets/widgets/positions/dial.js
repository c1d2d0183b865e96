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
  ".gf-long label { flex: 1 1 230px; } .gf-long label > span { white-space: nowrap; } .gf-long input[type=range] { flex: 1; min-width: 90px; width: auto; }";

/**
 * What a widget tells Python comes back in a later message, often after it has moved on: our own words change nothing.
 * @param changed what to do with a place that Python has set by itself
 */
export function conversation(shell, changed) {
  const ours = new Set();
  let last = "";
  return {
    tell(at) {
      const words = JSON.stringify(at);
      if (words === (last || JSON.stringify(shell.header.at))) return;
      ours.add((last = words));
      shell.commit("pick", { ...at });
    },
    hear() {
      const words = JSON.stringify(shell.header.at);
      if (ours.has(words) || words === JSON.stringify(shell.previous?.at)) return;
      ours.clear();
      last = "";
      changed(shell.header.at);
    },
  };
}

/** A slider of a widget: it repaints while it moves and tells when it is let go. */
export function slide(el, label, { input: onInput, change: onChange }) {
  const input = el("input", { type: "range", min: 0, max: 1, step: 1, "aria-label": label });
  const output = el("output");
  input.addEventListener("input", () => onInput(Number(input.value)));
  input.addEventListener("change", () => onChange());
  const node = el("label", {}, el("span", { text: label }), input, output);
  const set = (value, most, text = String(value)) => {
    input.max = most;
    input.value = value;
    output.textContent = text;
    input.setAttribute("aria-valuetext", text);
  };
  return { node, set };
}
