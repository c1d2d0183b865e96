// A picture of things: one pure function says what they are, how they are drawn and what is told of them. Pointer,
// keys, readout, screen reader, player, controls, legend, table and files follow from it. README.md beside this file
// explains the fields; there are no others, and a widget that would need another is written with `define`.
import { BARS } from "./bars.js";
import { Controls } from "./controls.js";
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { inStep } from "../drawing/in_step.js";
import { legend } from "../drawing/legend.js";
import { Player } from "../drawing/player.js";
import { Regions } from "./regions.js";
import { Cells, Elements, Painting } from "./surfaces.js";
import { labels } from "./labels.js";

export { nearest } from "./surfaces.js";

/**
 * @typedef {{
 *   things?: any[],
 *   draw?: (thing: any, i: number) => HTMLElement, layout?: string,
 *   arrange?: (parts: HTMLElement[]) => Node[], after?: (node: any) => void, reveal?: () => void,
 *   paint?: (p: any, place?: any) => void, size?: number[], at?: (x: number, y: number) => any,
 *   mark?: (p: any, place: any) => void,
 *   cells?: any,
 *   across?: number, walked?: number, keys?: {[key: string]: ((place: any) => any) | null},
 *   said?: (thing: any, place: any) => (string | Node)[], hint?: string, idle?: (string | Node)[],
 *   label?: string, spoken?: string, sentence?: (string | Node)[],
 *   choose?: (thing: any, place: any, isPulled: boolean) => void, chosen?: any, follows?: boolean, reset?: () => any,
 *   note?: string, held?: any, hold?: (numbers: number[]) => void,
 *   columns: string[], row?: (thing: any, i: number) => any[], rows?: any[][],
 *   controls?: import("./controls.js").Control[], legends?: any[][], key?: (string | Node)[],
 *   first?: Node[], above?: Node[], below?: Node[], beside?: Node[],
 * }} Picture
 */

/**
 * @param {(header: any, arrays: any, at: any) => Picture} scene at: {shell, theme, width, step, go, state, set}
 * @param {{style?: string, state?: (header: any, old: any, previous: any) => any, steps?: (header: any) => string[],
 *   player?: any, aside?: boolean}} more state: what the picture remembers, made anew with each message;
 *   steps: the moments of a film; aside: what is told stands in a panel beside the picture
 */
