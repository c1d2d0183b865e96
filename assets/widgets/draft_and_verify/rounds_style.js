// The look of the passes: rows of tokens with their check marks, and two bars of passes below.

export const ROUNDS_STYLE = `
.gf-passes { --row: 34px; font-size: 0.875rem; }
.gf-passes .text { overflow: hidden; direction: rtl; text-align: left; text-overflow: ellipsis; white-space: pre; font-family: var(--st-code-font); color: var(--gf-soft); }
.gf-passes .text > span { direction: ltr; unicode-bidi: isolate; }
.gf-passes .text b { color: var(--st-primary-color); }
.gf-passes .table { display: grid; grid-template-columns: auto repeat(var(--n), minmax(0, 1fr)) minmax(0, 1.1fr) auto; gap: 8px; margin-top: 0.5rem; }
.gf-passes .pass { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: center; min-height: var(--row); }
.gf-passes .heads { align-items: end; font-weight: 650; line-height: 1.3; min-height: 0; }
.gf-passes .heads span { grid-column: auto; padding-bottom: 3px; border-bottom: 2px solid var(--st-primary-color); color: var(--st-primary-color); }
.gf-passes .heads .guess { grid-column: 2 / -1; padding: 0; border: 0; color: inherit; }
.gf-passes .heads .check { grid-column: 2 / span var(--n); }
.gf-passes .heads i { font-style: normal; font-weight: 400; color: var(--gf-soft); }
.gf-passes .n { color: var(--gf-soft); white-space: nowrap; }
.gf .gf-passes .chip { position: relative; height: var(--row); min-width: 0; padding: 0 4px; border: 1.5px solid var(--gf-soft); border-radius: 7px; font-family: var(--st-code-font); font-size: 1rem; font-weight: 600; white-space: pre; }
.gf .gf-passes .many .chip { font-size: 0.8125rem; }
.gf-passes .chip > span { display: block; overflow: hidden; text-overflow: ellipsis; }
.gf .gf-passes .accepted { border-color: var(--st-primary-color); background: color-mix(in srgb, var(--st-primary-color) 12%, transparent); }
.gf .gf-passes .refused { color: var(--gf-soft); }
.gf-passes .refused > span { text-decoration: line-through; text-decoration-thickness: 2px; }
.gf .gf-passes .now .refused { border-color: var(--gf-accent); color: var(--gf-accent); }
.gf .gf-passes :is(.unread, .drafted) { border-style: dashed; }
.gf .gf-passes .unread { color: var(--gf-soft); font-weight: 400; }
.gf .gf-passes :is(.corrected, .more) { border-color: var(--st-primary-color); background: var(--st-primary-color); color: var(--st-background-color); }
.gf .gf-passes .chip:is(.on, [aria-pressed="true"]) { outline: 2px solid var(--gf-accent); outline-offset: 1px; }
.gf-passes .chip i { position: absolute; right: -6px; top: -7px; width: 17px; height: 17px; border-radius: 50%; background: var(--st-primary-color); color: var(--st-background-color); font: 700 0.75rem/17px var(--st-font); text-align: center; text-decoration: none; }
.gf-passes .refused i { background: var(--gf-soft); }
.gf-passes .now .refused i { background: var(--gf-accent); }
.gf-passes .gain { grid-column: -2; white-space: nowrap; color: var(--st-primary-color); font-weight: 600; }
.gf-passes .gain b { font-size: 1.5rem; }
.gf-passes .why { grid-column: 2 / -1; min-height: 1.4em; color: var(--gf-soft); }
.gf-passes .bars { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 3px 8px; align-items: center; margin-top: 0.5rem; }
.gf-passes .bars > .of { grid-column: 1 / -1; color: var(--gf-soft); }
.gf-passes .bars > span:has(.bar) { display: flex; gap: 8px; align-items: center; }
.gf-passes .bar { display: flex; gap: 1px; height: 18px; }
.gf-passes .bar i { flex: 1 1 0; border-radius: 2px; background: color-mix(in srgb, var(--gf-soft) 45%, transparent); }
.gf-passes .with i { background: var(--st-primary-color); }
.gf-passes .bar i.now { background: var(--gf-accent); }
.gf-passes .bar.gf-hatch { flex: 0 0 calc(100% - 3rem); border: 1px solid var(--gf-line); }
.gf-passes .bars b { font-size: 1.5rem; line-height: 1; }
.gf-passes .bars .gf-key-number { font-size: 1.75rem; }
.gf-readout:has(.why-told) { font-family: var(--st-font); }
@container (max-width: 480px) {
  .gf-passes .table { display: flex; flex-direction: column; gap: 2px; margin-top: 0.25rem; }
  .gf-passes .pass { display: flex; flex-wrap: wrap; gap: 2px 5px; }
  .gf-passes :is(.text, .guess i) { display: none; }
  .gf-passes .heads .guess { flex: 0 0 100%; }
  .gf-passes .heads .check { flex: 1; }
  .gf-passes .n { flex: 0 0 45%; }
  .gf-passes .gain { flex: 1 0 50%; order: 1; text-align: right; }
  .gf-passes .gain b { font-size: 1.125rem; }
  .gf .gf-passes .chip { order: 2; flex: 1 1 auto; font-size: 0.8125rem; padding: 0 3px; }
  .gf-passes .why { min-height: 2.9em; }
  .gf-passes .bar { height: 14px; }
}
@media (prefers-reduced-motion: no-preference) {
  .gf-passes .now.checked i, .gf-passes .now.checked :is(.corrected, .more, .gain), .gf-passes .now .drafted { animation: gf-checked 240ms backwards; }
}
@keyframes gf-checked { from { opacity: 0; transform: translateY(4px); } }
`;
