// The look of the walk through one attention layer.

export const STYLE = `
.st-top { display: flex; flex-wrap: wrap; gap: 0.5rem 1.2rem; align-items: center; justify-content: space-between; }
.st-bar { display: flex; gap: 0.4rem; align-items: center; flex-wrap: wrap; }
.st-bar button { min-height: 36px; padding: 4px 14px; }
.gf button[aria-disabled="true"] { opacity: 0.45; cursor: default; }
.st-choice { display: inline-flex; border: 1px solid var(--gf-line); border-radius: 8px; overflow: hidden; }
.gf .st-choice button { border-radius: 0; min-height: 34px; padding: 3px 12px; }
.gf .st-choice button[aria-pressed="true"] { font-weight: 600; box-shadow: inset 0 -2px 0 var(--gf-accent); }
.st-strip { display: flex; gap: 4px; overflow-x: auto; margin: 0.5rem 0 0.4rem; padding: 3px; scrollbar-width: thin; position: relative; }
.gf .st-strip button { flex: none; border-color: var(--gf-line); background: var(--st-background-color); border-radius: 8px; min-height: 34px; padding: 4px 6px 5px 5px; font-size: 0.78rem; white-space: nowrap; display: flex; flex-direction: column; gap: 4px; align-items: center; justify-content: space-between; }
.st-strip canvas { display: block; image-rendering: pixelated; border-radius: 2px; }
.st-strip .moved > span::after { content: ""; display: inline-block; width: 7px; height: 7px; border-radius: 50%; background: var(--gf-accent); margin-left: 4px; vertical-align: 2px; }
.st-strip i { font-style: normal; display: inline-grid; place-items: center; min-width: 1.5em; height: 1.5em; border-radius: 1em; margin-right: 0.35em; background: var(--gf-wash); font-size: max(0.68rem, var(--gf-least, 0px)); font-variant-numeric: tabular-nums; }
.st-strip .done i { background: var(--gf-line); }
.gf .st-strip button[aria-current="step"] { border-color: var(--gf-accent); color: var(--gf-accent); font-weight: 650; }
.st-strip [aria-current="step"] i { background: var(--gf-accent); color: var(--gf-on-accent); }
.st-story { display: grid; gap: 0.15rem; margin: 0.2rem 0 0.6rem; max-width: 62rem; min-height: 3rem; align-content: start; }
.st-story .math { font-family: var(--st-code-font); font-size: 1.125rem; font-weight: 600; }
.st-story p { margin: 0; font-size: 0.9375rem; }
.st-why { position: sticky; top: 3.6rem; z-index: 3; background: var(--st-background-color); border: 1px solid var(--gf-line); border-radius: 8px; padding: 0.5rem 0.8rem; margin-bottom: 0.6rem; min-height: 5rem; box-shadow: 0 6px 14px -12px rgb(0 0 0 / 45%); }
.st-why .name { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; font-weight: 600; overflow-wrap: anywhere; }
.st-why .name span + span { font-weight: 400; color: var(--gf-soft); font-size: 0.8125rem; }
.gf .st-why .gf-formula { margin: 0; padding: 0.15rem 0; background: none; min-height: 2.6rem; font-size: 0.9375rem; gap: 0.2rem 0; }
.st-why .note { margin: 0; font-size: 0.8125rem; }
.st-sheet { overflow-x: auto; padding: 3px; margin: -3px; scrollbar-width: thin; }
.st-panels { display: flex; flex-wrap: wrap; gap: 1.4rem 2.5rem; align-items: flex-start; width: max-content; max-width: 100%; }
.st-head { font-weight: 650; margin: 0 0 0.3rem; padding-bottom: 2px; border-bottom: 2px solid var(--gf-line); }
.st-falk { display: grid; grid-template-columns: max-content max-content; gap: 10px 12px; align-items: end; }
.st-chain { display: flex; flex-wrap: wrap; gap: 0.8rem 0.6rem; align-items: flex-end; }
.many .st-chain { flex-direction: column; align-items: flex-start; }
.st-link { display: flex; gap: 0.6rem; align-items: center; }
.many .st-link { flex-direction: column; align-items: flex-start; gap: 0.3rem; }
.st-sign { font-family: var(--st-code-font); color: var(--gf-soft); font-size: 1rem; white-space: nowrap; }
.many .st-sign { font-size: 0.8125rem; padding-left: 0.5rem; }
.many .st-sign:not(:empty)::before { content: "↓ "; }
.st-name { display: flex; gap: 0.6rem; align-items: baseline; height: 1.55em; width: 0; font-family: var(--st-code-font); font-size: 0.875rem; white-space: nowrap; }
.st-name small { color: var(--gf-soft); font-size: max(0.72rem, var(--gf-least, 0px)); }
.st-name sub { line-height: 0; }
.st-m table { border-collapse: separate; border-spacing: 0; table-layout: fixed; font-family: var(--st-code-font); font-size: var(--fs); font-variant-numeric: tabular-nums; line-height: 1; }
.st-m th { font-weight: 500; color: var(--gf-soft); padding: 0 2px; height: 1.5em; overflow: hidden; white-space: nowrap; text-align: center; font-size: 0.92em; unicode-bidi: isolate; }
.st-m tbody th { text-align: right; padding-right: 6px; }
.st-m.bare thead { visibility: hidden; }
.st-m td { width: var(--cw); height: var(--ch); padding: 0; text-align: center; border: 1px solid var(--st-background-color); position: relative; cursor: pointer; overflow: visible; }
.gf .st-m td:focus-visible, .gf .st-m td:focus { outline: 2px solid var(--gf-accent); outline-offset: 2px; border-radius: 2px; z-index: 2; }
.st-m td.from { box-shadow: inset 0 0 0 2.5px var(--gf-accent); font-weight: 700; }
.st-m td.at { box-shadow: inset 0 0 0 3px var(--gf-accent), 0 0 0 2px var(--gf-accent); font-weight: 700; z-index: 1; border-radius: 2px; }
.st-m td.sum { color: var(--gf-soft); background: none; border-left: 2px solid var(--gf-line); }
.st-m tr.sum td { border-left-color: transparent; border-top: 2px solid var(--gf-line); }
.st-m .cut-c { border-left: 3px solid var(--st-text-color) !important; }
.st-m td.cut-r { border-top: 3px solid var(--st-text-color); }
.gf .st-m td.at:focus { outline-offset: 1px; }
.st-m td.set::after { content: ""; position: absolute; right: 0; top: 0; border: 5px solid; border-color: var(--gf-accent) var(--gf-accent) transparent transparent; }
.st-m td.set { text-decoration: underline 2px; text-underline-offset: 3px; }
.st-m td.moved::after { content: ""; position: absolute; right: 1px; top: 1px; width: 5px; height: 5px; border-radius: 50%; background: currentColor; }
.st-m td.later { color: transparent !important; background: var(--gf-panel) !important; }
.st-m td.later::after { display: none; }
.st-m input { position: absolute; inset: -3px -9px; width: calc(100% + 18px); font: inherit; text-align: center; border: 2px solid var(--gf-accent); border-radius: 5px; padding: 0; background: var(--st-background-color); color: var(--st-text-color); z-index: 4; }
.st-foot { display: flex; flex-wrap: wrap; gap: 0.4rem 1.2rem; align-items: center; margin-top: 0.4rem; }
.presenting :is(.st-strip canvas, .st-foot) { display: none; }
.st-badge { font-size: 0.8125rem; }
.st-badge b { color: var(--gf-accent); }
.st-code { margin: 0.6rem 0 0; font-family: var(--st-code-font); font-size: 0.8125rem; overflow-x: auto; white-space: pre; padding: 0.45rem 0.8rem; background: var(--gf-panel); border-radius: 6px; }
.st-code small { color: var(--gf-soft); }
.st-problem { color: var(--gf-accent); font-weight: 600; }
@container (max-width: 620px) { .st-why { position: static; } .st-story { min-height: 0; } .st-bar button { padding: 4px 10px; } .gf .st-why .gf-formula { font-size: 0.8125rem; } }
@media (prefers-reduced-motion: no-preference) { .st-m td { transition: background 0.18s, box-shadow 0.1s; } }
`;
