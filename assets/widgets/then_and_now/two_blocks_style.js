// The look of two blocks of different years and the list of what has changed between them.
export const STYLE = `
.gf-then { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) minmax(0, 1.45fr); gap: 0 1.4rem; max-width: 62rem; margin: auto; font-size: 0.875rem; line-height: 1.3; }
.gf-then h4 { margin: 0; font-size: 1rem; font-weight: 700; }
.gf-then .loss { display: flex; align-items: center; gap: 0.6rem; min-height: 2.5rem; margin: 0.1rem 0 0.4rem; font-size: 0.8125rem; line-height: 1.2; color: var(--gf-soft); }
.gf-then .loss b.gf-hatch, .gf-then .row .gf-hatch { border: 1px solid var(--gf-soft); border-radius: 5px; text-align: center; }
.gf-then .loss b { min-width: 3.6rem; }
.gf-then section:first-child .loss b { color: var(--st-text-color); }
.gf-then .column { position: relative; display: flex; flex-direction: column; gap: 5px; }
.gf-then .column::before { content: ""; position: absolute; left: 13px; top: 0; bottom: 0.8rem; width: 3px; background: var(--gf-soft); opacity: 0.6; }
.gf-then .box { position: relative; display: flex; flex-wrap: wrap; justify-content: center; gap: 0 0.4rem; padding: 2px 6px; border: 1px solid var(--gf-line); border-radius: 6px; background: var(--gf-panel); }
.gf-then .box.lit { border-color: var(--gf-accent); box-shadow: inset 0 0 0 1px var(--gf-accent); background: color-mix(in srgb, var(--gf-accent) 8%, var(--st-background-color)); color: var(--gf-accent); font-weight: 650; }
.gf-then .layers { position: relative; display: flex; flex-direction: column; gap: 4px; padding: 7px 8px 7px 0; margin: 0 0 4px -6px; padding-left: 6px; border: 1.5px dashed var(--gf-soft); border-radius: 9px; }
.gf-then .layers > small { position: absolute; right: 10px; bottom: -7px; padding: 0 4px; font-size: 0.8125rem; line-height: 1; color: var(--gf-soft); background: var(--st-background-color); }
.gf-then .branch { position: relative; display: flex; flex-direction: column; gap: 4px; margin-left: 34px; padding: 6px 0; }
.gf-then .branch::before { content: ""; position: absolute; left: -20px; right: 50%; top: 0; bottom: 0; border: solid var(--gf-soft); border-width: 1.5px 1.5px 1.5px 0; opacity: 0.8; }
.gf-then .plus { position: relative; width: 18px; margin: -12px 0 0 5px; border: 1.5px solid var(--gf-soft); border-radius: 50%; background: var(--st-background-color); font-weight: 700; line-height: 15px; text-align: center; }
.gf-then .note { font-size: 0.8125rem; color: var(--gf-soft); padding-left: 1.6rem; }
.gf-then .note.lit { color: var(--gf-accent); font-weight: 650; }
.gf-then .list { display: flex; flex-direction: column; gap: 6px; padding-left: 1.4rem; border-left: 1px solid var(--gf-line); }
.gf-then .list > p { margin: 0; font-size: 0.8125rem; color: var(--gf-soft); }
.gf .gf-then .row { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 0.6rem; width: 100%; padding: 5px 10px 7px; text-align: left; font-size: 0.875rem; line-height: 1.3; border: 1px solid var(--gf-line); }
.gf .gf-then .row[aria-pressed="true"] { border-color: var(--gf-accent); box-shadow: inset 0 0 0 1px var(--gf-accent); color: inherit; }
.gf-then .row > b { font-size: 0.9375rem; }
.gf-then .row > span { grid-column: 1; font-size: 0.8125rem; color: var(--gf-soft); }
.gf-then .row em { grid-area: 1 / 2 / 3; align-self: center; min-width: 3rem; font-style: normal; font-size: 1.125rem; font-weight: 700; text-align: right; font-variant-numeric: tabular-nums; }
.gf-then .row .bar { grid-column: 1 / 3; height: 7px; margin-top: 4px; border-radius: 3px; overflow: hidden; }
.gf-then .row .bar:not(.gf-hatch) { background: var(--gf-panel); }
.gf-then .row .bar i { display: block; height: 100%; background: var(--gf-soft); }
.gf-then .row:is(.gain, .all) em { color: var(--st-primary-color); }
.gf-then .row:is(.gain, .all) .bar i { background: var(--st-primary-color); }
.gf-then .row:is(.luck, .all_luck) em { color: var(--gf-soft); font-weight: 500; }
.gf .gf-then .many .row { grid-template-columns: 9.5rem minmax(0, 1fr) auto; align-items: center; padding: 1px 8px; }
.gf-then .many .row > b { font-size: 0.875rem; font-weight: 600; }
.gf-then .many .row > span:not(.bar) { display: none; }
.gf-then .many .row .bar { grid-area: 1 / 2; margin: 0; }
.gf-then .many .row em { grid-area: 1 / 3; font-size: 0.9375rem; }
.gf-then .many { gap: 3px; }
.gf-then .several { display: flex; flex-wrap: wrap; gap: 4px; }
.gf .gf-then .several button { font-size: 0.8125rem; }
.gf-readout { font-family: var(--st-font); }
@container (max-width: 800px) { .gf-then { gap: 0 1rem; } .gf-then .list { padding-left: 1rem; gap: 4px; } .gf .gf-then .row { padding: 3px 8px 5px; } .gf-then .loss { margin-bottom: 0.2rem; } }
@container (max-width: 560px) {
  .gf-then { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.4rem 0.7rem; font-size: 0.8125rem; }
  .gf-then .loss { display: block; min-height: 0; margin: 0; }
  .gf-then .loss b { display: inline-block; font-size: 1.375rem; }
  .gf-then .column { gap: 3px; }
  .gf-then .layers { padding-block: 4px; gap: 2px; }
  .gf-then .branch { padding: 4px 0; gap: 3px; margin-left: 28px; }
  .gf-then .box { padding: 0 4px; }
  .gf-then .list { grid-area: 1 / 1 / 2 / 3; display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); border: 0; padding: 0; }
  .gf-then .list > :is(p, .several, .gf-solid) { grid-column: 1 / 5; }
  .gf-then .list > p { display: none; }
  .gf .gf-then .row { grid-template-columns: minmax(0, 1fr); padding: 2px 4px; text-align: center; }
  .gf-then .row > span, .gf-then .row .bar { display: none; }
  .gf .gf-then .many .row { grid-template-columns: minmax(0, 1fr); }
  .gf-then .list .row > b, .gf-then .list .row em { grid-area: auto; font-size: 0.8125rem; text-align: center; min-width: 0; }
}
`;
