// The truth badge below a matrix: which tensor a cell is from, which line made it, and what a second pass says of it.
import { el, format, grouped } from "../drawing/elements.js";
import { withModifier } from "../drawing/input.js";
import { sized } from "../drawing/ngram_words.js";
import { fetchWeights } from "../engine/fetch_weights.js";
import { forward } from "../engine/forward.js";
import { labels } from "./labels.js";

/** The cell's place in the tensor: [2, 5, 3], or [2, query, key] while none is pointed at. */
export function place({ index, rows, columns }, at, words) {
  const row = at ? (rows?.[at[0]] ?? at[0]) : words[0];
  const column = at ? (columns?.[at[1]] ?? at[1]) : words[1];
  return `[${index.map((one) => ({ row, column })[one] ?? one).join(", ")}]`;
}

/** Which model: name, step, seed, as far as they are known. */
export function maker(badge) {
  return [
    badge.model,
    badge.step === null ? null : labels("step", { step: grouped(badge.step) }),
    badge.seed === null ? null : labels("seed", { seed: badge.seed }),
  ]
    .filter(Boolean)
    .join(", ");
}

const exact = (v) => sized(v).replaceAll(" ", "\u00a0"); // never broken between lines

/** What the second pass says: of the cell, if there is one and it is not empty, and of the whole tensor. */
export function verdict(found, cell) {
  const all = labels(found.is_all ? "largest_of_tensor" : "largest_shown", {
    numbers: grouped(found.n_number),
    largest: exact(found.largest),
  });
  if (!cell) return labels("recomputed", { all });
  const [again, shown] = [cell.again, cell.shown].map((v) => format(v, 7));
  return labels("recomputed_cell", { again, shown, difference: exact(Math.abs(cell.difference)), all });
}

/** Where a cell lies in its tensor, as one number. */
export function placeInTensor({ index, rows, columns, shape }, [r, c]) {
  const at = { row: rows?.[r] ?? r, column: columns?.[c] ?? c };
  return index.reduce((sum, one, axis) => sum * shape[axis] + (at[one] ?? one), 0);
}

/** The tensor once more, computed here: the cells that are shown, and their largest difference. */
async function computedHere(badge, { again, difference }) {
  const { url, config, ids, mask } = badge.found.browser;
  const given = { ids, mask: mask && Uint8Array.from(mask) };
  const keep = (name) => name === badge.tensor;
  const { data } = forward({ config, weights: await fetchWeights(url) }, given, { keep }).get(badge.tensor);
  const nColumn = again.shape[1];
  const values = Float32Array.from(
    again.data,
    (_, i) => data[placeInTensor(badge, [Math.floor(i / nColumn), i % nColumn])],
  );
  const off = values.map((v, i) => Math.abs(v - (again.data[i] - difference.data[i])));
  return { token: badge.token, nColumn, values, largest: off.reduce((most, v) => (v > most ? v : most), 0) };
}

/** The badge of one matrix. `ask(token)` tells the server; `say(text)` a screen reader. */
export class Badge {
  constructor({ ask, say }) {
    this.ask = ask;
    this.say = say;
    this.button = el(
      "button",
      {
        class: "gf-solid gf-badge-toggle",
        "aria-expanded": "false",
        title: labels("number_origin_hint"),
        onclick: () => this.toggle(),
      },
      labels("number_origin_question"),
    );
    this.rows = el("dl");
    this.check = el("button", {
      class: "gf-solid",
      text: labels("recompute"),
      onclick: () => this.recompute(),
    });
    this.told = el("p", { "aria-live": "polite" });
    this.third = el("p");
    this.panel = el(
      "div",
      { class: "gf-badge", hidden: true, role: "group", "aria-label": labels("number_origin") },
      this.rows,
      el("div", { class: "gf-badge-check" }, this.check, this.told),
      this.third,
    );
    this.node = el("div", { hidden: true }, this.button, this.panel);
  }

