// A model's files on their way to the server, one after the other: core/ui/server/model_uploads.py takes them.
// They go on while another room is looked at; the field draws what is here.
import { labels } from "./labels.js";

/**
 * @typedef {object} Row
 * @property {string} name as the server keeps it
 * @property {number} size in bytes
 * @property {number} sent in bytes
 * @property {"waits"|"goes"|"here"|"failed"|"refused"} state
 * @property {string} [why] in plain words, of what failed or was refused
 * @property {File} [file] what can still be sent
 * @property {XMLHttpRequest} [line] on which it goes
 */

const PLACE = new URL("../../upload", import.meta.url).href;
const OURS = { "x-upload": "1" };
const BROKEN = labels("broken");
const listeners = new Set();

/** All that is shown: the files, the names of those that no model needs, and what went wrong with all of them. */
export const list = {
  rows: /** @type {Row[]} */ ([]),
  leftOut: /** @type {string[]} */ ([]),
  trouble: "",
  elsewhere: /** @type {string[]} */ ([]), // names of what came from another tab, or before the page was loaded anew
};
let turn = null; // of the list: another one begins anew
let removed = new Set(); // names of what the server may still have when it tells
let n_asked = 0; // batches about which the server is asked just now

const tell = () => listeners.forEach((hear) => hear());
/** Hear of every change; gives what ends it. */
export function follow(hear) {
  listeners.add(hear);
  return () => listeners.delete(hear);
}

const isUnderWay = ({ state }) => state === "waits" || state === "goes";
/** How many are still to come, and how many didn't. */
export const counted = () => ({
  coming: n_asked + list.rows.filter(isUnderWay).length,
  failed: list.rows.filter(({ state }) => state === "failed").length,
});

/**
 * What the server has. All of it is new where the list is: the page was loaded anew, or a model has been opened. Else
 * what no line tells of came from another tab, for there is one list for each learner.
 */
export function begin(now, here) {
  const known = here.map(([name, size]) => ({ name, size, sent: size, state: "here" }));
  if (now === turn) {
    const strange = known.filter(({ name }) => !removed.has(name) && !list.rows.some((row) => row.name === name));
    list.rows.push(...strange);
    list.elsewhere.push(...strange.map(({ name }) => name));
    if (strange.length) tell();
    return;
  }
  turn = now;
  removed = new Set();
  list.elsewhere = known.map(({ name }) => name);
  list.rows = [...known.filter(({ name }) => !list.rows.some((row) => row.name === name && isUnderWay(row))),
    ...list.rows.filter(isUnderWay)]; // prettier-ignore
  list.leftOut = [];
  list.trouble = "";
  tell();
}

/** Ask about these files, and send those that are taken. */
export async function add(/** @type {File[]} */ files) {
  if (!files.length) return;
  n_asked += 1;
  list.trouble = "";
  tell();
  try {
    const body = JSON.stringify(files.map(({ name, size }) => [name, size]));
    const answer = await fetch(PLACE, { method: "POST", headers: OURS, body });
    if (answer.ok) sort(files, await answer.json());
    else list.trouble = (await answer.text()).trim();
  } catch {
    list.trouble = labels("no_server");
  }
  n_asked -= 1;
  next();
}

function sort(files, answers) {
  list.leftOut = files.filter((_, i) => answers[i].name === null).map(({ name }) => name);
  files.forEach((file, i) => {
    const { name, refused } = answers[i];
    if (name === null) return;
    if (!refused) drop(list.rows.find((row) => row.name === name)); // this one takes its place
    const shown = refused ? file.name : name;
    list.rows = list.rows.filter((row) => !(row.state === "refused" && row.name === shown));
    list.rows.push({ name: shown, size: file.size, sent: 0, file, why: refused, state: refused ? "refused" : "waits" });
  });
}

/** The small ones first: what they say of a model is there before its weights. */
function next() {
  if (!list.rows.some(({ state }) => state === "goes")) {
    const [row] = list.rows.filter(({ state }) => state === "waits").sort((a, b) => a.size - b.size);
    if (row) send(row);
  }
  tell();
}

function send(/** @type {Row} */ row) {
  const line = new XMLHttpRequest(); // `fetch` doesn't tell how much has gone
  row.line = line;
  removed.delete(row.name);
  row.state = "goes";
  row.sent = 0;
  const end = (why) => {
    row.line = undefined;
    row.state = why ? "failed" : "here";
    row.why = why;
    next();
  };
  line.upload.onprogress = ({ loaded }) => {
    row.sent = loaded;
    tell();
  };
  line.onload = () => end(line.status === 201 ? "" : line.responseText.trim() || BROKEN);
  line.onerror = () => end(BROKEN);
  line.open("PUT", `${PLACE}/${row.name}`);
  for (const [name, value] of Object.entries(OURS)) line.setRequestHeader(name, value);
  line.send(row.file);
}

/** Take a file from the list. One that is on its way is stopped. */
function drop(/** @type {Row | undefined} */ row) {
  if (!row) return;
  list.rows = list.rows.filter((one) => one !== row);
  list.elsewhere = list.elsewhere.filter((name) => name !== row.name);
  row.line?.abort();
}

/** The same, and nothing of it is left on the server. */
export function remove(/** @type {Row} */ row) {
  const isThere = row.state === "here";
  drop(row);
  removed.add(row.name);
  if (isThere) {
    fetch(`${PLACE}/${row.name}`, { method: "DELETE", headers: OURS }).catch(() => {
      list.rows.push(row);
      tell();
    });
  }
  next();
}

/** Send once more what failed. */
export function retry(/** @type {Row} */ row) {
  row.state = "waits";
  row.why = "";
  next();
}

/** Whoever closes the tab is asked first. */
globalThis.addEventListener?.("beforeunload", (event) => {
  if (list.rows.some(isUnderWay)) event.preventDefault();
});
