// The next-token distribution with temperature, top-k and top-p that follow the finger.
import { define } from "../drawing/base.js";
import { chance, clamp, el, format } from "../drawing/elements.js";
import { formula } from "../drawing/formula.js";
import { CUT_BY_K, distribution, entropy, KEPT, ranking, softmax } from "../drawing/sampling.js";
import { short, visible } from "../drawing/tokens.js";
import { STYLE } from "./distribution_style.js";
import { doubleBar } from "./double_bar.js";
import { terms } from "./distribution_terms.js";

const TABLE_ROWS = 500;
const TOP_K_STEPS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000];

export default define((shell) => {
  const controls = el("div", { class: "gf-controls" });
  const summary = el("div", { class: "gf-readout" });
  const formulaBox = el("div", { class: "gf-formula" });
  const head = el(
    "tr",
    {},
    ...[["token"], ["logit", "opt gf-deep"], ["before", ""], ["kept?", "opt"], ["after", ""], ["bar", "bar"]].map(
      ([text, c]) => el("th", { text, class: c, scope: "col" }),
    ),
  );
  const body = el("tbody");
  const rest = el("td", { colspan: 6 });
  const table = el(
    "table",
    { class: "gf-dist", tabindex: 0 },
    el("thead", {}, head),
    body,
    el("tfoot", {}, el("tr", { class: "rest" }, rest)),
  );
  const context = el("div", { class: "gf-context" });
  const contextTitle = el("div", { class: "gf-soft", text: "The prediction after which token?" });
  shell.body.append(contextTitle, context, controls, summary, table, formulaBox);

  const settings = {};
  let kSteps = [];
  let order = null;
  let before = null;
  let now = null;
  let rows = [];
  let hovered = 0;
  let shownPosition = -1;
  const sliders = {};

  /** One slider: it repaints while it moves and tells Python when it is let go. */
  function slide(name, label, limits, read, write, print) {
    const input = el("input", { type: "range", ...limits, "aria-label": label });
    const output = el("output");
    input.addEventListener("input", () => {
      settings[name] = read(Number(input.value));
      recompute();
      if (shell.header.chooses) tell(); // the browser answers at once
    });
    input.addEventListener("change", () => tell());
    sliders[name] = () => {
      input.value = write(settings[name]);
      output.textContent = print(settings[name]);
      input.setAttribute("aria-valuetext", output.textContent);
    };
    return Object.assign(el("label", {}, el("span", { text: label }), input, output), { input });
  }
  const temperatureSlider = slide(
    "temperature",
    "Temperature",
    { min: 0, max: 2.5, step: 0.05 },
    (v) => v,
    (v) => v,
    (v) => (v ? format(v, 2) : "greedy"),
  );
  const kSlider = slide(
    "top_k",
    "Top-k",
    { min: 0, step: 1 },
    (i) => kSteps[i],
    (k) => kSteps.indexOf(k),
    (k) => (k ? `${k}` : "off"),
  );
  const positionSlider = slide(
    "position",
    "Position",
    { min: 0, step: 1 },
    (v) => v,
    (v) => v,
    (v) => `${v}`,
  );
  const reset = el("button", { class: "gf-solid", text: "Reset", onclick: restart });
  controls.append(
    temperatureSlider,
    kSlider,
    slide(
      "top_p",
      "Top-p",
      { min: 0.02, max: 1, step: 0.01 },
      (v) => v,
      (v) => v,
      (v) => (v < 1 ? format(v, 2) : "off"),
    ),
    positionSlider,
    reset,
  );

  /** `given` says what Python had asked for then: a setting that Python changes later counts again. */
  const tell = () => shell.commit("settings", { ...settings, given: shell.header.settings });

  function restart() {
    Object.assign(settings, { temperature: 1, top_k: 0, top_p: 1 });
    recompute();
    tell();
  }

  context.addEventListener("click", (event) => {
    const node = event.target.closest("[data-i]");
    if (!node) return;
    settings.position = Number(node.dataset.i);
    recompute();
    tell();
  });
  body.addEventListener("pointerover", (event) => {
    const tr = event.target.closest("tr");
    if (tr) point(rows.findIndex((r) => r.tr === tr));
  });
  table.addEventListener("keydown", (event) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) {
      point(clamp(hovered + move, 0, rows.length - 1));
      shell.say(`${visible(shell.header.tokens[order[hovered]])}: ${chance(now.after[order[hovered]], 4)}`);
    } else if (event.key === "Escape") restart();
    else return;
    event.preventDefault();
  });

  const logits = () => {
    const [, V] = shell.arrays.logits.shape;
    return shell.arrays.logits.data.subarray(settings.position * V, (settings.position + 1) * V);
  };

  function recompute() {
    const h = shell.header;
    const z = logits();
    if (shownPosition !== settings.position || !order) {
      [order, before, shownPosition] = [ranking(z), softmax(z), settings.position];
      buildRows();
    }
    now = distribution(z, { temperature: settings.temperature, topK: settings.top_k, topP: settings.top_p }, order);
    for (const refresh of Object.values(sliders)) refresh();
    const top = Math.max(before[order[0]], now.after[order[0]]);
    const full = [0.05, 0.1, 0.2, 0.5, 1].find((v) => v >= top - 1e-9) ?? 1;
    head.lastChild.textContent = `bar: 0 to ${full}`;
    let [shownBefore, shownAfter] = [0, 0];
    rows.forEach(({ tr, cells, bar }, i) => {
      const t = order[i];
      const isCut = now.cut[t] !== KEPT;
      shownBefore += before[t];
      shownAfter += now.after[t];
      cells[3].textContent = isCut ? (now.cut[t] === CUT_BY_K ? "cut by k" : "cut by p") : "✓";
      cells[4].textContent = isCut ? "0" : chance(now.after[t], 4);
      tr.classList.toggle("cut", isCut);
      bar.show(before[t], now.after[t], full);
    });
    const V = z.length;
    const others = V - rows.length;
    rest.textContent =
      others > 0
        ? `… and ${others.toLocaleString("en")} more tokens, together ${format(1 - shownBefore, 4)} before, ${format(Math.max(0, 1 - shownAfter), 4)} after`
        : "";
    summary.replaceChildren(
      "kept ",
      el("b", { text: now.nKept.toLocaleString("en") }),
      ` of ${V.toLocaleString("en")} tokens`,
      el(
        "span",
        { class: "gf-deep" },
        "  ·  entropy ",
        el("b", { text: format(entropy(now.after), 2) }),
        ` nats (before ${format(entropy(before), 2)}, blind guess ${format(Math.log(V), 2)})`,
      ),
    );
    [...context.children].forEach((node, i) => {
      node.classList.toggle("on", i === settings.position);
      node.classList.toggle("later", i > settings.position);
    });
    table.setAttribute("aria-label", h.takeaway);
    explain();
  }

  function buildRows() {
    const h = shell.header;
    const z = logits();
    rows = Array.from(order.slice(0, h.n_shown), (t) => {
      const bar = doubleBar();
      const cells = [
        el(
          "td",
          { title: `id ${t}` },
          el("bdi", { text: short(h.tokens[t], 18) }),
          t === h.chosen ? " ◂" : "",
          t === h.chosen ? el("span", { class: "opt", text: " came" }) : "",
        ),
        el("td", { class: "opt gf-deep", text: format(z[t], 2) }),
        el("td", { text: chance(before[t], 4) }),
        el("td", { class: "opt" }),
        el("td"),
        bar.cell,
      ];
      return { tr: el("tr", {}, ...cells), cells, bar };
    });
    body.replaceChildren(...rows.map((r) => r.tr));
    hovered = 0;
    rows[0].tr.classList.add("on");
  }

  function point(i) {
    if (i < 0 || i === hovered) return;
    rows[hovered]?.tr.classList.remove("on");
    rows[(hovered = i)].tr.classList.add("on");
    explain();
  }

  function explain() {
    const t = order[hovered];
    const z = logits();
    const name = shell.header.tokens[t];
    formulaBox.replaceChildren(...formula(terms(name, t, z, settings.temperature, z[order[0]], now)));
  }

  return {
    update() {
      const h = shell.header;
      const [nPosition, V] = shell.arrays.logits.shape;
      // A setting from Python wins only when Python changed it: the sliders own their values in between.
      for (const [name, value] of Object.entries(h.settings)) {
        if (value !== shell.previous?.settings?.[name]) settings[name] = value;
      }
      controls.toggleAttribute("data-chooses", Boolean(h.chooses)); // they stand in the address as choices
      settings.position = clamp(settings.position, 0, nPosition - 1);
      kSteps = [...new Set([...TOP_K_STEPS, settings.top_k])]
        .filter((k) => k > 0 && k < V)
        .sort((a, b) => a - b)
        .concat(0);
      if (settings.top_k >= V) settings.top_k = 0;
      temperatureSlider.input.max = Math.max(2.5, settings.temperature);
      kSlider.input.max = kSteps.length - 1;
      positionSlider.input.max = nPosition - 1;
      positionSlider.hidden = contextTitle.hidden = nPosition < 2;
      context.hidden = nPosition < 2 || !h.context;
      contextTitle.hidden = context.hidden;
      context.replaceChildren(
        ...(h.context ?? []).map((t, i) => el("span", { text: visible(t), "data-i": i, title: `position ${i}` })),
      );
      order = null;
    },
    draw() {
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      recompute();
    },
    table() {
      const h = shell.header;
      const z = logits();
      const why = ["yes", "cut by k", "cut by p"];
      return {
        columns: ["token", "id", "logit", "before", "kept", "after"],
        rows: Array.from(order.slice(0, TABLE_ROWS), (t) => [
          visible(h.tokens[t]),
          String(t),
          z[t],
          before[t],
          why[now.cut[t]],
          now.after[t],
        ]),
      };
    },
    picture: () => ({
      width: 620,
      height: 44 + rows.length * 22,
      paint(p) {
        const h = shell.header;
        const { theme } = shell;
        const mono = { fill: theme.text, size: 12, font: theme.code };
        p.text(
          `temperature ${format(settings.temperature, 2)}  top-k ${settings.top_k || "off"}  top-p ${settings.top_p < 1 ? format(settings.top_p, 2) : "off"}  kept ${now.nKept}`,
          10,
          16,
          { ...mono, fill: theme.soft },
        );
        const full = Math.max(before[order[0]], now.after[order[0]]);
        rows.forEach((_, i) => {
          const t = order[i];
          const y = 44 + i * 22;
          p.text(short(h.tokens[t], 18), 10, y, mono);
          p.text(chance(now.after[t], 4), 210, y, { ...mono, align: "right" });
          if (now.after[t]) {
            p.rect(224, y - 7, (now.after[t] / full) * 380, 14, { fill: theme.categorical[0], radius: 2 });
          }
          p.rect(224, y - 7, (before[t] / full) * 380, 14, {
            stroke: theme.soft,
            radius: 2,
            dash: now.cut[t] ? [3, 2] : [],
          });
        });
      },
    }),
  };
}, STYLE);
