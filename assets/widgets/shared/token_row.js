// A text as chips: color for the value, ids on hover both ways, every invisible character visible.
import { readableOn, scale, tints } from "../drawing/color.js";
import { clamp, el, format } from "../drawing/elements.js";
import { inText, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const STYLE = `
.gf-chips { display: flex; flex-wrap: wrap; gap: 4px 2px; padding: 4px 2px; margin: -4px -2px; line-height: 1; }
.gf .gf-chips button { font-family: var(--st-code-font); font-size: 0.8125rem; padding: 5px 4px; min-width: 12px; min-height: 25px; text-align: center; border-radius: 5px; white-space: pre; unicode-bidi: isolate; max-width: 100%; overflow: hidden; text-overflow: ellipsis; border: 1px solid transparent; }
.gf.presenting .gf-readout:has(> .gf-hint) { display: none; }
.gf-chips i { flex-basis: 100%; height: 0; }
.gf .gf-chips .bare { border-color: var(--gf-line); border-style: dashed; }
.gf-chips .on, .gf-ids .on { outline: 2px solid var(--gf-accent); outline-offset: 0; }
.gf .gf-chips button[aria-pressed="true"] { outline: 3px solid var(--gf-accent); outline-offset: 1px; }
.gf-ids { display: flex; flex-wrap: wrap; gap: 2px 8px; margin-top: 0.7rem; font-family: var(--st-code-font); font-variant-numeric: tabular-nums; font-size: 0.75rem; color: var(--gf-soft); max-height: 9rem; overflow-y: auto; padding: 3px; }
.gf-ids span { padding: 2px 3px; border-radius: 4px; cursor: pointer; }
.gf-ids .on { color: var(--gf-accent); font-weight: 700; }
@media (max-width: 640px) { .gf .gf-chips button { min-width: 24px; min-height: 24px; } }
`;

export default picture(
  (h, { values }, { shell, theme, state, set }) => {
    const { tokens, ids } = h;
    const chosen = Number.isInteger(state) ? clamp(state, 0, tokens.length - 1) : null;
    const shown = (token) => (h.in_words ? inText(token) : visible(token));
    const colors = scale(h.kind, h.low, h.high, theme.mode);
    const palette = tints(theme.mode, theme.page);
    const fill = (i) => {
      if (!values) return palette[i % palette.length];
      return Number.isFinite(values.data[i]) ? colors.css(values.data[i]) : null;
    };
    const isOwn = !h.chooses; // else all pictures of the page choose, if it can be chosen

    return {
      things: tokens,
      layout: "gf-chips",
      draw(token, i) {
        const color = fill(i);
        const look = color ? `background: ${color}; color: ${readableOn(color)}` : "background: transparent";
        return el("button", {
          translate: "no",
          text: shown(token),
          dir: "auto",
          class: color ? null : "bare",
          style: look,
        });
      },
      arrange: (chips) =>
        chips.flatMap((chip, i) => (tokens[i].includes("\n") ? [chip, el("i", { role: "presentation" })] : [chip])),
      said: (token, i) => [
        ...(h.in_words
          ? []
          : [...labels.parts("position_of_token", { position: el("b", { text: String(i) }) }), "  ·  "]),
        el("bdi", {}, el("b", { translate: "no", text: shown(token) })),
        ids ? `  ·  ${labels("id_of_token", { id: ids[i] })}` : "",
        values ? `  ·  ${h.value_title} ${format(values.data[i])}` : "",
        h.details ? `  ·  ${h.details[i]}` : "",
      ],
      hint: labels("tokens_hint", { n: tokens.length }),
      label: h.takeaway,
      chosen,
      choose(_, i) {
        if (isOwn) set(i);
        shell.say(labels("selected_position", { position: i }));
        shell.commit("pick", i);
      },
      reset() {
        if (!isOwn || chosen === null) return false;
        set(null);
        shell.commit("pick", null);
        return true;
      },
      held: chosen !== null && chosen !== h.selected && [chosen],
      hold: ([i]) => i < tokens.length && set(i),
      // Too small for a slide; pointing at a token tells its number.
      below: [
        el(
          "div",
          { class: "gf-ids", "aria-hidden": "true", hidden: !ids || theme.presenting, "data-not-in-file": true },
          ...(ids ?? []).map((id, i) => el("span", { text: String(id), "data-i": i })),
        ),
      ],
      legends: values ? [[colors, h.value_title]] : [],
      columns: [
        labels("position_column"),
        labels("token"),
        ...(ids ? [labels("id")] : []),
        ...(values ? [h.value_title] : []),
      ],
      row: (token, i) => [
        String(i),
        shown(token),
        ...(ids ? [String(ids[i])] : []),
        ...(values ? [values.data[i]] : []),
      ],
    };
  },
  { style: STYLE, state: (h, old, before) => (h.selected !== before?.selected ? h.selected : (old ?? null)) },
);
