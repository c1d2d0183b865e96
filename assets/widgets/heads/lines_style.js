// How the parts of lines.js look.
export const STYLE = `
.gf-stage { cursor: pointer; touch-action: pan-y pinch-zoom; }
.gf-split > div > .gf-panel { min-height: 9.5rem; font-size: 0.8125rem; }
.gf-reads { list-style: none; margin: 0.4rem 0 0; padding: 0; }
.gf-reads li { display: grid; grid-template-columns: 3.2em minmax(0, 1fr) 3em; gap: 0.5em; align-items: center; padding: 2px 0; font-family: var(--st-code-font); font-variant-numeric: tabular-nums; }
.gf-reads .what { position: relative; white-space: pre; overflow: hidden; text-overflow: ellipsis; padding: 0 4px; unicode-bidi: isolate; }
.gf-reads .what i { position: absolute; inset: auto auto 0 0; height: 3px; border-radius: 2px; }
.gf-reads .number { text-align: right; }
.gf-widths { display: inline-flex; align-items: center; gap: 0.4rem; }
.gf-widths span { display: inline-block; width: 28px; background: var(--gf-soft); border-radius: 1px; }
@container (min-width: 760px) { .gf-split > :last-child { position: sticky; top: 4.5rem; } }
@container (max-width: 759px) { .gf-split > :last-child { order: -1; position: sticky; top: 3.5rem; z-index: 2; } .gf-split > div > .gf-panel { min-height: 8.4rem; padding: 0.5rem 0.7rem; border: 1px solid var(--gf-line); } }
`;
