// The look of the three ways to choose.
export const STYLE = `
.gf-ways { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); }
.gf-ways section { display: flex; flex-direction: column; min-width: 0; padding: 0 1rem; border-left: 1px solid var(--gf-line); }
.gf-ways section:first-child { padding-left: 0; border: 0; }
.gf-ways section:last-child { padding-right: 0; }
.gf-way-prompt { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 0.2rem 1rem; margin-bottom: 0.5rem; }
.gf-way-prompt .gf-mono { font-size: 1rem; }
.gf-way-prompt u { display: inline-block; min-width: 3rem; border: 2px dashed var(--gf-accent); border-radius: 5px; color: var(--gf-accent); font-weight: 700; line-height: 1.25; text-align: center; text-decoration: none; }
.gf-way-key { display: inline-flex; flex-wrap: wrap; align-items: center; gap: 0.2rem 0.35rem; font-size: 0.8125rem; color: var(--gf-soft); }
.gf-shade { border-radius: 4px; padding: 0 5px; font-weight: 500; }
.gf-ways h4 { margin: 0; font-size: 1.125rem; line-height: 1.3; font-weight: 700; letter-spacing: -0.018em; }
.gf-way-how { font-size: 0.8125rem; color: var(--gf-soft); margin-bottom: 0.35rem; }
.gf-ways .gf-rows { grid-template: repeat(5, 1.125rem) / 6.6em minmax(0, 1fr); gap: 2px 7px; }
.gf-ways .gf-rows > div > span { font-family: var(--st-code-font); overflow: hidden; text-overflow: ellipsis; }
.gf-ways .gf-rows .rest > span { font-family: inherit; color: var(--gf-soft); }
.gf-ways .gf-rows div div { margin-right: 7.4em; }
.gf-ways .gf-rows i { opacity: 0.55; }
.gf-ways .gf-rows .rest i { opacity: 0.3; }
.gf-ways .gf-rows b { font-size: 0.8125rem; }
.gf-ways .gf-rows .took { color: var(--gf-accent); font-weight: 650; }
.gf-ways .gf-rows .took b { font-weight: 650; }
.gf-ways .gf-rows .took i { opacity: 1; }
.gf-way-text { margin: 0.5rem 0 0.3rem; flex: 1; font-family: var(--st-code-font); font-size: 0.875rem; line-height: 1.3125rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.gf-way-text span { cursor: pointer; unicode-bidi: isolate; }
.gf-way-text b { border-radius: 3px; font-weight: inherit; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
.gf-way-text .on b { box-shadow: 0 0 0 2px var(--gf-accent); }
.gf-way-n { font-size: 0.8125rem; color: var(--gf-soft); }
@container (max-width: 760px) { .gf-way-prompt .gf-mono { font-size: 0.875rem; } .gf-ways section { padding: 0 0.6rem; } .gf-ways h4 { font-size: 1rem; } .gf-way-text { margin: 0.3rem 0 0; font-size: 0.8125rem; line-height: 1.125rem; } .gf-way-how { margin-bottom: 0.2rem; } .gf-ways .gf-rows { grid-template: repeat(5, 1rem) / 5.9em minmax(0, 1fr); gap: 1px 6px; } .gf-ways .gf-rows div div { margin-right: 6.8em; } }
@container (max-width: 480px) {
  .gf-ways { grid-template-columns: minmax(0, 1fr); }
  .gf-ways section, .gf-ways section:first-child { display: grid; grid-template-columns: 1fr auto; padding: 0.25rem 0; border: 0; border-top: 1px solid var(--gf-line); }
  .gf-ways .gf-rows, .gf-way-how { display: none; }
  .gf-way-text { grid-area: 2 / 1 / 3 / 3; margin: 0; }
  .gf-way-n { grid-area: 1 / 2; }
  .gf-way-n .gf-key-number { font-size: 1.125rem; }
  .gf-way-prompt .gf-mono { font-size: 0.8125rem; }
  .gf-way-prompt u { display: none; }
  .gf .gf-controls { flex-wrap: nowrap; gap: 0.4rem; margin: 0 0 0.4rem; }
}
.gf .gf-ways + .gf-sentence { min-height: 2lh; }
`;
