// How the parts of merges.js look.
export const STYLE = `
.gf-cut { display: flex; flex-wrap: wrap; gap: 4px 0; padding: 4px 2px; overflow-y: auto; line-height: 1; }
.gf-cut div { display: flex; flex-wrap: wrap; max-width: 100%; row-gap: 4px; }
.gf-cut span { display: flex; flex-direction: column; gap: 3px; max-width: 100%; }
.gf-cut b { font: 400 1rem/1 var(--st-code-font); padding: 4px 3px; margin: 0 1px; min-width: 12px; text-align: center; border-radius: 5px; white-space: pre; unicode-bidi: isolate; overflow: hidden; text-overflow: ellipsis; border: 2px solid transparent; background: color-mix(in srgb, var(--st-text-color) 8%, transparent); }
.gf-cut small { font-size: 0.8125rem; color: var(--gf-soft); text-align: center; padding: 0 3px; font-variant-numeric: tabular-nums; }
.gf-cut i { flex-basis: 100%; height: 0; }
.gf-cut .glued, .gf-cut .new { font-weight: 700; background: color-mix(in srgb, var(--st-primary-color) 22%, transparent); }
.gf-cut .new { border-color: var(--gf-accent); }
.gf-cut .left, .gf-cut .right { border: 2px dashed var(--gf-accent); }
.gf-cut .left { border-right-style: none; border-radius: 5px 0 0 5px; margin-right: 0; }
.gf-cut .right { border-left-style: none; border-radius: 0 5px 5px 0; margin-left: 0; }
.gf-cut .on { outline: 2px solid var(--gf-accent); border-radius: 5px; }
.gf-counts { display: grid; gap: 0.6rem 1.6rem; margin-top: 0.6rem; }
@container (min-width: 560px) { .gf-counts { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
.gf-pairs { border-collapse: collapse; width: 100%; font-size: 0.8125rem; font-variant-numeric: tabular-nums; margin-top: 0.3rem; }
.gf-pairs td { padding: 3px 8px 3px 0; height: 26px; white-space: nowrap; }
.gf-pairs td.pair { font-family: var(--st-code-font); max-width: 12rem; overflow: hidden; text-overflow: ellipsis; }
.gf-pairs td.count { font-family: var(--st-code-font); text-align: right; width: 3.4rem; }
.gf-pairs td.share { width: 40%; }
.gf-pairs td.share div { height: 12px; border-radius: 3px; background: var(--gf-line); min-width: 2px; }
.gf-pairs tr.best td { font-weight: 700; color: var(--gf-accent); }
.gf-pairs tr.best td.share div { background: var(--gf-accent); }
.gf-curve { touch-action: pan-y pinch-zoom; cursor: ew-resize; }
.gf-merge { min-height: 2.7em; }
.gf-merge b { font-family: var(--st-code-font); color: var(--gf-accent); }
@container (max-width: 480px) { .gf-cut b { font-size: 0.875rem; padding: 2px 1px; } .gf-cut small { padding: 0 2px; letter-spacing: -0.02em; } .gf-cut span { gap: 1px; } .gf-cut, .gf-cut div { row-gap: 2px; } }
`;
