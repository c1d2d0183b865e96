// One step under a microscope: logits, each knob, the distribution, and the random number that picks the token.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { knobSlider } from "./columns_editor.js";
import { entropy, hit, KNOBS, pipeline, printed, softmax, spellKnobs } from "./filters.js";
import { short, visible } from "../drawing/tokens.js";

const FIRST = ["t", "k", "p", "m"];
const MORE = ["y", "e", "h", "r", "n"];
const TABLE_ROWS = 500;
const CSS = `
.gf-stagebox { overflow-x: auto; scrollbar-width: thin; }
.gf-stages { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.gf-stages th { font-weight: 500; font-size: 0.75rem; color: var(--gf-soft); text-align: right; padding: 2px 8px 5px; white-space: nowrap; vertical-align: bottom; }
.gf-stages td, .gf-stages tbody th { font-family: var(--st-code-font); font-size: 0.8125rem; color: inherit; text-align: right; padding: 0 8px; height: 25px; white-space: pre; border-top: 1px solid var(--gf-wash); }
.gf-stages th:first-child { text-align: left; padding-left: 4px; }
.gf-stages tr.gone td, .gf-stages tr.gone th { color: var(--gf-soft); }
.gf-stages tr.on td, .gf-stages tr.on th { background: var(--gf-wash); }
.gf-stages tr.hit th { color: var(--gf-accent); font-weight: 700; }
.gf-stages .count td, .gf-stages .count th { font-family: var(--st-font); font-size: 0.75rem; color: var(--gf-soft); }
.gf-stages .bar { width: 26%; } .gf-stages th.bar { white-space: normal; text-align: left; padding-left: 8px; } .gf-stages .bar div { position: relative; height: 13px; }
.gf-stages .bar i { position: absolute; left: 0; top: 0; height: 100%; border-radius: 3px; }
.gf-stages .was { border: 1px solid var(--gf-soft); opacity: 0.75; } .gf-stages .gone .was { border-style: dashed; }
.gf-stages .is { background: var(--gf-fill); }
.gf-line { position: relative; height: 84px; margin: 0.9rem 2px 0; }
.gf-line .seg { position: absolute; top: 26px; height: 32px; border-right: 1px solid var(--st-background-color); overflow: hidden; font-family: var(--st-code-font); font-size: 0.75rem; line-height: 32px; text-align: center; white-space: pre; }
.gf-line .seg.on { outline: 2px solid var(--gf-accent); z-index: 2; }
.gf-line .u { position: absolute; top: 18px; width: 2px; height: 46px; margin-left: -1px; background: var(--st-text-color); z-index: 3; }
.gf-line .say { position: absolute; top: 0; font-weight: 600; white-space: nowrap; font-variant-numeric: tabular-nums; }
.gf-line .tick { position: absolute; top: 62px; font-size: 0.75rem; color: var(--gf-soft); transform: translateX(-50%); }
.gf-line .tick:first-of-type { transform: none; } .gf-line .tick.last { transform: translateX(-100%); }
.gf-more { margin: 0 0 0.6rem; } .gf-more summary { cursor: pointer; font-size: 0.8125rem; color: var(--gf-soft); min-height: 28px; padding-top: 4px; }
@container (max-width: 560px) { .gf-stages .bar { display: none; } .gf-stages td, .gf-stages th { padding-inline: 4px; } .gf-stages thead th { white-space: normal; } }
`;

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
  const tokens = () => shell.header.tokens;
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
    plain = softmax(z);
    const isEmpty = result.stages.at(-1)?.nKept === 0;
    const { p, stages } = result;
    taken = isEmpty ? null : hit(p, u());
    const order = [...plain.keys()].sort((a, b) => plain[b] - plain[a] || a - b);
    const shown = order.slice(0, h.n_shown);
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
        const is = el("i", { class: "is" });
        const was = el("i", { class: "was" });
        is.style.width = `${isEmpty ? 0 : (p[t] / full) * 100}%`;
        was.style.width = `${(plain[t] / full) * 100}%`;
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
          el("td", { class: "bar" }, el("div", {}, is, was)),
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
    paintLine(isEmpty);
    point(hovered);
  }

  function paintLine(isEmpty) {
    line.replaceChildren();
    if (isEmpty) {
      line.append(el("span", { class: "say", text: "Nothing is left to draw: this filter forbids every token." }));
      return;
    }
    const { p } = result;
    const { theme } = shell;
    let low = 0;
    let odd = 0;
    for (let t = 0; t < p.length; t++) {
      const high = low + p[t];
      if (p[t] > 5e-4 || t === taken.token) {
        const seg = el("span", {
          class: "seg",
          title: `${visible(tokens()[t])}: ${format(low, 4)} to ${format(high, 4)}`,
          "data-t": t,
          text: p[t] > 0.05 ? short(tokens()[t], Math.max(2, Math.floor(p[t] * 60))) : "",
        });
        seg.style.left = `${low * 100}%`;
        seg.style.width = `${p[t] * 100}%`;
        seg.style.minWidth = "1px";
        const fill =
          t === taken.token
            ? theme.accent
            : theme.mode === "dark"
              ? ["#34396F", "#39508F"][odd]
              : ["#A6DEC4", "#6CCBB2"][odd];
        seg.style.background = fill;
        seg.style.color = t === taken.token ? theme.onAccent : theme.mode === "dark" ? "#fff" : "#000";
        line.append(seg);
        odd = 1 - odd;
      }
      low = high;
    }
    const mark = el("span", { class: "u" });
    const say = el("span", { class: "say", text: `drawn: ${format(u(), 4)}` });
    mark.style.left = `${u() * 100}%`;
    say.style[u() > 0.8 ? "right" : "left"] = `${(u() > 0.8 ? 1 - u() : u()) * 100}%`;
    line.append(
      mark,
      say,
      ...[0, 0.25, 0.5, 0.75, 1].map((v) => {
        const tick = el("span", { class: v === 1 ? "tick last" : "tick", text: String(v) });
        tick.style.left = `${v * 100}%`;
        return tick;
      }),
    );
    line.setAttribute(
      "aria-label",
      `The number ${format(u(), 4)} falls on ${visible(tokens()[taken.token])}, from ${format(taken.low, 4)} to ${format(taken.high, 4)}.`,
    );
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
      const order = [...plain.keys()].sort((a, b) => plain[b] - plain[a] || a - b).slice(0, TABLE_ROWS);
      const cell = (v) => (v === -Infinity ? "cut" : v);
      return {
        columns: ["token", "id", "logit", ...result.stages.map((s) => KNOBS[s.letter].name), "model", "drawn from"],
        rows: order.map((t) => [
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
          p.text(format(taken ? result.p[t] : 0, 4), 210, y, { ...mono, align: "right" });
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
}, CSS);
