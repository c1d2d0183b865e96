export const STYLE = `
.gf-map { display: grid; gap: 0.3rem; }
.gf-map-top { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; align-items: center; }
.gf-map-top .gf-controls { flex: 1 1 320px; margin: 0; gap: 0.3rem 0.5rem; }
.gf-map-top .gf-controls output { min-width: 5.5em; font-size: 0.8125rem; }
.gf-map-top input[type="number"] { width: 4.2rem; font: inherit; font-size: 0.8125rem; color: inherit; background: var(--st-background-color); border: 1px solid var(--gf-line); border-radius: 6px; padding: 3px 6px; }
.gf-map-way { display: flex; flex-wrap: wrap; gap: 0.1rem 0.2rem; align-items: center; min-height: 30px; font-size: 0.8125rem; }
.gf-map-way button { padding: 2px 7px; }
.gf-map-way button[aria-current] { font-weight: 650; }
.gf-map-way .gf-more { margin-left: auto; display: flex; gap: 0.3rem; flex-wrap: wrap; align-items: center; }
.gf-map-way a { color: var(--gf-accent); }
.gf-map-stage { position: relative; outline-offset: -2px; }
.gf-map-stage canvas { display: block; touch-action: pan-y pinch-zoom; }
.gf-map-caption { font-size: 1.25rem; text-align: center; text-wrap: balance; min-height: 1.6em; margin: 0; display: grid; place-content: center; }
.gf-map-mark { position: absolute; left: 0; width: 1px; height: 1px; }
.gf-map-key { margin: 0; font-size: 0.8125rem; color: var(--gf-soft); text-align: center; text-wrap: balance; }
@container (max-width: 620px) { .gf-map-caption { min-height: 2.6em; } .gf-map-top select { display: none; } }
.gf-map-caption b { color: var(--gf-accent); font-weight: 650; }
.gf-map-readout { min-height: 1.5em; margin: 0; text-align: center; font-size: 0.8125rem; color: var(--gf-soft); overflow-wrap: anywhere; }
.gf-map-readout b { color: var(--st-text-color); }
.gf-map-list { position: absolute; left: 0; top: 0; z-index: 2; margin: 0; padding: 0.3rem; list-style: none; display: flex; flex-wrap: wrap; gap: 0.2rem; background: var(--st-background-color); border-radius: 6px; }
.gf-map-list:not(:focus-within) { width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.gf-map-film { display: flex; flex-wrap: wrap; gap: 0.3rem 0.8rem; align-items: center; }
.gf-map-film input { flex: 1 1 200px; }
.gf-inside { position: absolute; left: 0; top: 0; height: 100%; overflow: auto; background: var(--st-background-color); padding: 0.4rem 0.6rem; border-radius: 12px; border: 1px solid var(--gf-line); }
.gf-inside.whole { position: static; height: auto; }
.gf-matrices { display: grid; grid-template-columns: repeat(auto-fit, minmax(100px, 168px)); gap: 0.4rem; justify-content: center; align-content: center; min-height: 100%; }
.gf-matrices:has(> :nth-child(4)) { grid-template-columns: repeat(3, minmax(0, 168px)); }
.gf .gf-matrix { display: grid; gap: 2px; justify-items: center; align-content: start; padding: 8px; white-space: normal; }
.gf-matrix canvas { width: min(132px, 100%, 17vh); aspect-ratio: 1; image-rendering: pixelated; border: 1px solid; border-radius: 4px; }
.gf-matrix span { color: var(--gf-soft); font-size: 0.75rem; line-height: 1.3; }
.gf-what { margin: 0.2rem 0 0.5rem; }
.gf-what code { font-family: var(--st-code-font); font-size: 0.75rem; color: var(--gf-soft); }
.gf-inside table { border-collapse: collapse; font-family: var(--st-code-font); font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
.gf-inside td, .gf-inside th { padding: 1px 10px; text-align: right; font-weight: 400; height: 26px; }
.gf-inside thead th { color: var(--gf-soft); font-size: 0.75rem; }
.gf-inside tr.total { border-top: 1px solid var(--gf-line); }
.gf-inside tr.total td, .gf-inside tr.total th { font-weight: 650; }
.gf .gf-from { min-height: 22px; text-decoration: underline dotted; font-family: inherit; padding: 0 4px; }
.gf-amount { display: block; height: 9px; border-radius: 2px; background: #6857A5; }
.gf-amount.less { background: #C77A20; }
.gf-step { margin: 0.25rem 0; font-family: var(--st-code-font); font-size: 0.8125rem; display: flex; gap: 0.8rem; }
.gf-step.total b { font-size: 1.0625rem; }
.gf-step.on b { color: var(--gf-accent); }
.gf-handle { display: flex; align-items: center; gap: 0.6rem; margin-top: 0.4rem; }
.gf-handle input[type="range"] { flex: 1; max-width: 360px; }
`;
