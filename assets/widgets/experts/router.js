// What a router does: characters of each kind on the left, the experts on the right, and a "?" for what each gets.
import { visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { paintHatch, paintLink, paintWord } from "../shared/linked_words.js";
import { labels } from "./labels.js";

export default picture((h, _, { shell, theme, width }) => {
  const isNarrow = width < 520;
  const height = Math.max(190, Math.min(isNarrow ? 230 : 300, shell.tall - 380));
  const [tile, size] = [isNarrow ? 20 : 28, theme.presenting ? 16 : 13];
  const row = (i, n) => ((i + 0.5) * height) / n;
  const [code, letters] = [
    { size: size + 1, font: theme.code, ink: theme.text, weight: 550 },
    { size, font: theme.font, ink: theme.text },
  ];
  const things = [...h.groups.map((characters) => ({ characters })), ...Array.from({ length: h.n_expert }, () => ({}))];
  const group = (i) => {
    const w = [...h.groups[i]].length * (tile + 5);
    return { x: w / 2, y: row(i, h.groups.length), w, h: tile, line: 0 };
  };
  const router = { x: width * 0.47, y: height / 2, w: isNarrow ? 62 : 96, h: Math.min(height, 150), line: 0 };
  const box = { w: isNarrow ? 40 : 130, h: Math.min(26, height / h.n_expert - 5), line: 0 };
  const expert = (i) => ({ x: width - box.w / 2 - 1, y: row(i, h.n_expert), ...box });
  const name = (i) => (isNarrow ? `${i + 1}` : labels("expert", { i: i + 1 }));
  const named = isNarrow ? 22 : 76;

  return {
    things,
    size: [width, height],
    at: (x, y) => {
      const [start, n] = x < width / 2 ? [0, h.groups.length] : [h.groups.length, h.n_expert];
      return start + Math.max(0, Math.min(n - 1, Math.floor((y / height) * n)));
    },
    paint(p, place) {
      h.groups.forEach((characters, i) => {
        const at = group(i);
        const color = place === i ? theme.accent : theme.primary;
        paintLink(p, at, router, { color, width: 2, opacity: 0.6, isAcross: true });
        [...characters].forEach((one, k) => {
          const tall = Math.min(tile, height / h.groups.length - 4);
          const spot = { x: tile / 2 + 1 + k * (tile + 5), y: at.y, w: tile, h: tall, line: 0 };
          paintWord(p, visible(one), spot, { ...code, fill: theme.page, stroke: color, width: 1 });
        });
      });
      for (let i = 0; i < h.n_expert; i++) {
        const at = expert(i);
        const isOn = place === h.groups.length + i;
        const end = { ...at, x: at.x - named / 2, w: at.w + named };
        paintLink(p, router, end, { color: theme.soft, width: 1.5, opacity: 0.5, isAcross: true });
        p.text(name(i), at.x - at.w / 2 - 8, at.y + 1, { size, font: theme.font, fill: theme.text, align: "right" });
        paintHatch(p, at, theme.soft);
        p.rect(at.x - at.w / 2, at.y - at.h / 2, at.w, at.h, {
          stroke: isOn ? theme.accent : theme.soft,
          width: 1,
          radius: 5,
        });
        paintWord(p, "?", { ...at, w: 20, h: at.h - 4, line: 0 }, { ...letters, fill: theme.page, weight: 650 });
      }
      paintWord(p, labels("router"), router, { ...letters, fill: theme.page, stroke: theme.primary, weight: 650 });
    },
    said: ({ characters }, place) =>
      characters
        ? [labels("tokens_like", { characters: [...characters].map(visible).join(" ") })]
        : [labels("expert_hidden", { i: place - h.groups.length + 1 })],
    sentence: [h.sentence],
    hint: h.hint,
    columns: [labels("tokens")],
    row: ({ characters }, i) => [
      characters ? [...characters].map(visible).join(" ") : labels("expert_hidden", { i: i - h.groups.length + 1 }),
    ],
  };
});
