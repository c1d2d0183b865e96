// How the parts of beam_tree.js look.
export const STYLE = `
.gf.presenting :is(.gf-head, .gf-pool, .gf-readout:has(.gf-hint)) { display: none; }
.gf-controls { margin: 0 0 0.3rem; }
.gf-said { min-height: 2.8em; line-height: 1.35; font-size: 0.875rem; margin-bottom: 0.3rem; }
.gf-stage { cursor: pointer; }
.gf-pool { margin-top: 0.8rem; }
.gf-pool table { border-collapse: collapse; width: 100%; font-size: 0.8125rem; }
.gf-pool th, .gf-pool td { text-align: right; padding: 3px 0 3px 12px; border-bottom: 1px solid var(--gf-line); font-variant-numeric: tabular-nums; white-space: nowrap; vertical-align: top; }
.gf-pool thead th { white-space: normal; font-weight: 600; color: var(--gf-soft); font-size: 0.75rem; }
.gf-pool tbody :is(th, td) { font-family: var(--st-code-font); font-weight: 400; }
.gf-pool :is(th, td):first-child { text-align: left; padding-left: 0; white-space: normal; overflow-wrap: anywhere; min-width: 9em; }
.gf-pool tr.greedy :is(th, td) { color: var(--gf-soft); }
.gf-pool tr.best :is(th, td) { color: var(--gf-accent); font-weight: 700; }
.gf-key { width: 22px; height: 14px; border-radius: 4px; }
`;
