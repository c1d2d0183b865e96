// Puts the widgets on a page that is one file, without Streamlit: each gets its message; weights lie in the page.
import { el } from "../drawing/elements.js";
import { inflate } from "../drawing/frame.js";
import { lay } from "../engine/fetch_weights.js";
import { commit, listen } from "./embedded.js";
import { onPaper } from "./on_paper.js";
import { labels } from "./labels.js";

const DRAWN = new Set(["drawn", "edit", "asked"]); // parts that a person makes in a picture, and that the app computes with
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/**
 * Everything that the page holds, in its order.
 * @param {Object<string, Function>} mounts what draws each widget, by its name
 */
export async function start(mounts) {
  if (origin === "null") history.pushState = history.replaceState = () => {}; // a file on disk has no address to change
  const { widgets, files } = JSON.parse(document.getElementById("content").textContent);
  for (const [address, content] of Object.entries(files)) lay(address, bytes(content));
  const main = document.querySelector("main");
  const asides = widgets.map(() => el("small", { hidden: true, text: labels("only_app_computes") }));
  const places = widgets.map(({ own }, i) => {
    const host = el("section", { class: own ? "gf-own" : "" });
    main.append(host, asides[i]);
    return own ? host.attachShadow({ mode: "open" }) : host;
  });
  await Promise.all(
    widgets.map(async ({ widget, data }, i) => {
      mounts[widget]({
        parentElement: places[i],
        data: await inflate(bytes(data)),
        setStateValue(part, value) {
          commit(part, value);
          if (DRAWN.has(part)) asides[i].hidden = false;
        },
        setTriggerValue() {},
        isAlone: true, // there is no server that could answer
      });
    }),
  );
  listen();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAnew);
  addEventListener("beforeprint", () => onPaper(places, true, drawAnew));
  addEventListener("afterprint", () => onPaper(places, false, drawAnew));
}

const drawAnew = () => document.dispatchEvent(new Event("gf-look"));
