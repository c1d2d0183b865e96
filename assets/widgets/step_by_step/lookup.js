// A soft dictionary: query, keys and values to set or drag, a temperature that follows the finger, both answers live.
import { define } from "../drawing/base.js";
import { el, format, percent } from "../drawing/elements.js";
import { either, formula } from "../drawing/formula.js";
import { between, flatten, lookUp, told, unflatten } from "./lookup_math.js";
import { Plane } from "./lookup_plane.js";
import { sized } from "../drawing/ngram_words.js";
import { STYLE } from "./lookup_style.js";
import { LookupTable } from "./lookup_table.js";
import { labels } from "./labels.js";

const RANGE = 400;
const GLIDE = 240; // ms

export default define((shell) => {
  let asked = null;
  let shown = null; // what is asked, or a moment on the way to it
  let answer = null;
  let base = null;
  let row = 0;
  let moving = 0;
  const heat = el("input", {
    type: "range",
    min: 0,
    max: RANGE,
    step: 1,
    "aria-label": labels("temperature"),
    "data-name": "Temperature",
  });
  const warm = el("output");
  const preset = (text, title, numbers) =>
    el("button", { class: "gf-solid", title, onclick: () => glide(numbers()) }, ...[text].flat());
  const at = (temperature) => [temperature, ...flatten(asked).slice(1)];
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
    el(
      "span",
      { class: "lk-presets" },
      preset(labels("coldest"), labels("coldest_hint"), () => at(shell.header.coldest)),
      preset("1", labels("softmax_hint"), () => at(1)),
      preset(either(labels("as_attention"), "√d"), labels("as_attention_hint"), () =>
        at(Math.round(Math.sqrt(shell.header.d_key) * 1e3) / 1e3),
      ),
      preset(labels("hottest"), labels("hottest_hint"), () => at(shell.header.hottest)),
      preset(labels("reset"), null, () => shell.header.default),
    ),
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
  const drag = (part) => ({
    drag(i, [x, y]) {
      const vector = i < 0 ? asked.query : asked[part][i];
      [vector[0], vector[1]] = [x, y];
      refresh();
    },
    drop: () => tell(),
  });
  const keyPlane = new Plane(labels("query_and_keys"), drag("keys"));
  const valuePlane = new Plane(labels("values_and_answers"), drag("values"));
  const all = el("details", {}, el("summary", { text: labels("all_numbers") }));
  all.append(table.node, table.problem, answers, box, badge);
  shell.body.append(el("div", { class: "lk-planes" }, keyPlane.node, valuePlane.node), story, controls, all);

  const toHeat = (v) => {
    const { coldest, hottest } = shell.header;
    return (RANGE * Math.log(v / coldest)) / Math.log(hottest / coldest);
  };
  heat.addEventListener("input", () => {
    const { coldest, hottest } = shell.header;
    asked.temperature = Number((coldest * (hottest / coldest) ** (heat.value / RANGE)).toPrecision(2));
    refresh();
  });
  heat.addEventListener("change", () => tell());

  const sent = new Set(); // numbers that come back from the server: those set here since must stay
  function tell() {
    const numbers = flatten(asked);
    sent.add(String(numbers));
    shell.commit("numbers", { base, numbers });
  }
  function take(numbers) {
    asked = unflatten([...numbers], shell.header.d_key, shell.header.names.length);
  }

  /** To other numbers in one short move. */
  function glide(numbers) {
    const before = flatten(asked);
    take(numbers);
    tell();
    move(before);
  }
  function move(before) {
    const [target, began] = [asked, performance.now()];
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const tick = (now) => {
      const share = isStill ? 1 : Math.max(0, Math.min(1, (now - began) / GLIDE));
      if (asked !== target || share === 1) return refresh();
      moving = requestAnimationFrame(tick);
      show(unflatten(between(before, flatten(target), share), shell.header.d_key, shell.header.names.length));
    };
    cancelAnimationFrame(moving);
    tick(began);
  }

  /** Everything from the numbers; the field being typed into keeps its text. */
  function refresh(typing = null) {
    cancelAnimationFrame(moving);
    show(asked);
    table.show(answer, asked.temperature, typing);
    heat.value = toHeat(asked.temperature);
    warm.textContent = `${asked.temperature}`;
    heat.setAttribute("aria-valuetext", `${asked.temperature}`);
    story.textContent = told(answer, shell.header.names);
    tellAnswers();
    explain();
  }

  function show(numbers) {
    shown = numbers;
    answer = lookUp(shown);
    drawPlanes();
  }

  function tellAnswers() {
    const vector = (v) => `(${v.map((one) => format(one, 2)).join(", ")})`;
    const distance = Math.hypot(...answer.soft.map((v, i) => v - answer.hard[i]));
    const isTie = answer.best.length > 1;
    const best = answer.best
      .map((s) => shell.header.names[s])
      .reduce((first, second) => labels("both", { first, second }));
    const line = (title, v, text, limit = "") => [
      el("b", { text: title }),
      el("span", { class: "gf-mono", text: vector(v) }),
      el("span", { class: "gf-soft" }, text, el("span", { class: "gf-deep", text: limit })),
    ];
    answers.replaceChildren(
      ...line(labels("soft"), answer.soft, labels("soft_told", { distance: format(distance, 2) })),
      ...line(
        labels("hard"),
        answer.hard,
        labels(isTie ? "tie" : "fits_best", { best }),
        labels(isTie ? "tie_limit" : "hard_limit"),
      ),
      ...line(labels("mean"), answer.mean, labels("mean_told"), labels("mean_limit")),
    );
  }

  function drawPlanes() {
    const { theme, width } = shell;
    const { names } = shell.header;
    const isWide = width >= 560;
    const most = theme.presenting ? 0.6 * shell.tall : Math.min(290, shell.tall - 225); // the sentence stands below
    const size = isWide ? [Math.floor((width - 16) / 2), Math.round(Math.max(180, most))] : [width, 176];
    const colors = [0, 2, 3, 7].map((i) => theme.categorical[i]);
    const flat = (v) => v.slice(0, 2);
    const keys = shown.keys.map((key, s) => ({
      to: flat(key),
      kind: "arrow",
      name: names[s],
      share: percent(answer.weights[s]),
      color: colors[s],
      width: 1.5 + 7 * answer.weights[s],
      drag: s,
    }));
    const query = {
      to: flat(shown.query),
      kind: "arrow",
      name: labels("query"),
      color: theme.accent,
      width: 4,
      drag: -1,
    };
    keyPlane.draw([...keys, query], size, theme, labels("query_fits", { name: names[answer.best[0]] }));
    const soft = flat(answer.soft);
    const values = shown.values.map((value, s) => ({
      to: flat(value),
      kind: "dot",
      name: answer.best[0] === s ? "" : names[s],
      from: soft,
      color: colors[s],
      width: 4 + 8 * Math.sqrt(answer.weights[s]),
      drag: s,
    }));
    const first = values[answer.best[0]];
    const hard = { ...first, kind: "ring", name: labels("hard_at", { name: names[answer.best[0]] }), drag: undefined };
    Object.assign(hard, { color: theme.text, width: first.width + 5 });
    const lines = shown.values.map((v, s) => [v[0], v[1], 9 * answer.weights[s]]);
    const star = {
      to: soft,
      kind: "star",
      name: labels("soft"),
      from: flat(answer.mean),
      color: theme.text,
      width: 12,
      lines,
    };
    const at = labels("soft_answer_at", { x: format(soft[0], 2), y: format(soft[1], 2) });
    valuePlane.draw([...values, hard, star], size, theme, at);
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
      const isNews = String(h.numbers) !== String(shell.previous?.numbers) && !sent.has(String(h.numbers));
      if (h.base === base && !isNews) return; // the fields own their numbers
      const isNew = base === null || h.d_key !== asked?.query.length;
      if (base === null) all.open = getComputedStyle(shell.root).getPropertyValue("--gf-deep").trim() !== "none";
      base = h.base;
      take(h.numbers);
      if (isNew) table.build(h, () => asked);
    },
    draw() {
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      const isOther = shown && shown !== asked && shown.query.length === asked.query.length;
      if (isOther) move(flatten(shown));
      else refresh(table.focused());
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
      width: keyPlane.size[0] + valuePlane.size[0] + 36,
      height: keyPlane.size[1] + 34,
      paint(p) {
        [keyPlane, valuePlane].forEach((plane, i) =>
          p.shifted(8 + i * (keyPlane.size[0] + 20), 4, () => plane.paint(p)),
        );
        const text = { fill: shell.theme.text, size: 12, font: shell.theme.code };
        p.text(`T ${asked.temperature}`, 10, keyPlane.size[1] + 22, text);
      },
    }),
  };
}, STYLE);