  /** On this picture the key B opens it. */
  hear(stage) {
    stage.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "b" || withModifier(event) || !this.badge) return;
      this.toggle();
      event.preventDefault();
    });
  }

  toggle(open = this.panel.hidden) {
    this.panel.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    this.show(this.cell);
  }

  recompute() {
    if (this.waits || !this.badge?.can) return;
    this.waits = this.badge.token;
    this.show(this.cell);
    this.ask(this.badge.token);
  }

  /** What the matrix shows from now on; without a badge, nothing is drawn. */
  set(badge, words, isHidden, arrays = null) {
    if (badge?.found?.browser && arrays?.again && this.here?.token !== badge.token) {
      computedHere(badge, arrays)
        .then((here) => {
          this.here = here;
          this.show(this.cell);
        })
        .catch((error) => console.error(error)); // two computations stand there all the same
    }
    this.node.hidden = !badge || isHidden;
    this.badge = badge;
    this.words = words;
    if (this.waits && (badge?.found || badge?.failed || badge?.token !== this.waits)) {
      if (badge?.found) this.say(verdict(badge.found));
      this.waits = null;
    }
  }

  /** The cell under the pointer: {at, shown, again, difference}, or null. */
  show(cell) {
    this.cell = cell;
    const { badge } = this;
    if (!badge || this.panel.hidden) return;
    const row = (name, ...what) => [el("dt", { text: name }), el("dd", {}, ...what)];
    const code = (text) => el("code", { text });
    const number = code(`${badge.tensor}${place(badge, cell?.at, this.words)}`);
    this.rows.replaceChildren(
      ...row(labels("number"), ...labels.parts("number_of_shape", { number, shape: badge.shape.join(" × ") })),
      ...row(labels("model"), maker(badge)),
      ...row(labels("made_by"), code(badge.place), " ", code(badge.line)),
    );
    this.check.hidden = !badge.can || Boolean(badge.found);
    this.check.disabled = Boolean(this.waits);
    const value = badge.found && cell?.again !== undefined && !Number.isNaN(cell.again) ? cell : null;
    this.told.textContent = this.waits
      ? labels("recomputing")
      : (badge.failed ??
        (badge.found ? verdict(badge.found, value) : badge.can ? labels("recompute_hint") : badge.why_not));
    const { here } = this;
    this.third.hidden = !badge.found || here?.token !== badge.token;
    if (this.third.hidden) return;
    const largest = exact(here.largest);
    this.third.textContent = value
      ? labels("third_cell", { value: format(here.values[value.at[0] * here.nColumn + value.at[1]], 7), largest })
      : labels("third", { largest });
  }
}

export const BADGE_STYLE = `
.gf-badge-toggle { margin-top: 0.55rem; }
.gf.presenting .gf-badge-toggle[aria-expanded="false"] { display: none; }
.gf-badge { margin-top: 0.4rem; padding: 0.6rem 0.8rem; background: var(--gf-panel); border-radius: 6px; font-size: 0.8125rem; }
.gf-badge dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.25rem 0.9rem; margin: 0 0 0.5rem; }
.gf-badge dt { color: var(--gf-soft); }
.gf-badge dd { margin: 0; overflow-wrap: anywhere; }
.gf-badge code { font-family: var(--st-code-font); }
.gf-badge-check { display: flex; gap: 0.7rem; align-items: baseline; }
.gf-badge > p { margin: 0.3rem 0 0; font-variant-numeric: tabular-nums; }
.gf-badge-check p { margin: 0; font-variant-numeric: tabular-nums; min-height: 1.45em; }
.gf-badge-check button { flex: none; }
@container (max-width: 480px) { .gf-badge dl { grid-template-columns: minmax(0, 1fr); gap: 0; } .gf-badge dd { margin-bottom: 0.4rem; } .gf-badge-check { flex-direction: column; } }
`;
