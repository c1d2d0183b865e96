// How the parts of lookup.js look.
export const STYLE = `
.lk-table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; max-width: 62rem; }
.lk-table th { font-weight: 500; font-size: 0.75rem; color: var(--gf-soft); text-align: left; padding: 3px 8px; white-space: nowrap; }
.lk-table tbody th { font-size: 0.875rem; color: inherit; font-weight: 600; }
.lk-table td { padding: 3px 8px; font-family: var(--st-code-font); border-top: 1px solid var(--gf-wash); white-space: nowrap; height: 36px; }
.lk-table tbody th { border-top: 1px solid var(--gf-wash); }
.lk-table tr.at td, .lk-table tr.at th { background: var(--gf-wash); }
.lk-table tr.best th::after { content: " ◂ best"; color: var(--gf-accent); font-weight: 600; font-size: 0.75rem; }
.lk-table input { width: 3.6em; font: inherit; font-family: var(--st-code-font); color: inherit; background: var(--st-background-color); border: 1px solid var(--gf-line); border-radius: 5px; padding: 4px 3px; text-align: right; margin-right: 3px; }
.lk-table input[aria-invalid="true"] { border: 2px solid var(--gf-accent); }
.lk-table .bar { width: 34%; min-width: 84px; }
.lk-bar { display: flex; align-items: center; gap: 0.5rem; }
.lk-bar i { display: block; height: 18px; border-radius: 3px; background: var(--gf-fill); flex: none; }
.lk-bar > span:first-child { flex: 1; }
.lk-answers { display: grid; grid-template-columns: repeat(2, max-content) minmax(0, 1fr); gap: 0.25rem 0.9rem; align-items: baseline; margin: 0.8rem 0; }
.lk-answers .gf-mono { font-weight: 600; font-size: 1rem; }
.lk-planes { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.4rem 16px; }
@container (max-width: 559px) { .lk-planes { grid-template-columns: minmax(0, 1fr); } }
.lk-name { font-size: 0.875rem; margin-bottom: 2px; }
.gf-controls.lk-warm { margin: 0.7rem 0 0.3rem; justify-content: center; }
.lk-presets { display: flex; gap: 0.4rem; }
.gf .lk-presets button { padding: 2px 8px; }
.lk-warm + details summary { cursor: pointer; width: fit-content; min-height: 28px; color: var(--gf-soft); font-size: 0.875rem; }
.gf .lk-warm input[type="range"] { width: min(13rem, 60vw); }
.lk-problem { color: var(--gf-accent); font-weight: 600; }
@container (max-width: 620px) { .lk-answers { grid-template-columns: repeat(2, max-content); } .lk-answers .gf-soft { grid-column: 1 / -1; } .lk-name { font-size: 0.8125rem; } .lk-table .opt { display: none; } .lk-table td, .lk-table th { padding: 3px; } .lk-table tbody th { font-size: 0.8125rem; } .lk-table input { width: 2.25rem; padding: 4px 2px; margin-right: 1px; } .lk-table .bar { min-width: 66px; } .lk-table td { font-size: 0.75rem; } .lk-bar { gap: 0.25rem; } .lk-table tr.best th::after { content: " ◂"; } }
`;
