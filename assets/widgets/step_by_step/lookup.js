// A soft dictionary: query, keys and values to set or drag, a temperature that follows the finger, both answers live.
import { define } from "../drawing/base.js";
import { el, format, percent } from "../drawing/elements.js";
import { either, formula } from "../drawing/formula.js";
import { flatten, lookUp, unflatten } from "./lookup_math.js";
import { Plane } from "./lookup_plane.js";
import { sized } from "../drawing/ngram_words.js";
import { STYLE } from "./lookup_style.js";
import { LookupTable } from "./lookup_table.js";
import { labels } from "./labels.js";

const RANGE = 400;

export default define((shell) => {
  let asked = null;
  let answer = null;
  let base = null;
  let row = 0;
  const heat = el("input", {
    type: "range",
    min: 0,
    max: RANGE,
    step: 1,
    "aria-label": labels("temperature"),
    "data-name": "Temperature",
  });
  const warm = el("output");
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
    el(
      "label",
      {},
      el("span", {}, labels("temperature_label"), el("span", { class: "gf-deep", text: " T" })),
      heat,
      warm,
    ),
    button(labels("coldest"), labels("coldest_hint"), () => shell.header.coldest),
    button("1", labels("softmax_hint"), () => 1),
    button(
      either(labels("as_attention"), "√d"),
      labels("as_attention_hint"),
      () => Math.round(Math.sqrt(shell.header.d_key) * 1e3) / 1e3,
    ),
    button(labels("hottest"), labels("hottest_hint"), () => shell.header.hottest),
    el("button", {
      class: "gf-solid",
      text: labels("reset"),
      onclick: () => {
        take(shell.header.default);
        refresh();
        tell();
      },
    }),
  );
  const table = new LookupTable({
    changed: (input) => refresh(input),
    done: () => tell(),
    look(s) {
      row = s;
      explain();
    },
  });
  const answers = el("div", { class: "lk-answers" });
  const story = el("p", { class: "gf-sentence" });
  const box = el("div", { class: "gf-formula" });
  const badge = el("div", { class: "gf-soft" });
  const set = (part, i, xy) => {
    const vector = part === "query" ? asked.query : asked[part][i];
    [vector[0], vector[1]] = xy;
  };
  const keyPlane = new Plane(labels("query_and_keys"), {
    drag: (i, xy) => {
      i < 0 ? set("query", 0, xy) : set("keys", i, xy);
      refresh();
    },
    drop: () => tell(),
  });
  const valuePlane = new Plane(labels("values_and_answers"), {
    drag: (i, xy) => {
      set("values", i, xy);
      refresh();
    },
    drop: () => tell(),
  });
  shell.body.append(
    controls,
    el("div", { class: "lk-planes" }, keyPlane.node, valuePlane.node, answers),
    story,
    table.node,
    table.problem,
    box,
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

  const told = new Set(); // numbers that come back from the server: those set here since must stay
  function tell() {
    const numbers = flatten(asked);
    told.add(String(numbers));
    shell.commit("numbers", { base, numbers });
  }
  function take(numbers) {
    asked = unflatten([...numbers], shell.header.d_key, shell.header.names.length);
  }

  /** Everything from the numbers; the field being typed into keeps its text. */
  function refresh(typing = null) {
    answer = lookUp(asked);
    table.show(answer, asked.temperature, typing);
    heat.value = toHeat(asked.temperature);
    warm.textContent = `${asked.temperature}`;
    heat.setAttribute("aria-valuetext", `${asked.temperature}`);
    const { names } = shell.header;
    const vector = (v) => `(${v.map((one) => format(one, 2)).join(", ")})`;
    const distance = Math.hypot(...answer.soft.map((v, i) => v - answer.hard[i]));
    const isTie = answer.best.length > 1;
    const best = answer.best.map((s) => names[s]).reduce((first, second) => labels("both", { first, second }));
    const share = percent(answer.weights[answer.best[0]]);
    story.textContent = labels(isTie ? "story_of_tie" : "story", { best, share });
    const line = (sign, title, v, text, limit = "") => [
      el("span", {}, el("b", { text: `${sign} ` }), title),
      el("span", { class: "gf-mono", text: vector(v) }),
      el("span", { class: "gf-soft" }, text, el("span", { class: "gf-deep", text: limit })),
    ];
    answers.replaceChildren(
      ...line("★", labels("soft"), answer.soft, labels("soft_told", { distance: format(distance, 2) })),
      ...line(
        "◯",
        labels("hard"),
        answer.hard,
        labels(isTie ? "tie" : "fits_best", { best }),
        labels(isTie ? "tie_limit" : "hard_limit"),
      ),
      ...line("×", labels("mean"), answer.mean, labels("mean_told"), labels("mean_limit")),
    );
    drawPlanes();
    explain();
  }

  function drawPlanes() {
    const { theme } = shell;
    const { names } = shell.header;
    const half = (shell.width - 40) / 2;
    const low = Math.max(200, shell.tall - 320 * theme.unit); // the table stands below
    const size = half < 200 ? Math.min(330, shell.width - 12) : Math.min(285, half, low);
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
      labels("query_fits", { name: names[answer.best[0]] }),
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
        { to: answer.mean.slice(0, 2), kind: "cross", label: labels("mean"), under: true, color: theme.soft },
        { to: answer.hard.slice(0, 2), kind: "ring", color: theme.text, width: 15 },
        { to: soft, kind: "star", label: labels("soft"), under: true, color: theme.accent, lines },
      ],
      size,
      theme,
      labels("soft_answer_at", { x: format(soft[0], 2), y: format(soft[1], 2) }),
    );
  }

  function explain() {
    const { names } = shell.header;
    const products = asked.query
      .map((q, i) => `${format(q, 2)}×${format(asked.keys[row][i], 2)}`)
      .join(" + ")
      .replaceAll("+ −", "− ");
    table.mark(row);
    const power = answer.shift ? labels("power_below_largest") : "e^(q·k/T)";
    box.replaceChildren(
      ...formula([
        ["", el("span", { translate: "no", text: names[row] }), "q · k ="],
        ["", products, format(answer.scores[row], 3)],
        ["→", power, format(answer.exps[row], 3)],
        ["/", labels("sum_of_entries"), format(answer.total, 3)],
        ["=", labels("weight"), format(answer.weights[row], 4), true],
        [
          "→",
          labels("adds_to_answer"),
          `(${asked.values[row].map((v) => format(v * answer.weights[row], 2)).join(", ")})`,
        ],
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
      ? labels(largest < 1e-4 ? "gets_same" : "gets_other", { largest: sized(largest) })
      : labels("computes_later");
  }

  return {
    update() {
      const h = shell.header;
      const isNews = String(h.numbers) !== String(shell.previous?.numbers) && !told.has(String(h.numbers));
      if (h.base === base && !isNews) return; // the fields own their numbers
      const isNew = base === null || h.d_key !== asked?.query.length;
      base = h.base;
      take(h.numbers);
      if (isNew) table.build(h, () => asked);
    },
    draw() {
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      refresh(table.focused());
    },
    table: () => ({
      columns: [labels("entry"), labels("key"), "q · k", labels("weight"), labels("value")],
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
