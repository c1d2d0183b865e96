// The field for a model's files: chosen, dropped, or a whole folder; each with how much of it has gone.
import { fixed } from "../page/numbers.js";
import { el } from "../drawing/elements.js";
import { readHeader } from "../drawing/frame.js";
import { add, begin, counted, follow, list, remove, retry } from "./file_queue.js";
import { labels } from "./labels.js";

const STYLE = `
* { box-sizing: border-box; }
.gf-files { container-type: inline-size; font: 0.875rem/1.45 var(--st-font); color: var(--st-text-color); }
.gf-drop { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.75rem; padding: 0.8rem 1rem; border: 1px dashed var(--st-gray-color); border-radius: var(--st-base-radius); background: var(--st-secondary-background-color); }
.gf-drop.over { border: 1px solid var(--st-primary-color); outline: 1px solid var(--st-primary-color); }
.gf-drop span { flex: 1 1 12rem; }
button { font: inherit; color: inherit; min-height: 2.25rem; padding: 0.2rem 0.75rem; cursor: pointer; background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius); }
button:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }
:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
ul { list-style: none; margin: 0.4rem 0 0; padding: 0; }
li { display: grid; grid-template-columns: minmax(0, 1fr) auto auto; align-items: center; gap: 0 0.75rem; min-height: 2.5rem; padding: 0.15rem 0; border-bottom: 1px solid var(--st-border-color); }
li b { font-weight: 500; overflow-wrap: anywhere; }
li .how { font-variant-numeric: tabular-nums; color: var(--st-gray-text-color); text-align: right; }
li .why { grid-column: 1 / -1; color: var(--st-red-text-color); padding-bottom: 0.3rem; }
li .acts { display: flex; gap: 0.4rem; }
li button { min-height: 2rem; font-size: 0.8125rem; }
progress { grid-column: 1 / -1; width: 100%; height: 0.4rem; accent-color: var(--st-primary-color); }
p { margin: 0.5rem 0 0; color: var(--st-gray-text-color); overflow-wrap: anywhere; }
p.trouble { color: var(--st-red-text-color); }
.live { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
[hidden] { display: none !important; }
@container (max-width: 440px) { li { grid-template-columns: minmax(0, 1fr) auto; } li .how { grid-area: 2 / 1; text-align: left; } li .acts { grid-area: 1 / 2 / span 2; } }
`;
const MOST_NAMED = 4;
const fields = new WeakMap();

/** Bytes as the server writes them, "12.3 MB", and a few by their number. */
export function megabytes(n) {
  const short = (n) => fixed(n, 1).replace(/\.0$/, "");
  if (n >= 1e9) return labels("gigabytes", { n: short(n / 1e9) });
  if (n >= 1e5) return labels("megabytes", { n: short(n / 1e6) });
  return n >= 1e3 ? labels("kilobytes", { n: fixed(n / 1e3, 0) }) : labels("bytes", { n });
}

/** How far a file is, in words. */
export function how({ state, sent, size }) {
  if (state === "here") return megabytes(size);
  if (state !== "goes") return labels(`state.${state}`);
  const share = size ? Math.floor((100 * sent) / size) : 100;
  return labels("sent", { sent: megabytes(sent), size: megabytes(size), share });
}

/** What no model needs, in words. */
export function leftOut(names) {
  if (!names.length) return "";
  const isPickled = names.some((name) => /\.(bin|pt|pth|pkl|ckpt)$/i.test(name));
  return `${listed("left_out", names)} ${labels(isPickled ? "pickled" : "not_needed")}`;
}

/** What this tab didn't send, in words. */
export function fromElsewhere(names) {
  if (!names.length) return "";
  return `${listed("elsewhere", names)} ${labels("one_list")}`;
}

/** A sentence with the first of these names, and how many more there are. */
function listed(key, names) {
  const n = names.length - MOST_NAMED;
  return labels(n > 0 ? `${key}.more` : key, { names: names.slice(0, MOST_NAMED).join(", "), n });
}

/** The files of what was dropped; of a folder those that lie in it directly. */
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const files = [...transfer.files]; // now: after the first pause there are none
  const folders = entries.filter((entry) => entry.isDirectory);
  const inside = await Promise.all(folders.map(inFolder));
  return [...files.filter(({ name }) => !folders.some((one) => one.name === name)), ...inside.flat()];
}

async function inFolder(folder) {
  const reader = folder.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) break;
    found.push(...some.filter((entry) => entry.isFile));
  }
  return Promise.all(found.map((entry) => new Promise((done, fail) => entry.file(done, fail))));
}

class Field {
  component; // as Streamlit called it last

