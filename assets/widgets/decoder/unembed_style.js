// How the parts of unembed.js look.
import { STYLE as BARS } from "../drawing/bar_lines.js";

export const STYLE = `${BARS}
.gf-split { grid-template-columns: minmax(0, 1fr); }
.gf-unembed table { border-collapse: collapse; width: 100%; font-family: var(--st-code-font); font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
.gf-unembed th { font-family: var(--st-font); font-weight: 600; font-size: 0.75rem; color: var(--gf-soft); }
.gf-unembed :is(th, td) { text-align: right; padding: 4px 6px; border-bottom: 1px solid var(--gf-line); white-space: pre; }
.gf-unembed :is(th, td):first-child { text-align: left; max-width: 9.5em; overflow: hidden; text-overflow: ellipsis; }
.gf-unembed tbody tr { cursor: pointer; }
.gf-unembed tbody tr.on { background: var(--gf-wash); }
.gf-unembed tbody tr.on td { color: var(--gf-accent); font-weight: 700; }
.gf-unembed .track { display: block; width: 100%; min-width: 40px; height: 10px; background: var(--gf-wash); border-radius: 3px; }
.gf-unembed .track span { display: block; height: 100%; border-radius: 3px; background: var(--gf-fill); }
.gf-split > :last-child .gf-readout { min-height: 3em; }
@container (max-width: 400px) { .gf-unembed :is(th, td) { padding-inline: 3px; } .gf-unembed :is(th, td):first-child { max-width: 6em; } }
@container (min-width: 700px) { .gf-split { grid-template-columns: minmax(0, 10fr) minmax(0, 11fr); } }
`;
