// What is set inside the widgets of a page and asks no server stands in its address too, as `view`: sliders, lists and
// buttons that stay pressed. Whoever opens the address sees the same; a page that is left and opened again keeps it.

import * as choices from "./choices.js";

export const PARAMETER = "view";
const SET =
  "input[type=range], input[type=checkbox], select, [aria-pressed], [role=tab][aria-selected], [role=radio][aria-checked]";
const HELD = "held"; // what a click holds in a picture: a widget's `held()` gives its numbers, `hold(numbers)` takes them
const PAUSE = 150; // ms from the last change to the address: a film that plays does not rewrite it with every frame

/** A few letters that tell names apart. */
export function short(text) {
  let sum = 2166136261;
  for (const letter of text) sum = Math.imul(sum ^ letter.codePointAt(0), 16777619);
  return (sum >>> 0).toString(36).slice(-4);
}

/** {picture: {control: value}} as one parameter: `picture_control-value_control-value~picture_…`. */
export const write = (pictures) =>
  Object.entries(pictures)
    .filter(([, set]) => Object.keys(set).length)
    .map(([id, set]) => [id, ...Object.entries(set).map(([name, value]) => `${name}-${value}`)].join("_"))
    .join("~");

/** The other way; what does not fit is passed over. */
export function read(text) {
  const pictures = {};
  for (const one of (text ?? "").slice(0, 4000).split("~")) {
    const [id, ...set] = one.split("_");
    const values = {};
    for (const pair of set) {
      const [, name, value] = pair.match(/^([a-z0-9]{1,6})-(-?[0-9.]{1,400})$/) ?? [];
      if (name) values[name] = value;
    }
    if (/^[a-z0-9]{1,6}$/.test(id) && Object.keys(values).length) pictures[id] = values;
  }
  return pictures;
}

/** The whole numbers of "3.14"; none of anything else. */
const numbers = (text) => (/^[0-9]+([.][0-9]+)*$/.test(text ?? "") ? text.split(".").map(Number) : []);

const kept = new Map(); // path -> its pictures, as they were set last
const here = () => {
  const path = location.pathname;
  if (!kept.has(path)) kept.set(path, read(new URLSearchParams(location.search).get(PARAMETER)));
  return kept.get(path);
};

const told = new Map(); // path -> all that its address has said since this browser came
const said = (path) => told.get(path) ?? told.set(path, new Set()).get(path);
const pairs = (url) => [...url.searchParams].filter(([name]) => name !== PARAMETER).map((pair) => pair.join("="));

/** An address that Streamlit is about to write, with the view and the choices that it does not know. */
export function withView(address) {
  if (new URL(address, location.href).origin !== location.origin) return address;
  return choices.withChoices(withSettings(address));
}

function withSettings(address) {
  const url = new URL(address, location.href);
  if (url.pathname !== location.pathname) {
    if (url.searchParams.get(PARAMETER) === write(here())) url.searchParams.delete(PARAMETER); // of the page before
    // A link that says something new is shown as it says; else the page comes back as it was left.
    if (pairs(url).some((pair) => !said(url.pathname).has(pair))) {
      kept.set(url.pathname, read(url.searchParams.get(PARAMETER)));
      choices.forget(url);
    }
    if (!kept.has(url.pathname)) return url.href;
  }
  for (const pair of pairs(url)) said(url.pathname).add(pair);
  const view = write(url.pathname === location.pathname ? here() : kept.get(url.pathname));
  if ((url.searchParams.get(PARAMETER) ?? "") === view) return url.href;
  if (view) url.searchParams.set(PARAMETER, view);
  else url.searchParams.delete(PARAMETER);
  return url.href;
}

const value = (node) =>
  node.matches("select")
    ? node.selectedIndex
    : node.matches("[type=range]")
      ? node.value
      : Number(
          node.matches("[type=checkbox]")
            ? node.checked
            : [..."pressed selected checked".split(" ")].some((one) => node.getAttribute(`aria-${one}`) === "true"),
        );

function setTo(node, wanted) {
  if (String(value(node)) === wanted) return;
  if (!node.matches("select, [type=range]")) {
    node.click();
    return;
  }
  if (node.matches("select")) node.selectedIndex = Number(wanted);
  else node.value = wanted;
  for (const what of ["input", "change"]) node.dispatchEvent(new Event(what, { bubbles: true }));
}

const wordsOf = (node) => node.dataset.words ?? node.getAttribute("aria-label") ?? node.title ?? "";
const nameOf = (node) => node.dataset.name ?? wordsOf(node);

/**
 * name -> element of all that can be set in a picture; `data-name` where its words change, as with the language. The
 * table's button is furniture, what moves a choice of the page (`data-chooses`) stands in the address as that, and of
 * what a widget holds itself (`data-held`) it gives the numbers.
 */
function settable(shell, name = nameOf) {
  const found = new Map();
  for (const node of shell.root.querySelectorAll(SET)) {
    if (node === shell.tableButton || node.closest(".gf-tools, [data-chooses], [data-held]")) continue;
    let key = short(`${node.tagName} ${name(node) || node.textContent}`);
    while (found.has(key)) key = short(key);
    found.set(key, node);
  }
  return found;
}

const values = (shell) => new Map([...settable(shell)].map(([key, node]) => [key, String(value(node))]));

