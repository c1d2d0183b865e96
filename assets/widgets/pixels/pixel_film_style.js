// How the parts of pixel_film.js look.
export const STYLE = `
.gf-stage { cursor: pointer; touch-action: pan-y pinch-zoom; }
.gf-stage:focus-visible { outline-offset: 5px; }
.gf h4 { margin: 0 0 0.2rem; font-size: 0.8125rem; font-weight: 600; }
.gf-said { margin: 0 0 0.5rem; font-size: 0.8125rem; min-height: 2.9em; }
.level { display: grid; grid-template-columns: 2.1rem 1rem minmax(0, 1fr) 6.6rem; gap: 0.45rem; align-items: center; font-family: var(--st-code-font); font-size: 0.75rem; font-variant-numeric: tabular-nums; line-height: 1.5; }
.level .bars { display: grid; gap: 1px; }
.level i { display: block; height: 6px; border-radius: 2px; }
.level i.raw { background: var(--gf-soft); opacity: 0.55; }
.level i.used { background: var(--gf-fill); }
.level .n { text-align: right; white-space: pre; }
.level.drawn > :first-child, .level.drawn .n { color: var(--gf-accent); font-weight: 700; }
.ink { width: 14px; height: 14px; border: 1px solid var(--gf-line); border-radius: 2px; }
.many .level { line-height: 1.25; }
@container (min-width: 760px) { .gf-split { grid-template-columns: minmax(0, 1fr) minmax(16.2rem, 33%); } }
`;
