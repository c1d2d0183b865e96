// The look of the texts side by side.
export const CSS = `
.gf-head:has(.gf-controls) { flex-wrap: wrap; align-items: center; margin-bottom: 0.3rem; gap: 0.2rem 0.75rem; }
.gf-head .gf-controls { flex: 1 1 20rem; flex-wrap: nowrap; margin: 0; gap: 0.4rem 0.6rem; }
.gf-head output { white-space: nowrap; min-width: 5.6em; }
.gf-head .gf-title { padding: 0; flex: 1 0 100%; }
.gf-cols { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0.5rem; align-items: stretch; }
.gf-col { position: relative; display: flex; flex-direction: column; border: 1px solid var(--gf-line); border-radius: 8px; padding: 0.4rem 0.6rem; min-width: 0; }
.gf-col.locked { border: 2px solid var(--st-text-color); }
.gf-cardhead { display: flex; align-items: baseline; justify-content: space-between; gap: 0.5rem; }
.gf-col h4 { margin: 0; font-size: 0.875rem; line-height: 1.3; font-weight: 600; flex: 1; }
.gf-cardhead .gf-soft { flex: none; font-family: var(--st-code-font); }
.gf-cardtools { position: absolute; top: 1px; right: 1px; z-index: 1; display: flex; gap: 1px; padding: 0 2px; opacity: 0; border-radius: 8px; background: var(--st-background-color); }
.gf-col:hover .gf-cardtools, .gf-col:focus-within .gf-cardtools { opacity: 1; }
@media (hover: none) { .gf-cardtools { position: static; opacity: 1; margin: 0 -6px; } }
.gf .gf-cardtools button { font-size: 0.75rem; padding: 2px 6px; color: var(--gf-soft); }
.gf .gf-cardtools button[aria-pressed="true"] { color: var(--st-text-color); font-weight: 650; }
.gf-text { flex: 1; font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.25rem; min-height: 4rem; overflow-y: auto; scrollbar-width: thin; white-space: pre-wrap; overflow-wrap: anywhere; border-radius: 4px; }
.gf-text span { border-radius: 3px; padding: 1px 0; cursor: pointer; unicode-bidi: isolate; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
.gf-text span.on { outline: 2px solid var(--gf-accent); }
.gf-text em { color: var(--gf-soft); font-family: var(--st-font); }
.gf-measures { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 0.8rem; margin-top: 0.3rem; padding-top: 0.25rem; border-top: 1px solid var(--gf-line); font-family: var(--st-code-font); font-size: 0.75rem; font-variant-numeric: tabular-nums; color: var(--gf-soft); }
.gf-measures b { color: var(--st-text-color); }
.gf-foot { margin: 0.35rem 0 0; gap: 0.3rem 0.5rem; }
.gf-foot .gf-legend { margin: 0 auto 0 0; }
.gf-detail { margin-top: 0.4rem; padding: 0.4rem 0.8rem; min-height: 10.2rem; }
.gf-detail .gf-readout { margin-top: 0; font-size: 0.75rem; }
.gf.presenting .gf-detail { min-height: 0; }
.gf.presenting .gf-measures span + span { display: none; }
.gf.presenting .gf-halves, .gf.presenting .gf-foot button, .gf.presenting .gf-foot select { display: none; }
.gf-halves { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1.5rem; align-items: start; }
.gf-halves table { width: 100%; border-collapse: collapse; font-family: var(--st-code-font); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.gf-halves th { font-weight: 500; text-align: left; }
.gf-halves thead th { font-family: var(--st-font); color: var(--gf-soft); }
.gf-halves th, .gf-halves td { padding: 1px 8px 1px 0; white-space: pre; height: 21px; }
.gf-detail .bar { width: 38%; padding: 0; }
.gf-detail .bar div { position: relative; height: 12px; }
.gf-detail .bar i { position: absolute; left: 0; top: 0; height: 100%; border-radius: 3px; }
.gf-detail .was { border: 1px solid var(--gf-soft); opacity: 0.75; }
.gf-detail .is { background: var(--gf-fill); }
.gf-detail .cut { color: var(--gf-soft); }
.gf-detail .cut .was { border-style: dashed; }
.gf-detail .took th { color: var(--gf-accent); font-weight: 700; }
.gf-editor { margin: 0 0 0.7rem; }
.gf-editor .gf-controls { margin-bottom: 0; }
.gf-editor input[type="number"] { font: inherit; width: 7.5em; color: inherit; background: var(--st-background-color); border: 1px solid var(--gf-line); border-radius: 6px; padding: 2px 6px; min-height: 28px; }
@container (max-width: 620px) { .gf-cols { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
@container (max-width: 460px) { .gf-head .gf-controls { flex-wrap: wrap; } .gf-cols, .gf-halves { grid-template-columns: minmax(0, 1fr); } }
`;
