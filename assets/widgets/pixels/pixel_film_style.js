// How the parts of pixel_film.js look.
export const STYLE = `
.gf-pixels .gf-stage { cursor: pointer; touch-action: pan-y pinch-zoom; }
.gf-pixels .gf-stage:focus-visible { outline-offset: 5px; }
.gf-pixels h4 { margin: 0 0 0.2rem; font-size: 0.8125rem; font-weight: 600; }
.gf-pixels .gf-said { margin: 0 0 0.5rem; font-size: 0.8125rem; min-height: 2.9em; }
.gf-pixels .level { display: grid; grid-template-columns: 2.1rem 1rem minmax(0, 1fr) 6.6rem; gap: 0.45rem; align-items: center; font-family: var(--st-code-font); font-size: 0.75rem; font-variant-numeric: tabular-nums; line-height: 1.5; }
.gf-pixels .level .bars { display: grid; gap: 1px; }
.gf-pixels .level i { display: block; height: 6px; border-radius: 2px; }
.gf-pixels .level i.raw { background: var(--gf-soft); opacity: 0.55; }
.gf-pixels .level i.used { background: var(--gf-used); }
.gf-pixels .level .n { text-align: right; white-space: pre; }
.gf-pixels .level.drawn > :first-child, .gf-pixels .level.drawn .n { color: var(--gf-accent); font-weight: 700; }
.gf-pixels .ink { width: 14px; height: 14px; border: 1px solid var(--gf-line); border-radius: 2px; }
.gf-pixels .many .level { line-height: 1.25; }
@container (min-width: 760px) { .gf-pixels .gf-split { grid-template-columns: minmax(0, 1fr) minmax(16.2rem, 33%); } }
`;
