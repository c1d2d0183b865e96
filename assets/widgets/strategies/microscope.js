// One step under a microscope: logits, each knob, the distribution, and the random number that picks the token.
import { define } from "../drawing/base.js";
import { chance, clamp, el, format } from "../drawing/elements.js";
import { knobSlider } from "./columns_editor.js";
import { entropy, softmax } from "../engine/filters.js";
import { inverseCdf } from "../engine/draws.js";
import { KNOBS, pipeline, printed, spellKnobs } from "./knobs.js";
import { names } from "../drawing/names.js";
import { ranking } from "../drawing/sampling.js";
import { short, visible } from "../drawing/tokens.js";
import { STYLE } from "./microscope_style.js";
import { doubleBar } from "../shared/double_bar.js";
import { drawLine, LINE_STYLE, lineLabel, piecesOf } from "../shared/token_line.js";

const FIRST = ["t", "k", "p", "m"];
const MORE = ["y", "e", "h", "r", "n"];
const TABLE_ROWS = 500;

export default define((shell) => {
  const main = el("div", { class: "gf-controls" });
  const extra = el("div", { class: "gf-controls" });
  const more = el(
    "details",
    { class: "gf-more" },
    el("summary", { text: "More knobs: typical, epsilon, eta, and what looks at the text so far" }),
    extra,
  );
  const head = el("tr");
  const body = el("tbody");
  const count = el("tr", { class: "count" });
  const table = el("table", { class: "gf-stages", tabindex: 0 }, el("thead", {}, head), body, el("tfoot", {}, count));
  const line = el("div", { class: "gf-line", role: "img" });
  const readout = el("div", { class: "gf-readout" });
  const again = el("button", { class: "gf-primary", text: "Draw again" });
  const first = el("button", { class: "gf-solid", text: "First draw" });
  const reset = el("button", { class: "gf-solid", text: "All knobs off" });
  const steps = el("div", { class: "gf-readout" });
  shell.body.append(
    main,
    more,
    steps,
    el("div", { class: "gf-stagebox" }, table),
    line,
    el("div", { class: "gf-controls" }, again, first),
    readout,
  );

  let settings = {};
  let turn = 0;
  let result = null;
  let plain = null;
  let known = null; // the logits that `plain` and `order` are of
  let order = null;
  let rows = [];
  let hovered = 0;
  let taken = null;
  const tell = () => shell.commit("knobs", { text: spellKnobs(settings), given: shell.header.id });
  const slider = (letter) =>
    knobSlider(
      letter,
      settings[letter] ?? KNOBS[letter].neutral,
      (v) => {
        settings[letter] = v;
        recompute();
      },
      tell,
    );
  const tokens = () => names(shell);
  const u = () => shell.header.draws[turn % shell.header.draws.length];

  again.addEventListener("click", () => {
    turn += 1;
    recompute();
    shell.say(readout.textContent);
  });
  first.addEventListener("click", () => {
    turn = 0;
    recompute();
    shell.say(readout.textContent);
  });
  reset.addEventListener("click", () => {
    settings = {};
    sliders();
    recompute();
    tell();
  });
  body.addEventListener("pointerover", (event) => {
    const i = event.target.closest("tr")?.dataset.i;
    if (i !== undefined) point(Number(i));
  });
  table.addEventListener("keydown", (event) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!move) return;
    point(clamp(hovered + move, 0, rows.length - 1));
    shell.say(readout.textContent);
    event.preventDefault();
  });

  function sliders() {
    main.replaceChildren(...FIRST.map(slider), reset);
    extra.replaceChildren(...MORE.map(slider));
  }

  function recompute() {
    const h = shell.header;
    const z = shell.arrays.logits.data;
    result = pipeline(z, settings, h.ids);
    if (z !== known) [known, plain, order] = [z, softmax(z), ranking(z).slice(0, TABLE_ROWS)];
    const isEmpty = result.stages.at(-1)?.nKept === 0;
    const { p, stages } = result;
    taken = isEmpty ? null : inverseCdf(p, u());
    const shown = [...order.slice(0, h.n_shown)];
    if (taken && !shown.includes(taken.token)) shown[shown.length - 1] = taken.token;
    rows = shown;
    hovered = clamp(hovered, 0, rows.length - 1);
    head.replaceChildren(
      ...[
        "token",
        "logit",
        ...stages.map((s) => `${KNOBS[s.letter].name} ${Number(s.value.toPrecision(4))}`),
        "probability",
      ].map((text) => el("th", { text, scope: "col", class: text === "logit" ? "gf-deep" : null })),
      el("th", { class: "bar", scope: "col", text: "outlined: the model · filled: drawn from" }),
    );
    const full = Math.max(...shown.map((t) => Math.max(plain[t], isEmpty ? 0 : p[t])), 1e-9);
    body.replaceChildren(
      ...shown.map((t, i) => {
        const gone = isEmpty || stages.some((s) => s.z[t] === -Infinity);
        const bar = doubleBar();
        bar.show(plain[t], isEmpty ? 0 : p[t], full);
        let before = true;
        const cells = stages.map((s) => {
          const text = s.z[t] > -Infinity ? format(s.z[t], 2) : before ? "cut" : "";
          before &&= s.z[t] > -Infinity;
          return el("td", { text });
        });
        return el(
          "tr",
          { "data-i": i, class: `${gone ? "gone" : ""} ${taken?.token === t ? "hit" : ""}` },
          el("th", { scope: "row" }, el("bdi", { text: short(tokens()[t], 14) }), taken?.token === t ? " ◂" : ""),
          el("td", { class: "gf-deep", text: format(z[t], 2) }),
          ...cells,
          el("td", { text: gone ? "0" : printed(p[t]) }),
          bar.cell,
        );
      }),
    );
    const V = z.length.toLocaleString("en");
    count.replaceChildren(
      el("th", { scope: "row", text: "tokens left" }),
      el("td", { class: "gf-deep", text: V }),
      ...stages.map((s) => el("td", { text: s.nKept.toLocaleString("en") })),
      el("td", { text: (stages.at(-1)?.nKept ?? z.length).toLocaleString("en") }),
      el("td", { class: "bar" }),
    );
    steps.replaceChildren(
      `${V} tokens`,
      ...stages.flatMap((s) => [
        " → ",
        el("b", { text: KNOBS[s.letter].name }),
        ` ${s.nKept.toLocaleString("en")} left`,
      ]),
      el("span", { class: "gf-deep", text: " → softmax" }),
      isEmpty
        ? ""
        : el("span", {
            class: "gf-deep",
            text: ` · entropy ${format(entropy(plain), 2)} → ${format(entropy(p), 2)} nats`,
          }),
    );
    table.setAttribute("aria-label", h.takeaway);
    drawTaken();
    point(hovered);
  }

  function drawTaken() {
    if (!taken) {
      line.replaceChildren(
        el("span", { class: "say", text: "Nothing is left to draw: this filter forbids every token." }),
      );
      return;
    }
    line.replaceChildren(...drawLine(piecesOf(result.p, taken, tokens()), u(), shell.theme));
    line.setAttribute("aria-label", lineLabel({ ...taken, name: tokens()[taken.token] }, u()));
  }

  function point(i) {
    for (const tr of body.children) tr.classList.toggle("on", Number(tr.dataset.i) === i);
    hovered = i;
    for (const seg of line.querySelectorAll(".seg")) seg.classList.toggle("on", Number(seg.dataset.t) === rows[i]);
    const t = rows[i];
    const own = taken && result.p[t] > 0 ? result.p.subarray(0, t).reduce((sum, v) => sum + v, 0) : null;
    readout.replaceChildren(
      ...(taken
        ? [
            `Draw ${(turn % shell.header.draws.length) + 1} of seed ${shell.header.seed}: ${format(u(), 4)} falls on `,
            el("b", { text: short(tokens()[taken.token], 18) }),
            `, which has ${format(taken.low, 4)} to ${format(taken.high, 4)}. `,
          ]
        : []),
      el("span", {
        class: "gf-hint",
        text:
          own === null
            ? `${visible(tokens()[t])} has no place on the line.`
            : `${visible(tokens()[t])} has ${format(own, 4)} to ${format(own + result.p[t], 4)}.`,
      }),
    );
  }

  return {
    update() {
      if (shell.header.text !== shell.previous?.text) settings = { ...shell.header.knobs };
      if (shell.header.seed !== shell.previous?.seed) turn = 0;
      sliders();
      more.open =
        more.open || MORE.some((letter) => (settings[letter] ?? KNOBS[letter].neutral) !== KNOBS[letter].neutral);
    },
    draw() {
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      recompute();
    },
    table() {
      const z = shell.arrays.logits.data;
      const cell = (v) => (v === -Infinity ? "cut" : v);
      return {
        columns: ["token", "id", "logit", ...result.stages.map((s) => KNOBS[s.letter].name), "model", "drawn from"],
        rows: Array.from(order, (t) => [
          visible(tokens()[t]),
          String(t),
          z[t],
          ...result.stages.map((s) => cell(s.z[t])),
          plain[t],
          taken ? result.p[t] : "–",
        ]),
      };
    },
    picture: () => ({
      width: 640,
      height: 60 + rows.length * 22,
      paint(p) {
        const { theme } = shell;
        const mono = { fill: theme.text, size: 12, font: theme.code };
        p.text(steps.textContent, 10, 14, { ...mono, fill: theme.soft });
        p.text(taken ? `drawn ${format(u(), 4)}: ${visible(tokens()[taken.token])}` : "nothing left", 10, 34, mono);
        const full = Math.max(...rows.map((t) => Math.max(plain[t], taken ? result.p[t] : 0)));
        rows.forEach((t, i) => {
          const y = 60 + i * 22;
          p.text(short(tokens()[t], 18), 10, y, mono);
          p.text(chance(taken ? result.p[t] : 0, 4), 210, y, { ...mono, align: "right" });
          if (taken && result.p[t] > 0) {
            p.rect(224, y - 7, (result.p[t] / full) * 400, 14, {
              fill: t === taken.token ? theme.accent : theme.categorical[0],
              radius: 2,
            });
          }
          p.rect(224, y - 7, (plain[t] / full) * 400, 14, { stroke: theme.soft, radius: 2 });
        });
      },
    }),
  };
}, STYLE + LINE_STYLE);
