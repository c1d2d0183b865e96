// The look of the texts side by side.
export const CSS = `
.gf-cols { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: 0.7rem; align-items: stretch; }
.gf-col { border: 1px solid var(--gf-line); border-radius: 8px; padding: 0.55rem 0.6rem 0.7rem; min-width: 0; }
.gf-col.locked { border-color: var(--gf-accent); }
.gf-col h4 { margin: 0; font-size: 0.875rem; font-weight: 600; text-wrap: balance; }
.gf-cardtools { display: flex; flex-wrap: wrap; gap: 2px; margin: 0.15rem -6px 0.35rem; }
.gf .gf-cardtools button { font-size: 0.75rem; padding: 2px 6px; color: var(--gf-soft); }
.gf .gf-cardtools button[aria-pressed="true"] { color: var(--gf-accent); }
.gf-text { font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.75; min-height: 4rem; white-space: pre-wrap; overflow-wrap: anywhere; border-radius: 4px; }
.gf-text span { border-radius: 3px; padding: 2px 0; cursor: pointer; unicode-bidi: isolate; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
.gf-text span.on { outline: 2px solid var(--gf-accent); }
.gf-text em { color: var(--gf-soft); font-family: var(--st-font); }
.gf-detail { margin-top: 0.7rem; min-height: 20rem; }
.gf-detail .gf-readout { margin-top: 0; }
.gf-detail table { width: 100%; border-collapse: collapse; font-family: var(--st-code-font); font-size: 0.8125rem; font-variant-numeric: tabular-nums; margin-top: 0.3rem; }
.gf-detail th { font-weight: 500; text-align: left; }
.gf-detail thead th { font-family: var(--st-font); font-size: 0.75rem; color: var(--gf-soft); }
.gf-detail th, .gf-detail td { padding: 1px 8px 1px 0; white-space: pre; height: 23px; }
.gf-detail .bar { width: 45%; padding: 0; }
.gf-detail .bar div { position: relative; height: 13px; }
.gf-detail .bar i { position: absolute; left: 0; top: 0; height: 100%; border-radius: 3px; }
.gf-detail .was { border: 1px solid var(--gf-soft); opacity: 0.75; }
.gf-detail .is { background: var(--gf-fill); }
.gf-detail .cut { color: var(--gf-soft); }
.gf-detail .cut .was { border-style: dashed; }
.gf-detail .took th { color: var(--gf-accent); font-weight: 700; }
.gf-compare { margin-top: 0.9rem; }
.gf-compare table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.gf-compare th, .gf-compare td { padding: 5px 10px; text-align: right; border-bottom: 1px solid var(--gf-line); white-space: nowrap; }
.gf-compare th { font-weight: 600; }
.gf-compare thead th { font-size: 0.75rem; color: var(--gf-soft); white-space: normal; vertical-align: bottom; }
.gf-compare th:first-child { text-align: left; padding-left: 0; }
.gf-compare tbody td { font-family: var(--st-code-font); }
.gf-compare .best { font-weight: 700; color: var(--gf-accent); }
.gf-editor { margin: 0 0 0.7rem; }
.gf-editor .gf-controls { margin-bottom: 0; }
.gf-editor input[type="number"] { font: inherit; width: 7.5em; color: inherit; background: var(--st-background-color); border: 1px solid var(--gf-line); border-radius: 6px; padding: 2px 6px; min-height: 28px; }
@container (max-width: 520px) { .gf-cols { grid-template-columns: minmax(0, 1fr); } .gf-detail { min-height: 24rem; } .gf-detail .bar { width: 22%; } .gf-detail th, .gf-detail td { padding-right: 5px; } .gf-compare th, .gf-compare td { padding: 5px 3px; font-size: 0.75rem; } .gf-compare thead th { font-size: max(0.6875rem, var(--gf-least, 0px)); } .gf-compare th { white-space: normal; } }
`;
