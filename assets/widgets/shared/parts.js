// A sum whose terms can be clicked: buttons with formula and count, a map of areas, and the pieces of the chosen term.
import { define } from "../drawing/base.js";
import { clamp, el, grouped, measure } from "../drawing/elements.js";
import { pointer, withModifier } from "../drawing/input.js";
import { mix, readableOn } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { nested } from "./treemap.js";

const percent = (part, whole) => (whole ? `${((part / whole) * 100).toFixed(1)}%` : "–");

export default define(
  (shell) => {
    const sum = el("div", { class: "gf-sum", role: "group", "aria-label": "The terms of the sum" });
    const cells = el("canvas");
    const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, cells);
    const detail = el("div", { class: "gf-detail" });
    shell.body.append(sum, stage, detail);
    let selected = 0;
    let over = null;
    let map = [];
    let height = 0;
    let buttons = [];

    pointer(
      stage,
      (event) => hover(termAt(event)),
      () => hover(null),
    );
    stage.addEventListener("click", (event) => {
      const i = termAt(event);
      if (i !== null) select(i);
    });
    for (const node of [stage, sum]) {
      node.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        const last = shell.header.terms.length - 1;
        if (withModifier(event)) return;
        if (step) select(clamp(selected + step, 0, last));
        else if (event.key === "Home") select(0);
        else if (event.key === "End") select(last);
        else if (event.key === "Escape") select(shell.header.selected);
        else return;
        if (node === sum) buttons[selected].focus();
        event.preventDefault();
      });
    }

    function termAt(event) {
      const b = stage.getBoundingClientRect();
      const x = event.clientX - b.left;
      const y = event.clientY - b.top;
      const found = map.find(({ rect: r }) => x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h);
      return found ? found.term : null;
    }

    function hover(i) {
      if (i !== over) {
        over = i;
        stage.style.cursor = i === null ? "" : "pointer";
        light();
      }
    }

    function select(i) {
      selected = i;
      light();
      show();
      const t = shell.header.terms[i];
      shell.say(
        `${t.name}: ${t.formula ? `${t.formula} = ` : ""}${grouped(t.count)} ${shell.header.unit}, ${percent(t.count, shell.header.total)}`,
      );
    }

    function light() {
      buttons.forEach((button, i) => {
        button.setAttribute("aria-pressed", String(i === selected));
        button.tabIndex = i === selected ? 0 : -1;
        button.classList.toggle("on", i === over);
      });
      paint(new CanvasPainter(fit(cells, shell.width, height)));
    }

    const color = (i) => shell.theme.categorical[i % shell.theme.categorical.length];

    function paint(p) {
      const { theme, header: h } = shell;
      const size = Math.round(12 * theme.unit);
      for (const { term, rect, pieces } of map) {
        const quiet = term !== selected && term !== over;
        const fill = mix(theme.page, color(term), quiet ? 0.34 : 0.85);
        for (const r of pieces) p.rect(r.x, r.y, r.w, r.h, { fill, stroke: theme.page, width: 1 });
        const t = h.terms[term];
        const ink = readableOn(fill);
        const text = { fill: ink, size, font: theme.font, weight: 600 };
        const fits = (words) => measure(words, size, theme.font) * 1.08 + 14 < rect.w;
        const lines = [
          [t.name, 600],
          [percent(t.count, h.total), 400],
        ].filter(([words]) => fits(words));
        lines.forEach(([words, weight], i) => {
          if (rect.h > (i + 1) * (size + 5) + 4) {
            p.text(words, rect.x + 7, rect.y + 7 + size * (i + 0.5) + 5 * i, { ...text, weight });
          }
        });
        if (term === selected) {
          p.rect(rect.x + 1, rect.y + 1, Math.max(0, rect.w - 2), Math.max(0, rect.h - 2), {
            stroke: theme.accent,
            width: 2.5,
          });
        }
      }
    }

    function show() {
      const h = shell.header;
      const t = h.terms[selected];
      const rows = [...t.pieces]
        .sort((a, b) => b.count - a.count)
        .map((one) =>
          el(
            "tr",
            {},
            el("th", { text: one.name, scope: "row" }),
            el("td", { text: grouped(one.count) }),
            el("td", { text: one.detail }),
          ),
        );
      detail.replaceChildren(
        el(
          "div",
          { class: "gf-chosen" },
          el("b", { text: t.name }),
          t.formula && t.count ? ` = ${t.formula} = ${t.numbers} = ` : ": ",
          el("b", { text: grouped(t.count) }),
          ` ${h.unit}, ${percent(t.count, h.total)} of all`,
        ),
        t.note ? el("div", { class: "gf-hint", text: t.note }) : "",
        rows.length
          ? el(
              "div",
              { class: "gf-scroll gf-deep", tabindex: 0, role: "region", "aria-label": "Its tensors" },
              el("table", {}, el("tbody", {}, ...rows)),
            )
          : "",
      );
    }

    return {
      update() {
        const h = shell.header;
        const kept = shell.previous?.terms?.[selected]?.name;
        const again = h.terms.findIndex((t) => t.name === kept);
        selected = again < 0 ? h.selected : again;
        over = null;
        buttons = h.terms.map((t, i) =>
          el(
            "button",
            {
              class: "gf-term",
              "data-name": t.name,
              onclick: () => {
                select(i);
                buttons[i].focus();
              },
            },
            el("span", { class: "gf-chip" }),
            el("span", { text: t.name }),
            el("b", { text: t.count ? t.formula || percent(t.count, h.total) : "none" }),
            el("span", { class: "gf-mono", text: grouped(t.count) }),
          ),
        );
        const between = (node, i) =>
          i ? [el("span", { class: "gf-plus", text: "+", "aria-hidden": "true" }), node] : [node];
        sum.replaceChildren(
          ...buttons.flatMap(between),
          el("span", { class: "gf-total" }, "= ", el("b", { class: "gf-mono", text: grouped(h.total) }), ` ${h.unit}`),
        );
      },
      draw() {
        const h = shell.header;
        height = Math.round(clamp(shell.width * 0.3, 200, 280));
        stage.style.width = `${shell.width}px`;
        stage.style.height = `${height}px`;
        stage.setAttribute("aria-label", h.takeaway);
        map = nested(h.terms, { x: 0, y: 0, w: shell.width, h: height });
        buttons.forEach((button, i) => {
          button.firstChild.style.background = color(i);
        });
        light();
        show();
      },
      table: () => ({
        columns: ["tensor", "part of", "shape", "count"],
        rows: shell.header.terms.flatMap((t) =>
          t.pieces.map((one) => [one.name, t.name, one.detail, grouped(one.count)]),
        ),
      }),
      picture: () => ({ width: shell.width, height, paint }),
    };
  },
  `
  .gf-sum { display: flex; flex-wrap: wrap; gap: 0.35rem 0.4rem; align-items: center; margin-bottom: 0.8rem; }
  .gf .gf-term { display: grid; grid-template-columns: auto 1fr; gap: 1px 6px; align-items: center; text-align: left; padding: 5px 9px; border-color: var(--gf-line); line-height: 1.3; }
  .gf-term b { grid-column: 1 / 3; font-family: var(--st-code-font); font-weight: 600; }
  .gf-term .gf-mono { grid-column: 1 / 3; font-size: 0.75rem; color: var(--gf-soft); }
  .gf .gf-term.on { background: var(--gf-wash); }
  .gf .gf-term[aria-pressed="true"] { border-color: var(--gf-accent); color: inherit; }
  .gf-chip { width: 10px; height: 10px; border-radius: 3px; }
  .gf-plus { color: var(--gf-soft); }
  .gf-total { font-size: 0.9375rem; }
  .gf-detail { margin-top: 0.7rem; font-size: 0.8125rem; }
  .gf-chosen { font-family: var(--st-code-font); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; margin-bottom: 0.4rem; }
  .gf-chosen b { color: var(--gf-accent); }
  .gf-detail table { border-collapse: collapse; font-family: var(--st-code-font); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
  .gf-detail th, .gf-detail td { padding: 3px 12px 3px 0; text-align: left; font-weight: 400; overflow-wrap: anywhere; }
  .gf-detail td:nth-child(2) { text-align: right; white-space: nowrap; }
  .gf-detail .gf-hint { margin-bottom: 0.4rem; }
`,
);
