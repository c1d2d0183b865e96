// How a list of models looks from which one is chosen: a color, a name, a number.
export const MODEL_LIST = `
.gf-models { display: flex; flex-direction: column; gap: 4px; }
.gf .gf-model { display: grid; grid-template-columns: auto 1fr auto; gap: 8px; align-items: center; text-align: left; padding: 5px 9px; border-color: var(--gf-line); line-height: 1.3; }
.gf .gf-model[aria-pressed="true"] { border-color: var(--gf-accent); color: inherit; background: var(--gf-wash); }
.gf-chip { width: 10px; height: 10px; border-radius: 3px; }
`;
