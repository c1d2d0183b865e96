// How the parts of ledger.js look.
export const HEAD = 78;
export const ROW = 30;

export const STYLE = `
.gf-ledger { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 6px; align-items: start; }
.gf-ledger .names { position: relative; width: 4.2rem; font-size: 0.75rem; }
.gf-ledger .names span { position: absolute; right: 4px; transform: translateY(-50%); white-space: nowrap; color: var(--gf-soft); }
.gf-ledger .names span.on { color: var(--gf-accent); font-weight: 700; }
.gf-totals { grid-column: 1 / -1; overflow-x: auto; margin-top: 0.5rem; }
.gf-totals table { border-collapse: collapse; font-family: var(--st-code-font); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.gf-totals th, .gf-totals td { text-align: right; padding: 0 0 0 12px; white-space: nowrap; font-weight: 400; height: 24px; }
.gf-totals thead th { vertical-align: bottom; color: var(--gf-soft); font-family: var(--st-font); }
.gf-totals tr.on td, .gf-totals tr.on th { color: var(--gf-accent); font-weight: 700; }
.gf-behind { min-height: 6.6em; }
.presenting :is(.gf-totals, .gf-hint) { display: none; }
.presenting .gf-behind { min-height: 0; }
@container (max-width: 480px) {
  .gf-totals thead th { white-space: normal; line-height: 1.2; }
  .gf-totals th, .gf-totals td { padding-left: 7px; }
}
@container (min-width: 1180px) {
  .gf-ledger { grid-template-columns: auto minmax(0, 1fr) auto; }
  .gf-totals { grid-column: auto; margin-top: 0; }
  .gf-totals thead th { height: ${HEAD}px; white-space: normal; max-width: 5.6em; padding-bottom: 4px; line-height: 1.2; }
  .gf-totals tbody th { display: none; } .gf-totals thead th:first-child { display: none; }
  .gf-totals th, .gf-totals td { height: ${ROW}px; }
}
`;
