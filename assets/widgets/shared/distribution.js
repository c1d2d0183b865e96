// The next-token distribution with temperature, top-k and top-p that follow the finger.
import { grouped } from "../page/numbers.js";
import { chance, clamp, el, format } from "../drawing/elements.js";
import { formula } from "../drawing/formula.js";
import { CUT_BY_K, distribution, entropy, KEPT, ranking, softmax } from "../drawing/sampling.js";
import { table } from "../drawing/table.js";
import { short, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { STYLE } from "./distribution_style.js";
import { terms } from "./distribution_terms.js";
import { doubleBar } from "./double_bar.js";
import { labels } from "./labels.js";

const TABLE_ROWS = 500;
const TOP_K_STEPS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000];
const OFF = { temperature: 1, top_k: 0, top_p: 1 };
const HEADS = [
  [labels("token")],
  [labels("logit"), "opt gf-deep"],
  [labels("before"), ""],
  [labels("is_kept"), "opt"],
  [labels("after"), ""],
];

/** @type {WeakMap<any, Map<number, {z: any, order: Uint32Array, before: Float64Array}>>} */
const sorted = new WeakMap();

/** The logits of a position, ranked: of a large vocabulary that takes a while. */
function ranked({ data, shape: [, V] }, position) {
  const known = sorted.get(data) ?? sorted.set(data, new Map()).get(data);
  if (!known.has(position)) {
    const z = data.subarray(position * V, (position + 1) * V);
    known.set(position, { z, order: ranking(z), before: softmax(z) });
  }
  return known.get(position);
}