  constructor(parent) {
    this.drawn = new Map(); // row -> its line in the list
    this.files = this.chooser(labels("files"), { multiple: true });
    this.folder = this.chooser(labels("folder"), { webkitdirectory: true });
    this.choose = el("button", { text: labels("choose_files"), onclick: () => this.files.click() });
    const canFolder = "webkitdirectory" in this.folder && !matchMedia("(hover: none)").matches;
    const chooseFolder = el("button", {
      text: labels("choose_folder"),
      onclick: () => this.folder.click(),
      hidden: !canFolder,
    });
    const hint = el("span", { text: labels(canFolder ? "drop" : "files") });
    this.drop = el("div", { class: "gf-drop" }, hint, this.choose, chooseFolder, this.files, this.folder);
    this.rows = el("ul", { "aria-label": labels("list") });
    this.left = el("p");
    this.elsewhere = el("p");
    this.trouble = el("p", { class: "trouble", role: "alert" });
    this.live = el("div", { class: "live", "aria-live": "polite" });
    const box = el("div", { class: "gf-files", role: "group", "aria-label": labels("files") },
      this.drop, this.elsewhere, this.rows, this.left, this.trouble, this.live); // prettier-ignore
    parent.replaceChildren(el("style", { text: STYLE }), box);
    this.listen(box);
    this.unfollow = follow(() => this.soon());
    this.said = this.toSay({ coming: 0, failed: 0 });
  }

  chooser(label, options) {
    const input = el("input", { type: "file", hidden: true, "aria-label": label, ...options });
    input.addEventListener("change", () => {
      const direct = [...input.files].filter(({ webkitRelativePath: path }) => path.split("/").length < 3);
      input.value = ""; // the same again is news again
      add(direct);
    });
    return input;
  }

  listen(box) {
    const over = (isOver) => (event) => {
      event.preventDefault();
      this.drop.classList.toggle("over", isOver);
    };
    box.addEventListener("dragover", over(true));
    box.addEventListener("dragleave", over(false));
    box.addEventListener("drop", async (event) => {
      over(false)(event);
      add(await dropped(event.dataTransfer));
    });
  }

  /** Once for each frame, however often the network tells. */
  soon() {
    if (this.waits) return;
    this.waits = requestAnimationFrame(() => {
      this.waits = 0;
      this.draw();
    });
  }

  draw() {
    const hadFocus = this.hasFocus(this.rows);
    const lines = list.rows.map((row) => this.line(row));
    for (const row of this.drawn.keys()) if (!list.rows.includes(row)) this.drawn.delete(row);
    if (lines.length !== this.rows.children.length || lines.some((one, i) => one !== this.rows.children[i])) {
      this.rows.replaceChildren(...lines);
    }
    if (hadFocus && !this.hasFocus(this.rows)) this.choose.focus(); // what had it is gone
    this.left.textContent = leftOut(list.leftOut);
    this.elsewhere.textContent = fromElsewhere(list.elsewhere);
    this.trouble.textContent = list.trouble;
    this.tell();
  }

  /** @returns {boolean} whether the keyboard is at something in this node, which may stand in a shadow */
  hasFocus(node) {
    const { activeElement } = /** @type {ShadowRoot} */ (node.getRootNode());
    return node.contains(activeElement);
  }

  /** A file's line; only what has changed in it is drawn anew. */
  line(row) {
    let one = this.drawn.get(row);
    if (!one) {
      one = { node: el("li"), how: el("span", { class: "how" }), bar: el("progress", { "aria-label": row.name }) };
      this.drawn.set(row, one);
    }
    one.how.textContent = how(row);
    one.bar.max = row.size || 1;
    one.bar.value = row.sent;
    if (one.state !== row.state) {
      if (one.state === "goes") this.live.textContent = `${row.name}: ${row.why || labels("here")}`;
      one.state = row.state;
      const act = (text, does) =>
        el("button", { text, "aria-label": `${text}: ${row.name}`, onclick: () => does(row) });
      const isOnItsWay = row.state === "waits" || row.state === "goes";
      const acts = [
        row.state === "failed" ? act(labels("retry"), retry) : null,
        act(labels(isOnItsWay ? "cancel" : "remove"), remove),
      ];
      const hadFocus = this.hasFocus(one.node);
      one.node.replaceChildren(
        el("b", { text: `${row.state === "here" ? "✓ " : ""}${row.name}` }),
        one.how,
        el("span", { class: "acts" }, ...acts),
        ...(row.state === "goes" ? [one.bar] : []),
        ...(row.why ? [el("span", { class: "why", text: row.why })] : []),
      );
      if (hadFocus) acts.at(-1).focus();
    }
    return one.node;
  }

  toSay = ({ coming, failed }) => `${coming > 0} ${failed}`;

  /** The server hears when the first goes, and when all are there or have failed. */
  tell() {
    const now = counted();
    if (this.toSay(now) === this.said) return;
    this.said = this.toSay(now);
    this.component.setStateValue("sending", now);
  }
}

export default (component) => {
  const { data, parentElement } = component;
  let field = fields.get(parentElement);
  if (!field) {
    field = new Field(parentElement);
    fields.set(parentElement, field);
  }
  field.component = component;
  const [{ here, turn }] = readHeader(data);
  begin(turn, here);
  field.draw();
  // Streamlit also cleans up after a call that newer data overtook; then the field still stands.
  return () =>
    setTimeout(() => {
      if (parentElement.isConnected) return;
      field.unfollow();
      if (fields.get(parentElement) === field) fields.delete(parentElement);
    }, 500);
};
