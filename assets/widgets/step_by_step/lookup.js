// A soft dictionary: query, keys and values to set or drag, a temperature that follows the finger, both answers live.
import { define } from "../drawing/base.js";
import { el, format } from "../drawing/elements.js";
import { either, formula } from "../drawing/formula.js";
import { flatten, lookUp, unflatten } from "./lookup_math.js";
import { Plane } from "./lookup_plane.js";
import { sized } from "../drawing/ngram_words.js";

const STYLE = `
.lk-table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; max-width: 62rem; }
.lk-table th { font-weight: 500; font-size: 0.75rem; color: var(--gf-soft); text-align: left; padding: 3px 8px; white-space: nowrap; }
.lk-table tbody th { font-size: 0.875rem; color: inherit; font-weight: 600; }
.lk-table td { padding: 3px 8px; font-family: var(--st-code-font); border-top: 1px solid var(--gf-wash); white-space: nowrap; height: 38px; }
.lk-table tbody th { border-top: 1px solid var(--gf-wash); }
.lk-table tr.at td, .lk-table tr.at th { background: var(--gf-wash); }
.lk-table tr.best th::after { content: " ◂ best"; color: var(--gf-accent); font-weight: 600; font-size: 0.75rem; }
.lk-table input { width: 3.6em; font: inherit; font-family: var(--st-code-font); color: inherit; background: var(--st-background-color); border: 1px solid var(--gf-line); border-radius: 5px; padding: 4px 3px; text-align: right; margin-right: 3px; }
.lk-table input[aria-invalid="true"] { border: 2px solid var(--gf-accent); }
.lk-table .bar { width: 34%; min-width: 84px; }
.lk-bar { display: flex; align-items: center; gap: 0.5rem; }
.lk-bar i { display: block; height: 18px; border-radius: 3px; background: var(--gf-fill); flex: none; }
.lk-bar > span:first-child { flex: 1; }
.lk-answers { display: grid; grid-template-columns: max-content max-content minmax(0, 1fr); gap: 0.25rem 1rem; margin: 0.7rem 0; align-items: baseline; }
.lk-answers .gf-mono { font-weight: 600; font-size: 1rem; }
.lk-answers b { color: var(--gf-accent); }
.lk-planes { display: flex; flex-wrap: wrap; gap: 1rem 2rem; margin: 0.6rem 0; }
.gf .lk-warm input[type="range"] { width: min(22rem, 60vw); }
.lk-problem { color: var(--gf-accent); font-weight: 600; min-height: 1.4em; }
@container (max-width: 620px) { .lk-table .opt { display: none; } .lk-table td, .lk-table th { padding: 3px; } .lk-table tbody th { font-size: 0.8125rem; } .lk-table input { width: 2.25rem; padding: 4px 2px; margin-right: 1px; } .lk-table .bar { min-width: 66px; } .lk-table td { font-size: 0.75rem; } .lk-bar { gap: 0.25rem; } .lk-answers { grid-template-columns: max-content 1fr; } .lk-answers .gf-soft { grid-column: 1 / -1; } .lk-table tr.best th::after { content: " ◂"; } }
`;
const RANGE = 400;