export default picture(
  (h, { logits }, { shell, state: settings, set }) => {
    const [nPosition, V] = logits.shape;
    const position = clamp(settings.position, 0, nPosition - 1);
    const topK = settings.top_k < V ? settings.top_k : 0;
    const { temperature, top_p: topP } = settings;
    const { z, order, before } = ranked(logits, position);
    const now = distribution(z, { temperature, topK, topP }, order);
    const steps = [...new Set([...TOP_K_STEPS, topK])].filter((k) => k > 0 && k < V).sort((a, b) => a - b);
    const kSteps = [...steps, 0];
    const things = [...order.slice(0, h.n_shown)];
    const top = Math.max(before[order[0]], now.after[order[0]]);
    const full = [0.05, 0.1, 0.2, 0.5, 1].find((v) => v >= top - 1e-9) ?? 1;
    const isOne = nPosition < 2;

    /** `given` says what Python had asked for then: a setting that Python changes later counts again. */
    const tell = (all) => shell.commit("settings", { ...all, given: h.settings });
    function change(changes) {
      const all = { ...settings, position, ...changes };
      set(all);
      if (h.chooses) tell(all); // the browser answers at once
    }
    function restart() {
      set({ ...settings, ...OFF });
      tell({ ...settings, ...OFF });
    }
    const slider = (label, key, read, more) => ({
      label,
      key,
      ...more,
      change: (v) => change(read(v)),
      release: () => tell(settings),
    });

    function foot() {
      const sum = (shares) => things.reduce((all, t) => all + shares[t], 0);
      const [n, was, is] = [V - things.length, 1 - sum(before), Math.max(0, 1 - sum(now.after))];
      if (n <= 0) return "";
      const tokens = grouped(n);
      return labels("other_tokens", { tokens, before: format(was, 4), after: format(is, 4) });
    }

    const chips = (h.context ?? []).map((token, i) =>
      el("span", {
        translate: "no",
        text: visible(token),
        title: labels("position_of_token", { position: i }),
        class: i === position ? "on" : i > position ? "later" : null,
        onclick() {
          change({ position: i });
          tell({ ...settings, position: i });
        },
      }),
    );
    return {
      things,
      layout: "gf-dist-stage",
      draw(t) {
        const isCut = now.cut[t] !== KEPT;
        const bar = doubleBar();
        bar.show(before[t], now.after[t], full);
        const came = t === h.chosen ? [" ◂", el("span", { class: "opt", text: ` ${labels("came")}` })] : [];
        const kept = isCut ? labels(now.cut[t] === CUT_BY_K ? "cut_by_k" : "cut_by_p") : "✓";
        return el(
          "tr",
          { class: isCut ? "cut" : null },
          el(
            "td",
            { title: labels("id_of_token", { id: t }) },
            el("bdi", { translate: "no", text: short(h.tokens[t], 18) }),
            ...came,
          ),
          el("td", { class: "opt gf-deep", text: format(z[t], 2) }),
          el("td", { text: chance(before[t], 4) }),
          el("td", { class: "opt", text: kept }),
          el("td", { text: isCut ? "0" : chance(now.after[t], 4) }),
          bar.cell,
        );
      },
      arrange(rows) {
        const heads = [...HEADS, [labels("bar_range", { full }), "bar"]];
        const whole = table(
          heads.map(([text, kind]) => el("th", { text, class: kind, scope: "col" })),
          rows,
          { class: "gf-dist" },
        );
        whole.append(el("tfoot", {}, el("tr", { class: "rest" }, el("td", { colspan: 6, text: foot() }))));
        return [whole];
      },
      mark: (stage, place) =>
        stage.querySelectorAll("tbody tr").forEach((row, i) => row.classList.toggle("on", i === (place ?? 0))),
      said: (t) => [
        el("div", { class: "gf-formula" }, ...formula(terms(h.tokens[t], t, z, temperature, z[order[0]], now))),
      ],
      chosen: 0,
      reset: restart,
      label: h.takeaway,
      note: labels("settings", {
        temperature: format(temperature, 2),
        top_k: topK || labels("off"),
        top_p: topP < 1 ? format(topP, 2) : labels("off"),
        kept: now.nKept,
      }),
      controls: [
        slider(labels("temperature"), "Temperature", (v) => ({ temperature: v }), {
          min: 0,
          max: Math.max(2.5, temperature),
          step: 0.05,
          value: temperature,
          shown: temperature ? format(temperature, 2) : labels("greedy"),
        }),
        slider(labels("top_k"), "Top-k", (i) => ({ top_k: kSteps[i] }), {
          min: 0,
          max: kSteps.length - 1,
          value: kSteps.indexOf(topK),
          shown: topK ? `${topK}` : labels("off"),
        }),
        slider(labels("top_p"), "Top-p", (v) => ({ top_p: v }), {
          min: 0.02,
          max: 1,
          step: 0.01,
          value: topP,
          shown: topP < 1 ? format(topP, 2) : labels("off"),
        }),
        slider(labels("position"), "Position", (v) => ({ position: v }), {
          min: 0,
          max: nPosition - 1,
          value: position,
          hidden: isOne,
        }),
        { text: labels("reset"), act: restart },
      ],
      first: [
        ...(isOne || !h.context ? [] : [el("div", { class: "gf-soft", text: labels("which_prediction") })]),
        ...(isOne || !h.context ? [] : [el("div", { class: "gf-context" }, ...chips)]),
        el(
          "div",
          { class: "gf-readout" },
          ...labels.parts("kept_of_all", {
            kept: el("b", { text: grouped(now.nKept) }),
            all: grouped(V),
          }),
          el(
            "span",
            { class: "gf-deep" },
            "  ·  ",
            ...labels.parts("entropy", {
              entropy: el("b", { text: format(entropy(now.after), 2) }),
              before: format(entropy(before), 2),
              blind: format(Math.log(V), 2),
            }),
          ),
        ),
      ],
      columns: ["token", "id", "logit", "before", "kept", "after"].map((one) => labels(one)),
      rows: Array.from(order.slice(0, TABLE_ROWS), (t) => {
        const kept = labels(["yes", "cut_by_k", "cut_by_p"][now.cut[t]]);
        return [visible(h.tokens[t]), String(t), z[t], before[t], kept, now.after[t]];
      }),
    };
  },
  {
    style: STYLE,
    // A setting from Python wins only when Python changed it: the sliders own their values in between.
    state(h, old, before) {
      const news = Object.entries(h.settings).filter(([name, value]) => value !== before?.settings?.[name]);
      return { ...old, ...Object.fromEntries(news) };
    },
  },
);
