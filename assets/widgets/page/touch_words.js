// What texts say of pointer and keys, said for a finger: "Tap" instead of "Point at" and "Click", and nothing of keys.
// It goes by the words themselves, so that no picture needs a second text; a translation without them stays as it is.

const KEYS = "(?:Tab and )?(?:the )?arrow keys";
const KEPT = "(?:keeps?|holds?|to keep) (?:it|one)(?:, Esc (?:lets|to let) go)?";
/** @type {[RegExp, string][]} what is said to a pointer, and to a finger, in this order */
const SAID = [
  [/(?:^|(?<=\.) )(?:Press the space bar|Space plays)[^.]*\./g, ""],
  [new RegExp(` (?:A click|Click(?: or press Enter)?) ${KEPT}\\.`, "g"), ""], // a tap points and keeps
  [new RegExp(`(?:; a|, or) click (?:one )?${KEPT}`, "g"), ""],
  [new RegExp(`,? or (?:use|walk with) ${KEYS}(?:,(?= (?:to|for) ))?`, "g"), ""],
  [new RegExp(`; ${KEYS}[^.;]*|; the ${KEYS}[^.;]*|; Page Up[^.;]*|, Esc (?:lets|to|resets)[^.]*`, "g"), ""],
  [/,? or press Enter on it(?:,(?= to ))?/g, ""],
  [/^Enter or a click|Ctrl\+Enter, or a click(?= elsewhere)/g, "A tap"],
  [/(?:Ctrl and )?Enter or a click/g, "a tap"],
  [/(?: or press| or) Enter\b| or click it(?= for)/g, ""],
  [/\b(?:Point at|Move over|Click)\b/g, "Tap"],
  [/\b(?:point at|click)\b/g, "tap"],
];

/** The text as it is said to a finger. */
export const forFinger = (text) => SAID.reduce((said, [what, instead]) => said.replace(what, instead), text);

/** Whether this page is used by finger: no pointer that hovers, mostly no keys. */
export const isTouched = () => globalThis.matchMedia?.("(hover: none) and (pointer: coarse)").matches ?? false;

const WRITTEN = ':is([data-testid="stMain"], dialog) :is(.stMarkdown, [data-testid="stHeading"])';
const REST = 100; // ms without another change

/** On a page used by finger, say so in all texts that the server wrote, now and whenever it writes others. */
export function speakToFinger() {
  if (!isTouched()) return;
  let waits = 0;
  const speak = () => {
    waits = 0;
    for (const box of document.querySelectorAll(WRITTEN)) {
      const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.parentElement.closest("code, pre, kbd")) continue;
        const said = forFinger(node.nodeValue);
        if (said !== node.nodeValue) node.nodeValue = said;
      }
    }
  };
  new MutationObserver(() => {
    waits ||= setTimeout(speak, REST);
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
  speak();
}
