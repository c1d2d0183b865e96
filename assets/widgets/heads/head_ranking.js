// How much worse a text is predicted without each head: the head that is needed most on top. A click switches one off.
import { define } from "../drawing/base.js";
import { el, format } from "../drawing/elements.js";

const ROW = 24; // css pixels, in a file
const NAMES = 90;
const WIDE = 420;
const STYLE = `
.gf-ranking { display: grid; gap: 2px; }
.gf-ranking button { display: grid; grid-template-columns: 5.2em 1fr; gap: 10px; align-items: center; width: 100%; padding: 1px 4px; text-align: left; background: none; border: 0; border-radius: 6px; }
.gf-ranking button > span:first-child { font-size: 0.8125rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.gf-ranking button > span:last-child { display: flex; align-items: center; gap: 6px; padding-right: 3.4em; font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.gf-ranking i { flex: none; height: 13px; min-width: 1px; border-radius: 2px; background: var(--gf-fill); }
.gf-ranking [aria-pressed="true"] i { background: var(--gf-accent); }
.gf-ranking [aria-pressed="true"] > span:first-child { text-decoration: line-through; }
`;

export default define((shell) => {
  const box = el("div", { class: "gf-ranking", role: "group" });
  box.dataset.chooses = ""; // where they are pressed stands in the address as a choice of the page
  shell.body.append(box, el("div", { class: "gf-hint", text: "Press a bar to switch its head off or on." }));
  let ranked = []; // [{name, rise}, …]

  const isOff = (name) => shell.header.off.includes(name);
  /** Where a bar begins and how long it is, as shares of the room: those of heads that do harm lie left of 0. */
  function bar(rise) {
    const low = Math.min(0, ...ranked.map((one) => one.rise));
    const room = Math.max(...ranked.map((one) => one.rise), 0) - low || 1;
    return [(Math.min(rise, 0) - low) / room, Math.abs(rise) / room];
  }

  function toggle(name) {
    const { heads, off } = shell.header;
    const now = isOff(name) ? off.filter((one) => one !== name) : [...off, name];
    shell.commit(
      "off",
      heads.filter((one) => now.includes(one)),
    );
  }

  return {
    update() {
      const { heads, rises, most } = shell.header;
      ranked = heads.map((name, i) => ({ name, rise: rises[i] }));
      ranked = ranked.sort((a, b) => b.rise - a.rise).slice(0, most);
    },
    draw() {
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      box.setAttribute("aria-label", shell.header.label);
      const focused = ranked.findIndex(({ name }) => box.querySelector(":focus")?.dataset.name === name);
      box.replaceChildren(
        ...ranked.map(({ name, rise }) => {
          const [start, long] = bar(rise);
          const line = el("i");
          line.style.cssText = `margin-left: ${start * 100}%; width: ${long * 100}%`;
          const [title, pressed] = isOff(name) ? ["Switch it on again", "true"] : ["Switch it off", "false"];
          const button = el(
            "button",
            { title, "aria-pressed": pressed, onclick: () => toggle(name) },
            el("span", { text: `head ${name}` }),
            el("span", {}, line, format(rise)),
          );
          button.dataset.name = name;
          return button;
        }),
      );
      if (focused >= 0) box.children[focused].focus();
    },
    table: () => ({
      columns: ["head", shell.header.value_title, "off"],
      rows: ranked.map(({ name, rise }) => [name, rise, isOff(name) ? "yes" : ""]),
    }),
    picture: () => ({
      width: WIDE,
      height: 8 + ranked.length * ROW,
      paint: (p) => {
        const { theme } = shell;
        const text = { fill: theme.text, size: 12, font: theme.font };
        ranked.forEach(({ name, rise }, i) => {
          const y = 4 + i * ROW;
          const [x, long] = bar(rise).map((share) => share * (WIDE - NAMES - 60));
          const fill = isOff(name) ? theme.accent : theme.categorical[0];
          p.text(`head ${name}${isOff(name) ? " ✗" : ""}`, 4, y + 8, text);
          p.rect(NAMES + x, y, Math.max(1, long), 14, { fill, radius: 2 });
          p.text(format(rise), NAMES + x + long + 6, y + 8, text);
        });
      },
    }),
  };
}, STYLE);