/** A control by its name, and that name; in an address of an earlier release, by its English words. */
function control(shell, key) {
  const now = settable(shell);
  if (now.has(key)) return [key, now.get(key)];
  const node = settable(shell, wordsOf).get(key);
  return [[...now].find(([, one]) => one === node)?.[0], node];
}

/**
 * A picture is known by its exhibit, what it is and its title, another exhibit may call one alike: by the title's name,
 * which is the same in every language, or by its words where it has none.
 */
function idOf(shell, byWords = false) {
  shell.exhibit ??=
    shell.root
      .getRootNode()
      .host?.closest('[class*="st-key-gf-exhibit-"]')
      ?.className.match(/st-key-gf-exhibit-\S+/)[0] ?? "";
  // Where its title follows a choice, the picture is the same one all the same.
  const { label = "", label_name: name } = shell.raw.header;
  const words = typeof label === "string" ? label : JSON.stringify(label);
  return short(`${shell.exhibit} ${shell.header.widget} ${(!byWords && name) || words}`);
}

/** What an address of an earlier release says of a picture, by the words of its title, holds for it by its name. */
function rename(shell, id) {
  const pictures = here();
  const words = idOf(shell, true);
  if (words === id || !pictures[words]) return;
  pictures[id] ??= pictures[words];
  delete pictures[words];
}

/** Set a picture as the address says. */
function bring(shell) {
  const id = idOf(shell);
  rename(shell, id);
  const set = here()[id] ?? {};
  shell.bringing = true; // what is brought back is no news for the server
  // Sliders follow what is chosen: a choice may move them, and more finely than they say. What is to be released comes
  // last: of several buttons of which one is pressed, another has released it then.
  const late = ([key, wanted]) => (wanted === "0" ? 2 : Number(control(shell, key)[1]?.type === "range"));
  for (const [said, wanted] of Object.entries(set).sort((a, b) => late(a) - late(b))) {
    const [key, node] = control(shell, said);
    if (!node) continue;
    if (key !== said) {
      delete set[said];
      set[key] ??= wanted;
    }
    setTo(node, wanted);
  }
  const held = set[HELD];
  if (held && held !== (shell.widget.held?.() || []).join(".")) shell.widget.hold?.(numbers(held)); // again would let go
  shell.bringing = false;
}

/** Another address of this page, by Back say: what it says holds, and nothing of what was set since. */
export function adopt() {
  choices.adopt();
  kept.set(location.pathname, read(new URLSearchParams(location.search).get(PARAMETER)));
  document.dispatchEvent(new Event("gf-view"));
}

/** Nothing that was set at another address before holds when one comes there. */
export function forget(url) {
  kept.delete(url.pathname);
  choices.forget(url);
}

const put = () => {
  if (withView(location.href) !== location.href) history.replaceState(history.state, "", location.href);
};

/**
 * After a new message: what is set goes along with a new title, or the address has something to say of that title, or
 * of a picture that nobody has touched since the address spoke: its new content may have begun at its own start. What
 * was let go of, or the server tells in its own words, is no longer held.
 */
export function renew(shell) {
  const id = idOf(shell);
  const pictures = here();
  rename(shell, id);
  const old = shell.id ?? id;
  shell.id = id;
  if (old !== id && pictures[old]) {
    pictures[id] = pictures[old];
    delete pictures[old];
  } else if (old !== id || (!shell.isMoved && pictures[id])) bring(shell);
  const set = pictures[id] ?? {};
  if (shell.isMoved && set[HELD] && !shell.widget.held?.()) delete set[HELD];
  const now = values(shell);
  const isNew = (key) => shell.isMoved && !shell.noting && now.get(key) !== set[key]; // a film is at its end again, say
  for (const key of Object.keys(set)) if (shell.began.has(key) && (!now.has(key) || isNew(key))) delete set[key];
  // What nobody has set by hand begins as the server has it now; what is new in the picture does so always.
  shell.began = new Map([...now, ...[...shell.began].filter(([key]) => shell.noting || key in set)]);
  put();
}

/** Follow what a person sets in this picture; first bring back what the address says. Once, after the first drawing. */
export function follow(shell) {
  const asked = new Set();
  shell.root.addressNames = () => [idOf(shell), settable(shell)]; // for tests
  shell.began = values(shell);
  bring(shell);
  renew(shell);
  let timer;
  const note = (event) => {
    if (shell.bringing) return; // the address says it already
    shell.isMoved = true;
    // What the server was told stands in the address by the server's own word.
    const node = event.composedPath().find((one) => one.matches?.(SET));
    for (const [key, one] of settable(shell)) {
      if (one === node && shell.told && shell.widget.tellsAll !== false) asked.add(key);
    }
    shell.told = false;
    shell.noting = true;
    clearTimeout(timer);
    timer = setTimeout(() => {
      shell.noting = false;
      if (!shell.root.isConnected) return;
      const now = [...values(shell)].filter(
        ([key, one]) => !asked.has(key) && shell.began.has(key) && shell.began.get(key) !== one,
      );
      const held = shell.widget.held?.();
      here()[idOf(shell)] = Object.fromEntries(held ? [...now, [HELD, held.join(".")]] : now);
      put();
    }, PAUSE);
  };
  for (const what of ["input", "change", "click", "keyup"]) shell.root.addEventListener(what, note);
}