export default define((shell) => {
  let asked = null;
  let answer = null;
  let base = null;
  let row = 0;
  let inputs = [];
  let rows = [];
  const heat = el("input", { type: "range", min: 0, max: RANGE, step: 1, "aria-label": "Temperature" });
  const warm = el("output");
  const problem = el("div", { class: "lk-problem", role: "status" });
  const button = (text, title, value) =>
    el(
      "button",
      {
        class: "gf-solid",
        title,
        onclick: () => {
          asked.temperature = value();
          refresh();
          tell();
        },
      },
      ...[text].flat(),
    );
  const controls = el(
    "div",
    { class: "gf-controls lk-warm" },
    el("label", {}, el("span", {}, "temperature", el("span", { class: "gf-deep", text: " T" })), heat, warm),
    button("coldest", "Nearly hard lookup", () => shell.header.coldest),
    button("1", "The plain softmax", () => 1),
    button(
      either("as attention", "√d"),
      "What attention uses",
      () => Math.round(Math.sqrt(shell.header.d_key) * 1e3) / 1e3,
    ),
    button("hottest", "Nearly the mean", () => shell.header.hottest),
    el("button", {
      class: "gf-solid",
      text: "Reset",
      onclick: () => {
        take(shell.header.default);
        refresh();
        tell();
      },
    }),
  );
  const table = el("div", { class: "gf-scroll" });
  const answers = el("div", { class: "lk-answers" });
  const box = el("div", { class: "gf-formula" });
  const badge = el("div", { class: "gf-soft" });
  const set = (part, i, xy) => {
    const vector = part === "query" ? asked.query : asked[part][i];
    [vector[0], vector[1]] = xy;
  };
  const keyPlane = new Plane("Query and keys: drag an arrow", {
    drag: (i, xy) => {
      i < 0 ? set("query", 0, xy) : set("keys", i, xy);
      refresh();
    },
    drop: () => tell(),
  });
  const valuePlane = new Plane("Values and answers: drag a value", {
    drag: (i, xy) => {
      set("values", i, xy);
      refresh();
    },
    drop: () => tell(),
  });
  shell.body.append(
    controls,
    table,
    problem,
    answers,
    box,
    el("div", { class: "lk-planes" }, keyPlane.node, valuePlane.node),
    badge,
  );

  const toHeat = (v) => {
    const { coldest, hottest } = shell.header;
    return (RANGE * Math.log(v / coldest)) / Math.log(hottest / coldest);
  };
  const fromHeat = (v) => {
    const { coldest, hottest } = shell.header;
    const t = coldest * (hottest / coldest) ** (v / RANGE);
    return Number(t.toPrecision(2));
  };
  heat.addEventListener("input", () => {
    asked.temperature = fromHeat(Number(heat.value));
    refresh();
  });
  heat.addEventListener("change", () => tell());

  const tell = () => shell.commit("numbers", { base, numbers: flatten(asked) });
  function take(numbers) {
    asked = unflatten([...numbers], shell.header.d_key, shell.header.names.length);
  }

  /** One number of a vector: Enter or leaving the field takes it, Escape gives the old one back. */
  function field(label, read, write) {
    const input = el("input", { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": label });
    input.addEventListener("input", () => {
      if (valid(input)) {
        write(Number(clean(input)));
        refresh(input);
      }
    });
    input.addEventListener("change", () => {
      problem.textContent = "";
      if (valid(input)) tell();
      else {
        problem.textContent = `“${input.value.slice(0, 12)}” is not a number from −${shell.header.largest} to ${shell.header.largest}.`;
      }
      refresh();
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        refresh();
        problem.textContent = "";
        event.preventDefault();
      }
    });
    inputs.push({ input, read });
    return input;
  }
  const clean = (input) => input.value.trim().replace("−", "-").replace(",", ".");
  function valid(input) {
    const value = Number(clean(input));
    const isFine = clean(input) !== "" && Number.isFinite(value) && Math.abs(value) <= shell.header.largest;
    input.setAttribute("aria-invalid", String(!isFine));
    return isFine;
  }

  function build() {
    const { names, d_key: d } = shell.header;
    const all = [...Array(d).keys()];
    inputs = [];
    rows = names.map((name, s) => {
      const cells = { score: el("td"), exp: el("td", { class: "opt gf-deep" }), fill: el("i"), weight: el("span") };
      const tr = el(
        "tr",
        {},
        el("th", { scope: "row", text: name }),
        el(
          "td",
          {},
          ...all.map((i) =>
            field(
              `key of ${name}, number ${i}`,
              () => asked.keys[s][i],
              (v) => (asked.keys[s][i] = v),
            ),
          ),
        ),
        cells.score,
        cells.exp,
        el("td", { class: "bar" }, el("div", { class: "lk-bar" }, el("span", {}, cells.fill), cells.weight)),
        el(
          "td",
          {},
          ...all.map((i) =>
            field(
              `value of ${name}, number ${i}`,
              () => asked.values[s][i],
              (v) => (asked.values[s][i] = v),
            ),
          ),
        ),
      );
      for (const event of ["pointerenter", "focusin"]) {
        tr.addEventListener(event, () => {
          row = s;
          explain();
        });
      }
      return { tr, ...cells };
    });
    const query = el(
      "tr",
      {},
      el("th", { scope: "row" }, "query", el("span", { class: "gf-deep", text: " q" })),
      el(
        "td",
        {},
        ...all.map((i) =>
          field(
            `query, number ${i}`,
            () => asked.query[i],
            (v) => (asked.query[i] = v),
          ),
        ),
      ),
      el("td"),
      el("td", { class: "opt gf-deep" }),
      el("td", { class: "bar" }),
      el("td"),
    );
    const heads = [
      [""],
      either("key", "key k"),
      either("score", "q · k"),
      ["e^(q·k/T)"],
      either("weight", "weight w"),
      either("value", "value v"),
    ];
    table.replaceChildren(
      el(
        "table",
        { class: "lk-table" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ...heads.map((parts, i) =>
              el("th", { class: [null, null, null, "opt gf-deep", "bar"][i], scope: "col" }, ...parts),
            ),
          ),
        ),
        el("tbody", {}, query, ...rows.map((r) => r.tr)),
      ),
    );
  }

  /** Everything from the numbers; the field being typed into keeps its text. */
  function refresh(typing = null) {
    answer = lookUp(asked);
    for (const { input, read } of inputs) {
      if (input !== typing) {
        input.value = String(read()).replace("-", "−");
        input.setAttribute("aria-invalid", "false");
      }
    }
    heat.value = toHeat(asked.temperature);
    warm.textContent = `${asked.temperature}`;
    heat.setAttribute("aria-valuetext", `${asked.temperature}`);
    rows.forEach((r, s) => {
      r.score.textContent = format(answer.scores[s], 2);
      r.exp.textContent = answer.shift
        ? `e^${format((answer.scores[s] - answer.shift) / asked.temperature, 1)}`
        : format(answer.exps[s], 2);
      r.weight.textContent = format(answer.weights[s], 3);
      r.fill.style.width = `${(answer.weights[s] * 100).toFixed(2)}%`;
      r.tr.classList.toggle("best", answer.best.includes(s));
    });
    const { names } = shell.header;
    const vector = (v) => `(${v.map((one) => format(one, 2)).join(", ")})`;
    const distance = Math.hypot(...answer.soft.map((v, i) => v - answer.hard[i]));
    const tie =
      answer.best.length > 1
        ? `${answer.best.map((s) => names[s]).join(" and ")} fit equally well: hard lookup takes the first, soft lookup shares`
        : `all of “${names[answer.best[0]]}”, which fits best`;
    const line = (sign, title, v, text, limit = "") => [
      el("span", {}, el("b", { text: `${sign} ` }), title),
      el("span", { class: "gf-mono", text: vector(v) }),
      el("span", { class: "gf-soft" }, text, el("span", { class: "gf-deep", text: limit })),
    ];
    answers.replaceChildren(
      ...line("★", "soft", answer.soft, `every value by its weight; ${format(distance, 2)} away from the hard one`),
      ...line(
        "◯",
        "hard",
        answer.hard,
        tie,
        answer.best.length > 1 ? "; the limit T → 0" : ": its q · k is the largest; the limit T → 0",
      ),
      ...line("×", "mean", answer.mean, "all values alike", "; the limit T → ∞"),
    );
    drawPlanes();
    explain();
  }

  function drawPlanes() {
    const { theme } = shell;
    const { names } = shell.header;
    const size = Math.min(330, Math.max(230, (shell.width - 40) / 2 < 230 ? shell.width - 12 : (shell.width - 40) / 2));
    const color = (s) => theme.categorical[[0, 2, 3, 4][s]];
    const keys = asked.keys.map((k, s) => ({
      to: k.slice(0, 2),
      kind: "arrow",
      label: names[s],
      color: theme.text,
      width: 1.5 + 4 * answer.weights[s],
      drag: s,
    }));
    keyPlane.draw(
      [...keys, { to: asked.query.slice(0, 2), kind: "arrow", label: "q", color: theme.accent, width: 3.5, drag: -1 }],
      size,
      theme,
      `The query fits ${names[answer.best[0]]} best.`,
    );
    const soft = answer.soft.slice(0, 2);
    const values = asked.values.map((v, s) => ({
      to: v.slice(0, 2),
      kind: "dot",
      label: names[s],
      color: color(s),
      width: 4 + 8 * Math.sqrt(answer.weights[s]),
      drag: s,
    }));
    const lines = asked.values.map((v, s) => [v[0], v[1], 7 * answer.weights[s]]);
    valuePlane.draw(
      [
        ...values,
        { to: answer.mean.slice(0, 2), kind: "cross", label: "mean", under: true, color: theme.soft },
        { to: answer.hard.slice(0, 2), kind: "ring", color: theme.text, width: 15 },
        { to: soft, kind: "star", label: "soft", color: theme.accent, lines },
      ],
      size,
      theme,
      `The soft answer is at ${format(soft[0], 2)}, ${format(soft[1], 2)}.`,
    );
  }

  function explain() {
    const { names } = shell.header;
    const products = asked.query
      .map((q, i) => `${format(q, 2)}×${format(asked.keys[row][i], 2)}`)
      .join(" + ")
      .replaceAll("+ −", "− ");
    rows.forEach((r, s) => r.tr.classList.toggle("at", s === row));
    const power = answer.shift ? "e^((q·k − largest)/T)" : "e^(q·k/T)";
    box.replaceChildren(
      ...formula([
        ["", names[row], "q · k ="],
        ["", products, format(answer.scores[row], 3)],
        ["→", power, format(answer.exps[row], 3)],
        ["/", "Σ over all entries", format(answer.total, 3)],
        ["=", "weight", format(answer.weights[row], 4), true],
        ["→", "adds to the answer", `(${asked.values[row].map((v) => format(v * answer.weights[row], 2)).join(", ")})`],
      ]),
    );
    const theirs = shell.arrays;
    const same = JSON.stringify(shell.header.numbers) === JSON.stringify(flatten(asked));
    const largest = same
      ? Math.max(
          ...answer.weights.map((w, s) => Math.abs(w - theirs.weights.data[s])),
          ...answer.soft.map((v, i) => Math.abs(v - theirs.soft.data[i])),
        )
      : 0;
    badge.textContent = same
      ? `${largest < 1e-4 ? "✓ PyTorch gets the same" : "✗ PyTorch differs"}: largest difference ${sized(largest)}.`
      : "PyTorch computes it when you let go.";
  }

  return {
    update() {
      const h = shell.header;
      if (h.base === base) return; // the fields own their numbers
      const isNew = base === null || h.d_key !== asked?.query.length;
      base = h.base;
      take(h.numbers);
      if (isNew) build();
    },
    draw() {
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      refresh(inputs.find(({ input }) => input.matches(":focus"))?.input);
    },
    table: () => ({
      columns: ["entry", "key", "q · k", "weight", "value"],
      rows: shell.header.names.map((name, s) => [
        name,
        asked.keys[s].join(", "),
        answer.scores[s],
        answer.weights[s],
        asked.values[s].join(", "),
      ]),
    }),
    picture: () => ({
      width: keyPlane.size + valuePlane.size + 36,
      height: keyPlane.size + 34,
      paint(p) {
        [keyPlane, valuePlane].forEach((plane, i) => p.shifted(8 + i * (keyPlane.size + 20), 4, () => plane.paint(p)));
        p.text(
          `T ${asked.temperature}   ${shell.header.names.map((name, s) => `${name} ${format(answer.weights[s], 2)}`).join("   ")}`,
          10,
          keyPlane.size + 22,
          { fill: shell.theme.text, size: 12, font: shell.theme.code },
        );
      },
    }),
  };
}, STYLE);
