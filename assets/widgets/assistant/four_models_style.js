// The look of `four_models.js`: a chat in four rows with three shares beside each; narrow, one share above each bubble.
export const STYLE = `
.gf-stages { display: grid; grid-template-columns: 28px minmax(0, 10rem) minmax(0, 1fr) repeat(3, 5.1rem); column-gap: 10px; row-gap: var(--gap); font-size: 0.875rem; font-variant-numeric: tabular-nums; }
.gf-stages > div { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: center; min-height: var(--row); }
.gf-stages > .ask { min-height: 0; align-items: end; }
.gf-stages .you { grid-column: 1 / 4; display: flex; align-items: center; gap: 12px; color: var(--gf-soft); }
.gf-stages .you span { font: 700 1.25rem/1.2 var(--st-code-font); color: var(--st-text-color); background: var(--gf-wash); border-radius: 1.25rem; padding: 6px 20px; }
.gf-stages .ask b { font-size: 0.8125rem; line-height: 1.2; font-weight: 600; color: var(--gf-soft); padding-left: 10px; }
.gf-stages .no { position: relative; width: 28px; height: 28px; border-radius: 50%; display: grid; place-items: center; font-weight: 700; color: var(--st-background-color); background: var(--st-primary-color); }
.gf-stages .first .no { background: var(--gf-soft); }
.gf-stages > div:not(.ask) { position: relative; }
.gf-stages > div:not(.ask)::before { content: ""; position: absolute; left: 12.5px; width: 3px; top: calc(-1 * var(--gap)); bottom: 0; background: color-mix(in srgb, var(--st-primary-color) 40%, var(--st-background-color)); }
.gf-stages > .first:not(.ask)::before { top: 50%; }
.gf-stages > .now:not(.ask)::before { bottom: 50%; }
.gf-stages .name b { display: block; line-height: 1.25; }
.gf-stages .name b::first-letter { text-transform: uppercase; }
.gf-stages .name { font-size: 0.8125rem; line-height: 1.3; color: var(--gf-soft); }
.gf-stages .name b { font-size: 1rem; color: var(--st-text-color); }
.gf-stages .says { display: flex; align-items: center; justify-content: space-between; gap: 8px; align-self: stretch; padding: 2px 12px 2px 14px; border-radius: 14px; border: 2.5px solid transparent; background: color-mix(in srgb, var(--st-primary-color) 12%, transparent); }
.gf-stages .first .says { background-color: var(--gf-wash); }
.gf-stages .says.gf-hatch { background: repeating-linear-gradient(135deg, var(--gf-wash) 0 6px, var(--gf-line) 6px 7px); }
.gf-stages .now .says { border-color: var(--st-primary-color); }
.gf-stages .says p { margin: 0; font: 600 1.0625rem/1.4 var(--st-code-font); text-wrap: balance; }
.gf-stages .says p b { font-weight: 600; border-radius: 4px; }
.gf-stages .says p .key { font-size: 1.375rem; line-height: 1; font-weight: 800; }
.gf-stages .right p .key { color: var(--st-primary-color); }
.gf-stages .says p .on b { background: var(--gf-accent); color: var(--gf-on-accent); }
.gf-stages .says i { flex: none; font-style: normal; font-weight: 650; font-size: 0.8125rem; color: var(--gf-soft); text-align: center; }
.gf-stages .says i em { display: block; font-style: normal; font-size: 1.25rem; line-height: 1; }
.gf-stages .right .says i { color: var(--st-primary-color); }
.gf-stages .hidden p { width: 100%; text-align: center; font-size: 1.5rem; }
.gf-stages .share { padding: 4px 8px 7px; border: 2.5px solid transparent; border-radius: 10px; font-size: 1.125rem; line-height: 1.4; color: var(--gf-soft); }
.gf-stages .share.gain { border-color: var(--st-primary-color); background: color-mix(in srgb, var(--st-primary-color) 6%, transparent); font-size: 1.5rem; line-height: 1.1; font-weight: 750; color: var(--st-primary-color); }
.gf-stages .share u { display: block; height: 8px; margin-top: 2px; border-radius: 4px; background: var(--gf-wash); }
.gf-stages .share u s { display: block; height: 8px; border-radius: 4px; background: color-mix(in srgb, var(--gf-soft) 50%, transparent); }
.gf-stages .share.gain u s { background: var(--st-primary-color); }
.gf-stages .later { visibility: hidden; }
.gf-stages .now .says p > span { animation: gf-say 240ms ease-out calc(var(--i) * 40ms) backwards; }
.gf-stages .now .share u s { animation: gf-grow 240ms ease-out 400ms backwards; }
@keyframes gf-say { from { opacity: 0; } }
@keyframes gf-grow { from { width: 0; } }
.gf-stages.low { grid-template-columns: 28px minmax(0, 9.4rem) minmax(0, 1fr) repeat(3, 4.7rem); column-gap: 8px; }
.gf-stages.low .says p { font-size: 0.9375rem; line-height: 1.3; }
.gf-stages.low .says p .key { font-size: 1.125rem; }
.gf-stages.low .says i span { position: absolute; clip-path: inset(50%); }
.gf-stages.narrow { grid-template-columns: minmax(0, 1fr) auto; }
.gf-stages.narrow > div { row-gap: 1px; min-height: 0; }
.gf-stages.narrow .ask { justify-items: end; }
.gf-stages.narrow .you { grid-column: 1 / -1; }
.gf-stages.narrow .you span { font-size: 1rem; padding: 4px 14px; }
.gf-stages.narrow > div:not(.ask)::before, .gf-stages.narrow .ask > b, .gf-stages.narrow .no, .gf-stages.narrow .share:not(.gain), .gf-stages.narrow .name span, .gf-stages.narrow .share u { display: none; }
.gf-stages.narrow .name b { font-size: 0.875rem; }
.gf-stages.narrow .says { grid-area: 2 / 1 / 3 / 3; min-height: var(--row); padding: 0 10px; }
.gf-stages.narrow .says p { font-size: 0.875rem; line-height: 1.3; }
.gf-stages.narrow .says p .key { font-size: 1.125rem; }
.gf-stages.narrow .share.gain { grid-area: 1 / 2; justify-self: end; border: 0; background: none; padding: 0; font-size: 0.875rem; line-height: 1.2; }
@media (prefers-reduced-motion: reduce) { .gf-stages .now :is(.share u s, .says p > span) { animation: none; } }
`;
