// The whole model on one screen, alive: text in, next token out, and everything between, to go into and to change.
import { define } from "../drawing/base.js";
import { clamp, el } from "../drawing/elements.js";
import { Player } from "../drawing/player.js";
import { openModel } from "../engine/open_model.js";
import { showFetching } from "../shared/fetching.js";
import { readingNotes } from "../shared/reading_notes.js";
import { labels } from "./labels.js";
import { fits, fromNumbers, tensorNames, toNumbers } from "./map_address.js";
import { Asking } from "./map_asking.js";
import { Film } from "./map_film.js";
import { hands } from "./map_hands.js";
import { Panel } from "./map_panel.js";
import { matrix, outer } from "./map_places.js";
import { Play } from "./map_play.js";
import { MapState } from "./map_state.js";
import { captionOf, tableOf } from "./map_story.js";
import { STYLE } from "./map_style.js";
import { MapView } from "./map_view.js";
import { Way } from "./map_way.js";

const SECONDS = 2.4; // a step of the story takes; a further token, half of that
const REST = 700; // ms after the last change until a screen reader is told

export default define((shell) => {
  const state = new MapState();
  const play = new Play(state);
  let place = {};
  let opened; // {url, model}
  let wanted = null; // what the address says is set, until the model is there
  let tellLater;

  const player = new Player({
    what: labels("step"),
    name: "Step",
    perSecond: (at) => (play.joined(at + 1) ? 2 : 1) / SECONDS,
    speeds: true,
    show: (at) => state.pass && !state.frame && showStep(at),
    say: () => shell.say(caption.textContent),
  });
  const most = 2 ** 31 - 1;
  const number = { type: "number", min: 0, max: most, value: 0, "aria-label": labels("seed") };
  const seed = el("input", { ...number, onchange: () => halt() });
  const film = new Film({ show: showFrame, fail: (error) => shell.fail(error) });
  film.button.addEventListener("click", () => (film.row.hidden ? rewind() : leaveFilm()));
  const canvas = el("canvas", { role: "img" });
  const mark = el("i", { class: "gf-map-mark" });
  const [caption, readout, legend] = ["caption", "readout", "key"].map((one) => el("p", { class: `gf-map-${one}` }));
  const edit = (one, isDrag = false) =>
    change((edits) => (one.part === "cell" || one.part === "weight" ? edits.set(one, isDrag) : edits.toggle(one)));
  const way = new Way({ go, edit, undo, leaveOut, reset: () => change((edits) => edits.reset()) });
  const panel = new Panel({ go, edit, say: (text) => shell.say(text) });
  const stage = el(
    "div",
    { class: "gf-map-stage", tabindex: 0, role: "group", "aria-label": labels("map") },
    way.list,
    canvas,
    mark,
    panel.node,
  );
  const top = el("div", { class: "gf-map-top" }, player.node, el("label", {}, `${labels("seed")} `, seed), film.button);
  const box = el("div", { class: "gf-map", "data-held": true }, top, film.row, way.node, caption, stage);
  box.append(legend, readout);
  shell.body.append(box);
  player.button.classList.add("gf-primary");
  player.set(0, 0);
  const view = new MapView(canvas, shell, state, play);
  const asking = new Asking(shell, state); // where the server runs the model

  // What plays.

  /** Nothing plays; the story begins anew. */
  function reset() {
    player.play(false);
    if (state.nJoined) state.join(0);
    play.stop();
    player.set(play.steps.length - 1, 0);
    player.slider.value = 0;
    player.tell(labels("n_step", { n: play.steps.length }));
  }

  function halt() {
    if (!state.pass || state.frame) return;
    reset();
    renew();
  }

  function showStep(asked) {
    if (play.step === null) {
      go({});
      const { context_length: context } = state.model.config;
      const number = clamp(Number(seed.value) || 0, 0, most);
      if (asking.mustDraw(number, { at: asked, isPlaying: Boolean(player.timer) })) {
        player.play(false);
        say([shell.component.isAlone ? asking.waiting : labels("writing")]);
        return;
      }
      play.plan(number, Math.min(context, shell.header.most));
      player.last = player.slider.max = play.steps.length - 1;
    }
    const at = (player.at = Math.min(asked, player.last));
    const joined = play.joined(at);
    if (joined !== state.nJoined || play.step === null) state.join(joined);
    view.forget();
    play.go(at, view.g, view.still.matches ? 0 : Number(player.speed.value));
    player.tell(labels("of", { n: at + 1, all: play.steps.length }), play.now.words.join(""));
    renew();
    reveal(play.now.reach(view.g));
  }

  // What is said.

  function say(words) {
    const parts = words.map((one) => (typeof one === "string" ? one : el("b", { text: one[0] })));
    caption.replaceChildren(el("span", {}, ...parts));
    canvas.setAttribute("aria-label", labels("whole", { caption: caption.textContent }));
    clearTimeout(tellLater);
    if (!player.timer) tellLater = setTimeout(() => shell.say(caption.textContent), REST);
  }

  const notes = () => (state.frame ? "" : (state.read.notes ?? readingNotes(state.read)));

  // Where one is.

  function go(to) {
    if (state.frame) return;
    if (outer(to) && play.now) halt();
    place = to;
    view.only = null;
    view.open(to.layer !== undefined && state.pass.nLayer > 1 ? to.layer : null);
    asking.go(place);
    renew();
    if (!panel.node.hidden && !view.still.matches) {
      const small = { opacity: 0, transform: "scale(0.94)" };
      panel.node.animate([small, { opacity: 1, transform: "none" }], { duration: 180, easing: "ease-out" });
    }
    if (to.layer !== undefined && panel.node.hidden) reveal(view.g.blocks[to.layer].z0);
  }

  /** Where depth goes down the page, bring a place of it into sight. */
  function reveal(u) {
    if (!view.g.isNarrow) return;
    mark.style.top = `${Math.min(u, view.g.height)}px`;
    mark.scrollIntoView({ block: "center", behavior: view.still.matches ? "auto" : "smooth" });
  }

  // What is changed.

  function change(what) {
    if (!state.pass || state.frame) return;
    state.change(what);
    asking.change(place);
    halt();
  }

  function undo() {
    change((edits) => edits.undo());
  }

  function leaveOut() {
    const { pass, stay, focus } = state;
    if (pass.nToken < 2) return;
    const isLast = focus === pass.nToken - 1;
    change((edits) => edits.leaveOut(stay[focus]));
    if (!isLast) follow(state.pass.nToken - 1); // what comes next is what it changes
  }

  function follow(t) {
    if (t === state.focus) return;
    state.focus = t;
    if (state.frame) renew();
    else halt();
  }

  // The training.

  function rewind(at = null) {
    halt();
    film.open(shell.header.film, at);
  }

  function leaveFilm() {
    film.close();
    if (!state.frame) return;
    state.frame = null;
    state.join(0);
    halt();
  }

  function showFrame() {
    place = {};
    view.open(null);
    state.show(film.frame);
    renew();
  }

  /** Everything anew. */
  function renew() {
    const wasHere = box.matches(":focus-within");
    view.forget();
    say(asking.isOut ? [asking.waiting] : captionOf(state, play));
    readout.replaceChildren(notes());
    legend.textContent = state.model ? labels("key", { n: state.model.config.d_model }) : "";
    way.draw(place, state, Boolean(play.now));
    shell.root.dataset.text = shell.header.read ?? shell.header.text; // for whoever waits until it is shown
    const isPanel = place.head !== undefined || Boolean(place.part || place.name);
    panel.node.hidden = !isPanel;
    canvas.hidden = view.g.isNarrow && isPanel;
    if (isPanel) {
      const { isNarrow, width: whole, height, bars } = view.g;
      const width = isNarrow ? whole : bars.x - 18;
      panel.node.classList.toggle("whole", isNarrow);
      panel.node.style.width = `${width}px`;
      panel.show(place, { ...state, theme: shell.theme, width, height }, asking.knows(place) ? "" : asking.waiting);
    }
    view.draw();
    if (wasHere && !box.matches(":focus-within")) stage.focus({ preventScroll: true }); // for the next key
  }

  function choose(region) {
    if (!region) return;
    if (region.isToken) follow(region.t);
    if (region.isToken || state.frame) return;
    state.focus = region.t ?? state.focus;
    if (region.bar === undefined) {
      go(region.place);
      return;
    }
    const name = "probabilities";
    if (state.server) {
      go({ name });
      return;
    }
    const { ids } = matrix(state.pass, { name }, state.focus, state.vocabulary);
    go({ name, cell: [state.focus, ids.indexOf(region.bar)] });
  }

  hands({
    ...{ stage, box, canvas, panel, state, view, player, readout },
    ...{ place: () => place, go, follow, undo, leaveOut, choose, notes },
  });

  function take(model) {
    if (!state.open(model, shell.header.text, shell.header.most)) return;
    if (place.name) place = {};
    film.close();
    begin();
  }

  /** What the server has computed. */
  function hear() {
    const came = asking.hear(shell, place);
    if (came === null) return;
    opened = null;
    if (came.isOther) {
      if (came.isOtherModel) place = {};
      view.open(null);
      film.close();
      begin();
      go(place.cell ? {} : place);
    } else if (came.isChanged) reset();
    if (!came.then) return;
    player.last = Infinity;
    player.go(came.then.at);
    if (came.then.isPlaying) player.play(true);
  }

  /** Another text, or another model. */
  function begin() {
    reset();
    if (wanted) restore();
    else if (shell.isMoved) shell.root.dispatchEvent(new Event("change")); // the address holds what is set: less, now
  }

  /** Set everything as the address says. */
  function restore() {
    const set = fromNumbers(wanted, tensorNames(state.pass.nLayer));
    wanted = null;
    if (!set || !fits(set, state.before)) return;
    seed.value = set.seed;
    player.speed.selectedIndex = set.speed;
    state.change((edits) => (edits.now = set.edits));
    state.focus = set.focus ?? state.pass.nToken - 1;
    reset();
    if (set.frame !== null) rewind(set.frame);
    else if (set.step === null) go(state.server && set.place.cell ? (outer(set.place) ?? {}) : set.place);
    else {
      player.last = Infinity;
      player.go(set.step);
    }
  }

  return {
    update() {
      const { model: offer, film: recorded } = shell.header;
      film.button.hidden = !recorded;
      const { server } = shell.header;
      for (const node of [top, way.node, stage]) node.hidden = !offer && !server;
      if (!offer) {
        if (server) hear();
        else caption.textContent = labels("cannot_run");
        return;
      }
      state.server = null;
      if (opened?.url === offer.url) {
        take(opened.model);
        return;
      }
      if (!state.pass) showFetching(shell, offer.url);
      const begin = (model) => {
        if (shell.header.model?.url !== offer.url) return; // another one was chosen meanwhile
        opened = { url: offer.url, model };
        place = {};
        view.open(null);
        take(model);
        shell.redraw();
      };
      openModel(offer)
        .then(begin)
        .catch((error) => shell.fail(error));
    },
    draw: () => state.pass && renew(),
    held() {
      if (wanted || !state.pass) return wanted;
      const focus = state.focus === state.pass.nToken - 1 ? null : state.focus;
      const [speed, seeded] = [player.speed.selectedIndex, Number(seed.value)];
      const set = { step: play.step, frame: film.at, focus, speed, seed: seeded, edits: state.edits.now, place };
      const isMoved = [set.step, set.frame, focus].some((one) => one !== null) || speed !== 1 || seeded !== 0;
      if (!isMoved && !state.edits.count && !outer(place)) return null;
      return toNumbers(set, tensorNames(state.pass.nLayer));
    },
    hold(numbers) {
      wanted = numbers;
      if (state.pass) restore();
    },
    destroy: () => player.play(false),
    table: () => tableOf(state),
    picture: () => ({ width: view.g.width, height: view.g.height, paint: (p) => view.paintStill(p) }),
  };
}, STYLE);
