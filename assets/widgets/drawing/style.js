// The look that all widgets share. Colors come from Streamlit's theme (--st-*) and from theme.js (--gf-*).

export const STYLE = `
:host, .gf { display: block; }
.gf, .gf * { box-sizing: border-box; }
.gf { font-family: var(--st-font); color: var(--st-text-color); font-size: 0.875rem; line-height: 1.45; margin: 0; position: relative; container-type: inline-size; }
.gf [hidden] { display: none !important; }
.gf-mono { font-family: var(--st-code-font); font-variant-numeric: tabular-nums; }
.gf-head { display: flex; gap: 0.75rem; align-items: flex-start; justify-content: space-between; margin-bottom: 0.6rem; min-height: 28px; }
.gf-title { font-weight: 600; letter-spacing: -0.005em; text-wrap: balance; padding-top: 3px; }
.gf-tools { display: flex; gap: 2px; flex: none; opacity: 0; transition: opacity 120ms ease-out; }
@media (hover: none) { .gf-tools { opacity: 0.72; } }
.gf.presenting .gf-tools { display: none; }
.gf-tools button + button { display: var(--gf-files, inline-block); }
.gf.presenting { --gf-least: 0.75rem; }
.gf.presenting button { min-height: 1.75rem; }
.gf:hover .gf-tools, .gf:focus-within .gf-tools { opacity: 1; }
.gf button, .gf select { font: inherit; font-size: 0.8125rem; color: inherit; background: transparent; border: 1px solid transparent; border-radius: 6px; min-height: 28px; min-width: 28px; padding: 2px 9px; cursor: pointer; }
.gf select, .gf button.gf-solid { border-color: var(--gf-line); background: var(--st-background-color); }
.gf select option { background: var(--st-background-color); color: var(--st-text-color); }
.gf button:hover, .gf select:hover { background: var(--gf-wash); }
.gf button[aria-pressed="true"] { background: var(--gf-wash); color: var(--gf-accent); }
.gf button.gf-primary { background: var(--gf-accent); color: var(--gf-on-accent); font-weight: 600; }
.gf button.gf-primary:hover { filter: brightness(1.08); }
.gf button:disabled { opacity: 0.45; cursor: default; }
.gf :focus-visible { outline: 2px solid var(--gf-accent); outline-offset: 2px; border-radius: 6px; }
.gf-scroll { overflow-x: auto; overflow-y: hidden; padding: 2px; margin: -2px; scrollbar-width: thin; }
.gf-stage { position: relative; touch-action: pan-x pan-y pinch-zoom; cursor: crosshair; }
.gf-stage canvas { position: absolute; left: 0; top: 0; display: block; }
.gf-stage .gf-over { pointer-events: none; }
.gf-label { position: absolute; white-space: pre; font-family: var(--st-code-font); line-height: 1; color: var(--gf-soft); pointer-events: none; transform-origin: 0 50%; unicode-bidi: isolate; }
.gf-label.on { color: var(--gf-accent); font-weight: 700; background: var(--st-background-color); z-index: 1; }
.gf-axis { position: absolute; white-space: nowrap; font-size: 0.75rem; color: var(--gf-soft); pointer-events: none; }
.gf-readout { min-height: 1.6em; margin-top: 0.55rem; font-family: var(--st-code-font); font-size: 0.8125rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.gf-sentence { margin: 0.6rem 0 0; font-size: 1.25rem; line-height: 1.35; text-align: center; text-wrap: balance; }
.gf-sentence code { font-family: var(--st-code-font); font-size: 0.94em; }
.gf-key-number { font-size: 1.75rem; line-height: 1.1; font-weight: 700; color: var(--st-primary-color); font-variant-numeric: tabular-nums; }
.gf-hint { color: var(--gf-soft); font-family: var(--st-font); }
.gf-readout b { color: var(--gf-accent); font-weight: 700; }
.gf-legend { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 1.1rem; margin-top: 0.55rem; font-size: 0.75rem; color: var(--gf-soft); }
.gf-legend > span, .gf-range { display: inline-flex; align-items: center; gap: 0.45rem; }
.gf-legend > span:has(.gf-range) { flex-wrap: wrap; }
.gf-bar { width: 128px; height: 10px; border-radius: 5px; border: 1px solid var(--gf-line); }
.gf-swatch { width: 14px; height: 14px; border-radius: 3px; border: 1px solid var(--gf-line); }
.gf-hatch { background: repeating-linear-gradient(135deg, transparent 0 3px, var(--gf-line) 3px 4px); }
.gf-truth { border: 2px solid var(--gf-truth); border-radius: 50%; }
.gf-live { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.gf-table { max-height: 26rem; overflow: auto; border: 1px solid var(--gf-line); border-radius: 6px; }
.gf-table table { border-collapse: collapse; font-family: var(--st-code-font); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.gf-table th, .gf-table td { padding: 4px 9px; text-align: right; border-bottom: 1px solid var(--gf-line); white-space: pre; }
.gf-table th { font-weight: 600; background: var(--gf-panel); position: sticky; top: 0; }
.gf-table tbody th { text-align: left; left: 0; }
.gf-table thead th:first-child { left: 0; z-index: 1; text-align: left; }
.gf-formula { display: var(--gf-deep, flex); flex-wrap: wrap; gap: 0.5rem 0; margin-top: 0.5rem; padding: 0.6rem 0.8rem; background: var(--gf-panel); border-radius: 6px; font-family: var(--st-code-font); font-size: 0.8125rem; font-variant-numeric: tabular-nums; min-height: 3.6rem; align-items: center; }
.gf-formula .term { display: inline-flex; align-items: flex-end; gap: 0.55rem; padding-right: 0.55rem; }
.gf-formula .value { display: inline-flex; flex-direction: column; }
.gf-formula i { font-style: normal; color: var(--gf-soft); font-size: 0.75rem; }
.gf-formula .op { color: var(--gf-soft); }
.gf-formula .hit .value span { color: var(--gf-accent); font-weight: 700; }
.gf-error { padding: 0.7rem 0.9rem; border: 1px solid var(--gf-line); border-radius: 6px; }
.gf-controls { display: flex; flex-wrap: wrap; gap: 0.5rem 1.4rem; align-items: center; margin: 0.3rem 0 0.7rem; }
.gf-controls label { display: inline-flex; align-items: center; gap: 0.55rem; font-size: 0.8125rem; }
.gf-choice-of { display: inline-flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.4rem; }
.gf-controls output { min-width: 3.4em; font-family: var(--st-code-font); font-variant-numeric: tabular-nums; }
.gf input[type="range"] { accent-color: var(--gf-accent); height: 24px; width: 140px; margin: 0; cursor: pointer; background: transparent; }
.gf input[type="range"]::-moz-range-thumb { width: 16px; height: 16px; border: 0; border-radius: 50%; background: var(--gf-accent); }
.gf input[type="range"]::-moz-range-track { height: 6px; border-radius: 3px; background: var(--gf-line); }
.gf input[type="range"]::-moz-range-progress { height: 6px; border-radius: 3px; background: var(--gf-accent); }
.gf input[type="range"]:disabled { opacity: 0.45; cursor: default; }
.gf-split { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem 1.6rem; align-items: start; }
.gf-panel { background: var(--gf-panel); border-radius: 6px; padding: 0.8rem; min-width: 0; }
/* Told from the depth Numbers on, and in its place at Story: core/ui/frame/depth.py sets both on the page. */
.gf-deep { display: var(--gf-deep, inline); }
.gf-plain { display: var(--gf-plain, none); }
.gf :is(th, td).gf-deep { display: var(--gf-deep, table-cell); }
.gf :is(div, pre, p).gf-deep { display: var(--gf-deep, block); }
.gf-soft { color: var(--gf-soft); font-size: 0.75rem; }
.gf-pair { display: flex; flex-wrap: wrap; gap: 0.6rem 1.4rem; align-items: flex-start; }
.gf-pair > :last-child { flex: 1 1 280px; min-width: 0; }
@container (min-width: 760px) { .gf-split { grid-template-columns: minmax(0, 1fr) minmax(250px, 28%); } .gf-split > .gf-panel { position: sticky; top: 4.5rem; } .gf-split.even { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
@media (max-width: 640px) { .gf :is(a, [role="option"]) { min-width: 24px; min-height: 24px; } .gf a { display: inline-block; padding-block: 3px; } .gf :is(input:not([type="range"]), select, textarea) { font-size: 16px !important; } }
/* Without a title, the tools need no line of their own: over the picture for a mouse, below it for a finger. */
.gf-head:has(> .gf-title:empty) { position: absolute; right: 0; bottom: 100%; margin: 0; pointer-events: none; }
.gf-title:empty + .gf-tools { pointer-events: auto; background: var(--st-background-color); }
@media (hover: none) { .gf:has(> .gf-head > .gf-title:empty) { display: flex; flex-direction: column; } .gf > .gf-head:has(> .gf-title:empty) { position: static; order: 1; justify-content: flex-end; background: none; } }
@container (max-width: 480px) { .gf-sentence { font-size: 1.0625rem; text-align: start; } .gf { font-size: 0.8125rem; } .gf-head { flex-direction: row; } .gf-tools button { padding: 2px 6px; } .gf-legend { gap: 0.35rem 0.8rem; } .gf-bar { width: 96px; } .gf input[type="range"] { width: 110px; flex: 1; } .gf-controls label { width: 100%; } .gf-controls label > span { min-width: 6.4em; } }
@media (prefers-reduced-motion: no-preference) { .gf button, .gf-tools { transition: background 0.12s, opacity 0.12s; } }
`;
