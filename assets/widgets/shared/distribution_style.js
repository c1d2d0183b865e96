// How the parts of distribution.js look.
export const STYLE = `
.gf-dist { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
.gf-dist th { font-weight: 500; font-size: 0.75rem; color: var(--gf-soft); text-align: right; padding: 2px 8px 5px; white-space: nowrap; }
.gf-dist th:first-child, .gf-dist td:first-child { text-align: left; padding-left: 6px; max-width: 11rem; overflow: hidden; text-overflow: ellipsis; }
.gf-dist td { font-family: var(--st-code-font); font-size: 0.8125rem; text-align: right; padding: 0 8px; height: 26px; white-space: pre; border-top: 1px solid var(--gf-wash); }
.gf-dist .bar { width: 44%; text-align: left; padding-right: 0; }
.gf-dist .bar div { position: relative; height: 14px; }
.gf-dist .bar i { position: absolute; left: 0; top: 0; height: 100%; border-radius: 3px; }
.gf-dist .was { border: 1px solid var(--gf-soft); opacity: 0.75; }
.gf-dist .is { background: var(--gf-fill); }
.gf-dist tr.cut td { color: var(--gf-soft); }
.gf-dist tr.cut .was { border-style: dashed; }
.gf-dist tr.on td { background: var(--gf-wash); }
.gf-dist tr.on td:first-child { color: var(--gf-accent); font-weight: 700; }
.gf-dist .rest td { color: var(--gf-soft); font-size: 0.75rem; white-space: normal; }
.gf-context { display: flex; gap: 2px; overflow-x: auto; padding: 3px; margin-bottom: 0.5rem; scrollbar-width: thin; }
.gf-context span { flex: none; font-family: var(--st-code-font); font-size: 0.8125rem; padding: 5px 4px; border-radius: 5px; cursor: pointer; white-space: pre; unicode-bidi: isolate; background: var(--gf-wash); }
.gf-context .later { opacity: 0.42; }
.gf-context .on { background: var(--gf-accent); color: var(--gf-on-accent); }
@container (max-width: 520px) { .gf-dist .opt { display: none; } .gf-dist td, .gf-dist th { padding-inline: 4px; } .gf-dist .bar { width: 34%; } .gf-dist td:first-child { max-width: 7.5rem; } }
`;
