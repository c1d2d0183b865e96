// The soft dictionary as a table: query, keys and values in fields to type into, and what comes of each entry.
import { el, format } from "../drawing/elements.js";
import { either } from "../drawing/formula.js";
import { row, table } from "../drawing/table.js";
import { labels } from "./labels.js";

const COLUMNS = [null, null, null, "opt gf-deep", "bar"];
const clean = (input) => input.value.trim().replace("−", "-").replace(",", ".");

export class LookupTable {
  node = el("div", { class: "gf-scroll" });
  problem = el("div", { class: "lk-problem", role: "status" });
  fields = [];
  rows = [];

  /** changed(input): a field holds another number; done(): it was left; look(s): entry s is looked at. */
  constructor({ changed, done, look }) {
    this.changed = changed;
    this.done = done;
    this.look = look;
  }

  /** Fields for the numbers of `asked()`; largest: what a number may be. */
  build({ names, d_key: d, largest }, asked) {
    this.fields = [];
    this.largest = largest;
    const vector = (label, name, of) =>
      el(
        "td",
        {},
        ...Array.from({ length: d }, (_, i) =>
          this.field(
            labels(label, { name, number: i }),
            () => of()[i],
            (v) => (of()[i] = v),
          ),
        ),
      );
    this.rows = names.map((name, s) => {
      const cells = { score: el("td"), exp: el("td", { class: COLUMNS[3] }), fill: el("i"), weight: el("span") };
      const bar = el("div", { class: "lk-bar" }, el("span", {}, cells.fill), cells.weight);
      const key = vector("number_of_key", name, () => asked().keys[s]);
      const value = vector("number_of_value", name, () => asked().values[s]);
      const th = el("th", { scope: "row", translate: "no", text: name });
      const tr = row([th, key, cells.score, cells.exp, el("td", { class: "bar" }, bar), value]);
      for (const event of ["pointerenter", "focusin"]) tr.addEventListener(event, () => this.look(s));
      return { tr, ...cells };
    });
    const title = el("th", { scope: "row" }, labels("query"), el("span", { class: "gf-deep", text: " q" }));
    const empty = [null, "opt gf-deep", "bar", null].map((look) => el("td", { class: look }));
    const query = row([title, vector("number_of_query", "", () => asked().query), ...empty]);
    const heads = [
      [""],
      either(labels("key"), labels("key_k")),
      either(labels("score"), "q · k"),
      ["e^(q·k/T)"],
      either(labels("weight"), labels("weight_w")),
      either(labels("value"), labels("value_v")),
    ].map((parts, i) => el("th", { class: COLUMNS[i], scope: "col" }, ...parts));
    this.node.replaceChildren(table(heads, [query, ...this.rows.map((r) => r.tr)], { class: "lk-table" }));
  }

  /** One number of a vector: Enter or leaving the field takes it, Escape gives the old one back. */
  field(label, read, write) {
    const input = el("input", { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": label });
    input.addEventListener("input", () => {
      if (!this.isValid(input)) return;
      write(Number(clean(input)));
      this.changed(input);
    });
    input.addEventListener("change", () => {
      const isFine = this.isValid(input);
      const text = input.value.slice(0, 12);
      this.problem.textContent = isFine ? "" : labels("bad_number", { text, largest: this.largest });
      if (isFine) this.done();
      this.changed(null);
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.changed(null);
      this.problem.textContent = "";
      event.preventDefault();
    });
    this.fields.push({ input, read });
    return input;
  }

  isValid(input) {
    const value = Number(clean(input));
    const isFine = clean(input) !== "" && Number.isFinite(value) && Math.abs(value) <= this.largest;
    input.setAttribute("aria-invalid", String(!isFine));
    return isFine;
  }

  /** The field that has the focus, if one has. */
  focused() {
    return this.fields.find(({ input }) => input.matches(":focus"))?.input;
  }

  /** The numbers and what came of them; the field being typed into keeps its text. */
  show(answer, temperature, typing) {
    for (const { input, read } of this.fields) {
      if (input === typing) continue;
      input.value = String(read()).replace("-", "−");
      input.setAttribute("aria-invalid", "false");
    }
    this.rows.forEach((r, s) => {
      r.score.textContent = format(answer.scores[s], 2);
      r.exp.textContent = answer.shift
        ? `e^${format((answer.scores[s] - answer.shift) / temperature, 1)}`
        : format(answer.exps[s], 2);
      r.weight.textContent = format(answer.weights[s], 3);
      r.fill.style.width = `${(answer.weights[s] * 100).toFixed(2)}%`;
      r.tr.classList.toggle("best", answer.best.includes(s));
    });
  }

  mark(at) {
    this.rows.forEach((r, s) => r.tr.classList.toggle("at", s === at));
  }
}
