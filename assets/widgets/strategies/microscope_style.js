// How the parts of microscope.js look.
export const STYLE = `
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
@container (max-width: 560px) { .gf-stages .bar { display: none; } .gf-stages td, .gf-stages th { padding-inline: 4px; } .gf-stages thead th { white-space: normal; } }
`;
