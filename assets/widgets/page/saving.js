// The pictures of the exhibit that this stands in, each as SVG and as PNG. Nothing is made before somebody asks for it.
import { el } from "../drawing/elements.js";
import { find } from "./saving_find.js";
import { labels } from "./labels.js";

const STYLE = `
:host { display: block; }
ul { list-style: none; max-width: 44rem; margin: 0; padding: 0; font-family: var(--st-font); font-size: 0.875rem; color: var(--st-text-color); }
li { display: flex; gap: 0.4rem; align-items: center; padding: 0.2rem 0; }
li span { flex: 1 1 0; min-width: 0; overflow-wrap: anywhere; }
p { margin: 0; font-family: var(--st-font); font-size: 0.875rem; color: var(--st-text-color); }
button { font: inherit; color: var(--st-text-color); background: transparent; border: 1px solid var(--st-border-color); border-radius: 0.5rem; min-height: 2rem; min-width: 3.5rem; padding: 0.15rem 0.7rem; cursor: pointer; }
button:hover { border-color: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
`;
const SETTLED = 250; // milliseconds: while an exhibit is drawn anew its pictures come and go

export default ({ parentElement }) => {
  if (parentElement.querySelector(".list")) return;
  const list = el("ul", { class: "list", "aria-label": labels("pictures") });
  const said = el("p", { role: "status" });
  parentElement.querySelector(".gf-wait")?.remove();
  parentElement.append(el("style", { text: STYLE }), list, said);
  const host = parentElement.getRootNode().host ?? parentElement;
  const exhibit = host.closest('[class*="st-key-gf-exhibit-"]');
  if (!exhibit) return;
  const name = [...exhibit.classList]
    .find((one) => one.startsWith("st-key-gf-exhibit-"))
    .slice("st-key-gf-exhibit-".length);
  let shown;

  const fill = () => {
    const pictures = find(exhibit);
    said.textContent = pictures.length ? "" : labels("no_picture");
    const titles = pictures.map((one) => one.title).join("\n");
    if (titles === shown) return; // the buttons stay, and with them the focus
    shown = titles;
    list.replaceChildren(
      ...pictures.map(({ title }, i) =>
        el(
          "li",
          {},
          el("span", { text: title }),
          ...["svg", "png"].map((kind) =>
            el("button", {
              text: kind.toUpperCase(),
              "aria-label": labels("download_as", { title, kind: kind.toUpperCase() }),
              onclick: () => take(i, kind),
            }),
          ),
        ),
      ),
    );
  };
  const take = async (i, kind) => {
    try {
      await find(exhibit)[i].save(kind, `${name}-${i + 1}`);
    } catch (error) {
      console.warn(error);
      said.textContent = labels("not_saved");
    }
  };

  let waiting;
  const watcher = new MutationObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(fill, SETTLED);
  });
  watcher.observe(exhibit, { childList: true, subtree: true });
  fill();
  setTimeout(fill, SETTLED);
  return () =>
    setTimeout(() => {
      if (!host.isConnected) {
        watcher.disconnect();
        clearTimeout(waiting);
      }
    }, 500);
};
