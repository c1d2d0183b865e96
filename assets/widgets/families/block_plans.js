// Blocks beside one another, part by part. What differs is lit: a thick rim, a badge in words and a sign before it.
import { define } from "../drawing/base.js";
import { clamp, el, grouped, measure } from "../drawing/elements.js";
import { mouseLeaves, withModifier } from "../drawing/input.js";
import { mix } from "../drawing/color.js";

const LETTERS = { norm: "N", "self-attention": "A", "cross-attention": "C", "feed-forward": "F" };

export default define(
  (shell) => {
    const board = el("div", { class: "gf-plans", role: "group" });
    const readout = el("div", { class: "gf-readout gf-plan-text" });
    shell.body.append(board, readout);
    let at = null;
    let buttons = [];

    const part = ([c, r]) => shell.header.columns[c].parts[r];
    const sentence = ([c, r]) => {
      const p = part([c, r]);
      return `${shell.header.columns[c].title}, ${p.title}${p.badge ? ` (${p.badge})` : ""}: ${grouped(p.count)} parameters. ${p.detail}`;
    };

    function tell(to) {
      at = to;
      buttons.forEach((column, c) =>
        column.forEach((b, r) => b.classList.toggle("on", Boolean(to) && to[0] === c && to[1] === r)),
      );
      if (!to) {
        readout.replaceChildren(
          el("span", {
            class: "gf-hint",
            text: "Point at a part, or use Tab and the arrow keys, to see what it does and how many parameters it has.",
          }),
        );
        return;
      }
      const p = part(to);
      readout.replaceChildren(
        el("b", { text: `${shell.header.columns[to[0]].title} · ${p.title}` }),
        `: ${grouped(p.count)} parameters`,
        p.badge ? `, ${p.badge}` : "",
        ". ",
        el("span", { class: "gf-hint", text: p.detail }),
      );
    }

    board.addEventListener("keydown", (event) => {
      const here = buttons.flatMap((column, c) => column.map((b, r) => [b, c, r])).find(([b]) => b === event.target);
      if (!here || withModifier(event)) return;
      let [, c, r] = here;
      if (event.key === "ArrowDown") r += 1;
      else if (event.key === "ArrowUp") r -= 1;
      else if (event.key === "ArrowRight") c += 1;
      else if (event.key === "ArrowLeft") c -= 1;
      else if (event.key === "Escape") {
        tell(null);
        event.preventDefault();
        return;
      } else return;
      c = clamp(c, 0, buttons.length - 1);
      r = clamp(r, 0, buttons[c].length - 1);
      buttons[c][r].focus();
      event.preventDefault();
    });
    mouseLeaves(board, () => {
      if (!board.contains(board.getRootNode().activeElement)) tell(null);
    });

    function picture(mask) {
      const n = mask.length;
      return el(
        "span",
        { class: "gf-mini", style: `grid-template-columns:repeat(${n},1fr)`, "aria-hidden": "true" },
        ...mask.flatMap((row) => row.map((v) => el("i", { class: v ? "read" : "" }))),
      );
    }

    function drawPart(p, c, r) {
      const name = `${shell.header.columns[c].title}, ${p.title}${p.badge ? `, ${p.badge}` : ""}, ${grouped(p.count)} parameters`;
      const button = el(
        "button",
        {
          class: `gf-plan ${p.kind}${p.badge ? " lit" : ""}`,
          "aria-label": name,
          tabindex: c || r ? -1 : 0,
          onfocus: () => {
            buttons.flat().forEach((b) => {
              b.tabIndex = -1;
            });
            button.tabIndex = 0;
            tell([c, r]);
            shell.say(sentence([c, r]));
          },
          onpointerenter: () => tell([c, r]),
          onclick: () => tell([c, r]), // Safari gives no focus to a button that is tapped
        },
        el("span", { class: "gf-plan-sign", text: LETTERS[p.kind] ?? "", "aria-hidden": "true" }),
        el(
          "span",
          { class: "gf-plan-name" },
          el("b", { text: p.title }),
          p.badge ? el("em", { text: `★ ${p.badge}` }) : "",
          el("span", { class: "gf-mono", text: grouped(p.count) }),
        ),
        p.mask ? picture(p.mask) : "",
      );
      return button;
    }

    function build() {
      const h = shell.header;
      board.setAttribute("aria-label", h.takeaway || h.label);
      buttons = h.columns.map((column, c) => column.parts.map((p, r) => drawPart(p, c, r)));
      board.replaceChildren(
        ...h.columns.map((column, c) =>
          el(
            "div",
            { class: "gf-plan-column" },
            el("div", { class: "gf-plan-head" }, el("b", { text: column.title }), el("span", { text: column.note })),
            el(
              "div",
              { class: "gf-stream" },
              el("div", { class: "gf-end", text: "in" }),
              ...column.parts.flatMap((p, r) => [
                buttons[c][r],
                p.adds ? el("div", { class: "gf-adds", text: "+", title: "added to the stream" }) : "",
              ]),
              el("div", { class: "gf-end", text: "out" }),
            ),
            el("div", { class: "gf-soft", text: `${grouped(column.total)} parameters in all` }),
          ),
        ),
      );
    }

    /** The picture for download: the same boxes, one column beside the other. */
    function paint(p) {
      const { theme, header: h } = shell;
      const wide = 230;
      const gap = 22;
      h.columns.forEach((column, c) => {
        const x = 10 + c * (wide + gap);
        let y = 12;
        p.text(column.title, x, y, { fill: theme.text, size: 14, font: theme.font, weight: 700 });
        p.text(column.note, x, y + 18, { fill: theme.soft, size: 11, font: theme.font });
        y += 38;
        column.parts.forEach((one) => {
          p.rect(x, y, wide, 46, {
            fill: one.badge ? mix(theme.page, theme.accent, 0.12) : theme.panel,
            stroke: one.badge ? theme.accent : theme.line,
            width: one.badge ? 2.5 : 1,
            radius: 6,
          });
          p.text(one.title, x + 10, y + 15, { fill: theme.text, size: 12, font: theme.font, weight: 600 });
          p.text(`${one.badge ? `★ ${one.badge} · ` : ""}${grouped(one.count)}`, x + 10, y + 33, {
            fill: theme.soft,
            size: 11,
            font: theme.font,
          });
          (one.mask ?? []).forEach((row, i) =>
            row.forEach((v, j) =>
              p.rect(x + wide - 44 + j * 7, y + 6 + i * 7, 6, 6, {
                fill: v ? theme.text : undefined,
                stroke: theme.soft,
                width: 0.75,
              }),
            ),
          );
          y += 52;
          if (one.adds) {
            p.text("+", x + wide / 2, y + 2, { fill: theme.soft, size: 15, font: theme.font, align: "center" });
            y += 12;
          }
        });
        p.text(`${grouped(column.total)} parameters in all`, x, y + 8, {
          fill: theme.soft,
          size: 11,
          font: theme.font,
        });
      });
    }

    const tall = () =>
      70 + Math.max(...shell.header.columns.map((c) => c.parts.reduce((sum, p) => sum + 52 + (p.adds ? 12 : 0), 0)));
    return {
      update() {
        at = null;
        build();
      },
      draw() {
        tell(at);
      },
      table: () => ({
        columns: ["block", "part", "parameters", "differs"],
        rows: shell.header.columns.flatMap((c) =>
          c.parts.map((p) => [c.title, p.title, grouped(p.count), p.badge || "–"]),
        ),
      }),
      picture: () => ({
        width: Math.max(measure("", 12, "sans-serif"), 20 + shell.header.columns.length * 252),
        height: tall(),
        paint,
      }),
    };
  },
  `
  .gf-plans { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, 100%), 1fr)); gap: 1.1rem 0.9rem; align-items: start; }
  .gf.presenting .gf-plan-head span, .gf.presenting .gf-plan-text:has(> .gf-hint:only-child) { display: none; }
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
  .gf-plan-text { min-height: 3.2em; }
`,
);
