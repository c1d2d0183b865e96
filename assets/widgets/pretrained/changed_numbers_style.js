// The look of a model's numbers and text before and after a change.
export const STYLE = `
.gf-changed { max-width: 62rem; margin: auto; font-size: 0.875rem; }
.gf-changed section { display: grid; grid-template: auto minmax(0, 1fr) / 5.5rem minmax(0, 21rem) minmax(0, 1fr); gap: 0.2rem 1rem; padding: 0.5rem 0.9rem 0.6rem; background: color-mix(in srgb, var(--st-primary-color) 4%, var(--st-background-color)); border: 1px solid var(--gf-line); border-radius: 10px; }
.gf-changed h4 { grid-column: 1 / 3; margin: 0; font-size: 1rem; line-height: 1.75rem; font-weight: 700; }
.gf-changed .tables { position: relative; align-self: start; justify-self: start; line-height: 0; }
.gf-changed canvas { height: 5rem; max-width: 100%; image-rendering: pixelated; }
.gf-changed .tables i { position: absolute; width: 14px; height: 6px; margin: -3px -2px; border: 2px solid var(--gf-accent); border-radius: 3px; }
.gf-changed .cells { display: grid; grid-template-columns: repeat(8, minmax(0, 1fr)); gap: 3px; }
.gf-changed .cell { line-height: 2.1rem; border-radius: 5px; text-align: center; font-size: 0.8125rem; font-weight: 600; font-variant-numeric: tabular-nums; letter-spacing: -0.02em; box-shadow: inset 0 0 0 1px var(--gf-line); }
.gf-changed .cell.on { outline: 2px solid var(--gf-accent); outline-offset: 1px; }
.gf-changed small { display: block; margin-top: 0.35rem; font-size: 0.8125rem; color: var(--gf-soft); }
.gf-changed section:first-child small { color: var(--gf-accent); font-weight: 600; }
.gf-changed .text { grid-area: 1 / 3 / 3; border-left: 1px solid var(--gf-line); padding-left: 1rem; }
.gf-changed .next { display: flex; justify-content: space-between; align-items: baseline; gap: 0.5rem; color: var(--gf-soft); line-height: 1.75rem; white-space: nowrap; }
.gf-changed .next b { color: var(--st-text-color); font-size: 1.0625rem; }
.gf-changed section .next .gf-key-number { font-size: 1.5rem; line-height: 1; }
.gf-changed .text p { margin: 0.2rem 0 0; font-family: var(--st-code-font); font-size: 0.875rem; line-height: 1.3rem; min-height: 4lh; white-space: pre-wrap; overflow-wrap: anywhere; }
.gf-changed .text p span { color: var(--gf-soft); }
.gf-changed .text p .same, .gf-changed section:first-child .next b { color: var(--st-primary-color); }
.gf-changed section:last-child .next .gf-key-number { color: var(--st-text-color); }
.gf-changed .change { display: grid; grid-template-columns: 5.5rem minmax(0, 21rem) minmax(0, 1fr); gap: 1rem; align-items: center; padding: 0 0.9rem; }
.gf-changed .change div { grid-column: 2; position: relative; margin: 12px 0 16px; padding: 0.25rem; border: 1.5px solid var(--st-primary-color); border-radius: 9px; background: var(--gf-wash); color: var(--st-primary-color); font-weight: 650; text-align: center; }
.gf-changed .change div::before, .gf-changed .change div::after { content: ""; position: absolute; left: 0; right: 0; height: 12px; background: repeating-linear-gradient(90deg, transparent 0 calc(6.25% - 1px), var(--gf-soft) calc(6.25% - 1px) calc(6.25% + 1px), transparent calc(6.25% + 1px) 12.5%); }
.gf-changed .change div::before { bottom: 100%; }
.gf-changed .change div::after { top: 100%; }
.gf-changed .change p { margin: 0; padding-left: 1rem; font-weight: 600; }
@container (max-width: 47.5rem) {
  .gf-changed section, .gf-changed .change { grid-template-columns: 3.6rem minmax(0, 20.5rem) minmax(0, 1fr); column-gap: 0.7rem; padding-inline: 0.6rem; }
  .gf-changed .cells { gap: 2px; }
  .gf-changed .cell { line-height: 1.8rem; }
  .gf-changed .text { padding-left: 0.7rem; }
  .gf-changed .text p { font-size: 0.8125rem; line-height: 1.15rem; }
  .gf-changed .change div { margin: 8px 0 10px; padding: 0.1rem; }
}
@container (max-width: 40rem) {
  .gf-changed section { grid-template: none / minmax(0, 1fr); gap: 0.15rem; padding: 0.35rem 0.5rem; }
  .gf-changed .tables, .gf-changed .change p, .gf-changed section .next span:first-child { display: none; }
  .gf-changed h4 { grid-column: 1; font-size: 0.9375rem; line-height: 1.3; }
  .gf-changed .text { grid-area: auto; border: 0; padding: 0; }
  .gf-changed .next { line-height: 1.4; }
  .gf-changed .text p { margin: 0; line-height: 1.1rem; min-height: 3lh; }
  .gf-changed small { margin-top: 0.1rem; }
  .gf-changed .change { grid-template-columns: minmax(0, 1fr); padding: 0 0.5rem; }
  .gf-changed .change div { grid-column: 1; margin: 6px 0; padding: 0; }
}
`;