export const picture = (
  scene,
  { style = "", state: remember = () => undefined, steps, player: pace = {}, aside = false } = {},
) =>
  define((shell) => {
    const readout = el("div", { class: aside ? "gf-panel" : "gf-readout" });
    const stand = el("div"); // where the picture itself will be
    const sentence = el("p", { class: "gf-sentence" });
    const controls = new Controls();
    const key = el("div", { class: "gf-legend" });
    let now = null;
    let surface = null;
    let marked = null;
    let state;
    let moments = [];

    const player =
      steps &&
      new Player({
        what: labels("step"),
        name: "Step",
        perSecond: 4,
        show: look,
        say: () => shell.say(moment()),
        ...pace,
      });
    const leave = player && inStep(player, () => shell.header);
    const step = () => player?.at ?? 0;
    const told = () => readout.innerText.replace(/\s+/g, " ").trim();
    const moment = () => [moments[step()], now.spoken ?? (marked === null ? "" : told())].filter(Boolean).join(". ");

    const hands = {
      point: (place) => place === marked || mark(place),
      walk(place) {
        mark(place);
        if (place === null) return;
        if (now.follows) hands.choose(place);
        else shell.say(told());
      },
      choose(place, isPulled = false) {
        if (place === null || !now.choose) return;
        now.choose(surface.thing(place), place, isPulled);
        if (now.spoken) shell.say(now.spoken);
        else if (now.follows) shell.say(told());
      },
      /** False where nothing was marked or chosen: the key may mean something to the page. */
      reset() {
        const isMarked = marked !== null;
        if (isMarked) mark(null);
        return (now.reset ? now.reset() !== false : false) || isMarked;
      },
      walked: () => surface.walk,
    };
    const regions = new Regions(["first", "above", "below", "beside"], hands);
    const { first, above, below, beside } = regions.nodes;
    const left = el("div", {}, first, stand, sentence, above, ...(aside ? [] : [readout]), below);
    const right = el("div", {}, beside, ...(aside ? [readout] : []));
    const split = el("div", {}, left, right);
    shell.body.append(...[player?.node, controls.node, split, key].filter(Boolean));

    function look() {
      right.hidden = !aside && !now?.beside;
      split.className = right.hidden ? "" : "gf-split";
      const at = {
        shell,
        theme: shell.theme,
        width: left.clientWidth || shell.width,
        step: step(),
        go,
        state,
        set,
      };
      const isFirst = !now;
      now = { things: [], ...scene(shell.header, shell.arrays, at) };
      if (isFirst) {
        surface = new (now.cells ? Cells : now.paint ? Painting : Elements)(hands);
        stand.replaceWith(surface.node);
        if (!(now.said || now.hint || now.idle)) readout.remove();
        if (now.beside) return look(); // there is less room
      }
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      if (player) {
        player.node.hidden = !moments.length;
        player.tell(moments[step()] ?? "", moment());
      }
      controls.show(now.controls ?? [], Boolean(shell.header.chooses?.settings));
      const label = now.label ?? shell.header.takeaway ?? shell.header.label;
      surface.show(now, shell, [label, now.spoken ?? moments[step()]].filter(Boolean).join(" "));
      regions.show(now);
      sentence.replaceChildren(...(now.sentence ?? []));
      sentence.hidden = !now.sentence;
      now.after?.(surface.node);
      mark(surface.holds(marked) ? marked : null);
      key.replaceChildren(...(now.legends ?? []).flatMap((one) => legend(...one)), ...(now.key ?? []));
      key.hidden = !key.textContent;
    }

    function mark(place) {
      marked = place;
      surface.mark(place);
      regions.mark(place);
      const one = place ?? (now.idle ? null : (now.chosen ?? null));
      const words = one === null || !now.said ? (now.idle ?? []) : now.said(surface.thing(one), one);
      readout.replaceChildren(...(words.length ? words : [el("span", { class: "gf-hint", text: now.hint ?? "" })]));
    }

    function go(to) {
      player.play(false);
      player.move(to);
    }

    function set(next) {
      player?.play(false);
      state = next;
      look();
    }

    shell.body.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || !moments.length) return; // pictures have arrows of their own
      if (player.key(event)) event.preventDefault();
    });

    /** Where a film stands after a message: as its player says, at the newest moment, or where somebody left it. */
    function place() {
      if (pace.start) return pace.start(shell.header, shell.previous, player.at);
      const same = steps(shell.header).indexOf(moments[player.at]);
      return player.at === player.last || same < 0 ? Infinity : same; // new moments do not pull anybody away
    }

    return {
      held: () => now?.held,
      hold: (numbers) => now?.hold?.(numbers),
      update() {
        state = remember(shell.header, state, shell.previous);
        if (!player) return;
        const start = place();
        moments = steps(shell.header);
        player.set(Math.max(0, moments.length - 1), start);
        if (pace.plays && !now && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
          player.at = 1;
          player.play(true);
        }
      },
      draw: () => (player ? player.go(player.at) : look()),
      destroy() {
        player?.play(false);
        leave?.();
      },
      table: () => ({ columns: now.columns, rows: now.rows ?? now.things.map(now.row) }),
      picture() {
        const { width, height, paint } = surface.file(shell);
        const [scale, scaleTitle] = now.legends?.[0] ?? [];
        const top = moments.length ? 20 : 0;
        const foot = now.note ? 20 : 0;
        const text = { fill: shell.theme.text, size: 12, font: shell.theme.code };
        return {
          width,
          height: height + top + foot,
          scale,
          scaleTitle,
          paint(p) {
            if (top) p.text(moments[step()], 8, 10, text);
            p.shifted(0, top, () => paint(p));
            if (foot) p.text(now.note, 8, top + height + 10, text);
          },
        };
      },
    };
  }, BARS + style);
