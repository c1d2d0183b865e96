// How the parts of merges.js look.
export const STYLE = `
.gf-cut { display: flex; flex-wrap: wrap; gap: 4px 2px; padding: 4px 2px; overflow-y: auto; line-height: 1; }
.gf-cut span { font-family: var(--st-code-font); font-size: 0.8125rem; padding: 5px 4px; min-width: 12px; min-height: 25px; text-align: center; border-radius: 5px; white-space: pre; unicode-bidi: isolate; max-width: 100%; overflow: hidden; text-overflow: ellipsis; border: 1px solid transparent; }
.gf-cut i { flex-basis: 100%; height: 0; }
.gf-cut .half { border: 1px dashed var(--gf-accent); }
.gf-cut .new { font-weight: 700; border: 2px solid var(--gf-accent); }
.gf-cut .left { border-right-style: none; border-radius: 5px 0 0 5px; margin-right: -2px; }
.gf-cut .right { border-left-style: none; border-radius: 0 5px 5px 0; }
.gf-cut .on { outline: 2px solid var(--gf-accent); outline-offset: 1px; }
.gf-pairs { border-collapse: collapse; width: 100%; font-size: 0.8125rem; font-variant-numeric: tabular-nums; margin-top: 0.3rem; }
.gf-pairs td { padding: 3px 8px 3px 0; height: 26px; white-space: nowrap; }
.gf-pairs td.pair { font-family: var(--st-code-font); max-width: 15rem; overflow: hidden; text-overflow: ellipsis; }
.gf-pairs td.count { font-family: var(--st-code-font); text-align: right; width: 3.4rem; }
.gf-pairs td.share { width: 50%; }
.gf-pairs td.share div { height: 12px; border-radius: 3px; background: var(--gf-line); min-width: 2px; }
.gf-pairs tr.best td { font-weight: 700; color: var(--gf-accent); }
.gf-pairs tr.best td.share div { background: var(--gf-accent); }
.gf-curve { touch-action: pan-y pinch-zoom; cursor: ew-resize; }
.gf-merge { font-size: 1rem; min-height: 3em; margin: 0 0 0.4rem; }
.gf-merge b { font-family: var(--st-code-font); color: var(--gf-accent); }
`;
