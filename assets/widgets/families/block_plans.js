// Blocks beside one another, part by part. What differs is lit: a thick rim, a badge in words and a sign before it.
import { clamp, el, grouped } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const LETTERS = {
  norm: labels("letter.norm"),
  "self-attention": labels("letter.self_attention"),
  "cross-attention": labels("letter.cross_attention"),
  "feed-forward": labels("letter.feed_forward"),
};
const STYLE = `
.gf-plans { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, 100%), 1fr)); gap: 1.1rem 0.9rem; align-items: start; }
.gf.presenting .gf-plan-head span, .gf.presenting .gf-readout:has(> .gf-hint:only-child) { display: none; }
.gf-plan-head { display: flex; flex-direction: column; margin-bottom: 0.4rem; }
.gf-plan-head b { font-size: 0.9375rem; }
.gf-plan-head span { color: var(--gf-soft); font-size: 0.75rem; min-height: 1.4em; }
.gf-stream { display: flex; flex-direction: column; gap: 5px; padding-left: 11px; border-left: 3px solid var(--gf-line); margin: 0 0 0.4rem 4px; container-type: inline-size; }
.gf .gf-plan { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 9px; align-items: center; text-align: left; padding: 6px 9px; border: 1px solid var(--gf-line); background: var(--gf-panel); min-height: 46px; width: 100%; }
.gf .gf-plan.lit { border: 2.5px solid var(--gf-accent); }
.gf .gf-plan.on { background: var(--gf-wash); }
.gf.presenting .gf-plan { min-height: 0; padding-block: 2px; }
.gf-plan-sign { width: 22px; height: 22px; border-radius: 5px; border: 1px solid var(--gf-line); display: grid; place-items: center; font-family: var(--st-code-font); font-size: 0.75rem; color: var(--gf-soft); }
.gf-plan-name { display: flex; flex-direction: column; line-height: 1.3; }
.gf-plan-name b { font-weight: 600; }
.gf-plan-name em { font-style: normal; font-weight: 600; font-size: 0.75rem; color: var(--gf-accent); }
.gf-plan-name .gf-mono { font-size: 0.75rem; color: var(--gf-soft); }
.gf-mini { display: grid; gap: 1px; width: 34px; height: 34px; }
.gf-mini i { border: 1px solid var(--gf-soft); }
.gf-mini i.read { background: var(--st-text-color); }
.gf-adds { align-self: center; width: 18px; height: 18px; line-height: 15px; text-align: center; border: 1.5px solid var(--gf-soft); border-radius: 50%; color: var(--gf-soft); font-size: 0.875rem; }
@container (max-width: 11.5rem) { /* three beside one another on a projector */
  .gf .gf-plan { grid-template-columns: minmax(0, 1fr) auto; gap: 5px; padding: 6px; }
  .gf.presenting .gf-plan { min-height: 0; padding-block: 2px; }
.gf-plan-sign { display: none; }
  .gf-mini { width: 24px; height: 24px; }
}
.gf-end { color: var(--gf-soft); font-size: 0.75rem; padding-left: 2px; }
.gf-readout { min-height: 3.2em; }
`;

const mini = (mask) =>
  el(
    "span",
    { class: "gf-mini", style: `grid-template-columns:repeat(${mask.length},1fr)`, "aria-hidden": "true" },
    ...mask.flatMap((row) => row.map((v) => el("i", { class: v ? "read" : "" }))),
  );

export default picture(
  ({ columns }) => {
    const things = columns.flatMap((column, c) => column.parts.map((part, r) => ({ column, part, c, r })));
    const to = (c, r) => {
      const row = clamp(r, 0, columns[clamp(c, 0, columns.length - 1)].parts.length - 1);
      return things.findIndex((one) => one.c === clamp(c, 0, columns.length - 1) && one.r === row);
    };
    const from = (i, down, right) => (i === null ? 0 : to(things[i].c + right, things[i].r + down));

    return {
      things,
      layout: "gf-plans",
      draw: ({ column, part }) =>
        el(
          "button",
          {
            class: `gf-plan ${part.kind}${part.badge ? " lit" : ""}`,
            "aria-label": labels(part.badge ? "part_of.differs" : "part_of", {
              ...{ block: column.title, part: part.title, badge: part.badge, n: grouped(part.count) },
            }),
          },
          el("span", { class: "gf-plan-sign", text: LETTERS[part.kind] ?? "", "aria-hidden": "true" }),
          el(
            "span",
            { class: "gf-plan-name" },
            el("b", { text: part.title }),
            part.badge ? el("em", { text: `★ ${part.badge}` }) : "",
            el("span", { class: "gf-mono", text: grouped(part.count) }),
          ),
          part.mask ? mini(part.mask) : "",
        ),
      arrange: (parts) =>
        columns.map((column, c) =>
          el(
            "div",
            { class: "gf-plan-column" },
            el("div", { class: "gf-plan-head" }, el("b", { text: column.title }), el("span", { text: column.note })),
            el(
              "div",
              { class: "gf-stream" },
              el("div", { class: "gf-end", text: labels("in") }),
              ...column.parts.flatMap((part, r) => [
                parts[to(c, r)],
                part.adds ? el("div", { class: "gf-adds", text: "+", title: labels("added") }) : "",
              ]),
              el("div", { class: "gf-end", text: labels("out") }),
            ),
            el("div", { class: "gf-soft", text: labels("total", { n: grouped(column.total) }) }),
          ),
        ),
      said: ({ column, part }) => [
        ...labels.parts(part.badge ? "said.differs" : "said", {
          part: el("b", { text: `${column.title} · ${part.title}` }),
          ...{ n: grouped(part.count), badge: part.badge },
        }),
        " ",
        el("span", { class: "gf-hint", text: part.detail }),
      ],
      hint: labels("hint"),
      choose() {}, // whoever points at it has chosen it
      keys: {
        ArrowDown: (i) => from(i, 1, 0),
        ArrowUp: (i) => from(i, -1, 0),
        ArrowRight: (i) => from(i, 0, 1),
        ArrowLeft: (i) => from(i, 0, -1),
      },
      columns: [labels("block"), labels("part"), labels("parameters"), labels("differs")],
      row: ({ column, part }) => [column.title, part.title, grouped(part.count), part.badge || "–"],
    };
  },
  { style: STYLE },
);
