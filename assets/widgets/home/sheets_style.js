// The look of Home's first picture.
export const STYLE = `
.gf-sheets { position: relative; }
.gf-sheets canvas { display: block; touch-action: pan-y pinch-zoom; }
.gf-sheets :is(a, div) { position: absolute; color: inherit; text-decoration: none; line-height: 1.3; border-radius: 4px; }
.gf-sheets b { font-weight: 650; font-size: 0.9375rem; }
.gf-sheets a b { border-bottom: 1.5px solid var(--gf-glass); }
.gf-sheets span { display: block; color: var(--gf-soft); font-size: 0.8125rem; }
.gf-sheets a:hover b { color: var(--gf-accent); border-color: var(--gf-accent); }
.gf-sheets div { pointer-events: none; white-space: nowrap; padding: 0 0.3em; background: color-mix(in srgb, var(--st-background-color) 82%, transparent); }
.gf-sheets div b { font-size: 0.75rem; }
.gf-sheets div span { display: inline; margin-left: 0.4em; font-size: 0.75rem; }
.gf-leads { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.9rem; margin: 0.3rem 0 0; font-size: 0.875rem; }
.gf-leads a { padding-block: 5px; /* a finger needs 24 px */ color: inherit; }
.gf-expects { font-size: 1.25rem; line-height: 1.35; margin: 0.3rem 0 0; min-height: 1.35em; }
.gf-expects b { color: var(--gf-accent); }
.gf-expects small { font-size: 0.875rem; color: var(--gf-soft); }
.gf-write { display: flex; align-items: center; gap: 0.4rem; margin-top: 0.35rem; min-width: 0; }
.gf-write button { flex: none; min-height: 30px; }
.gf-write p { flex: 1; min-width: 0; margin: 0 0 0 0.3rem; font-size: 0.9375rem; color: var(--gf-soft); }
.gf-write mark { padding: 1px 4px; margin-inline: 1px; border-radius: 4px; font-weight: 600; color: var(--st-text-color); background: color-mix(in srgb, var(--st-primary-color) 20%, var(--st-background-color)); }
.gf-terms { margin: 0.5rem 0 0; font-size: 0.875rem; line-height: 1.45; color: var(--gf-soft); }
.gf-terms b { color: var(--st-text-color); }
.gf-unfold { display: inline-block; padding-block: 3px; font-weight: 600; color: var(--gf-accent); }
@container (max-width: 480px) { .gf-expects { font-size: 1.0625rem; } .gf-write { flex-wrap: wrap; } .gf-write p { flex-basis: 100%; margin: 0; } }
.gf-instead { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.3rem 0.5rem; font-size: 0.875rem; color: var(--gf-soft); }
`;
