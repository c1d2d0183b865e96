// Takes in answers of the server one after the other, as the map does, and prints what it then says and shows.
import { readFileSync } from "node:fs";
import { readFrame } from "../../../assets/widgets/drawing/frame.js";
import { Edits } from "../../../assets/widgets/model_map/map_edits.js";
import { matrix } from "../../../assets/widgets/model_map/map_places.js";
import { Play } from "../../../assets/widgets/model_map/map_play.js";
import { Server } from "../../../assets/widgets/model_map/map_server.js";
import { MapState } from "../../../assets/widgets/model_map/map_state.js";
import { captionOf } from "../../../assets/widgets/model_map/map_story.js";

const [state, server] = [new MapState(), new Server()];
state.edits = new Edits();
const said = [];
for (const file of process.argv.slice(2)) {
  const { header, arrays } = await readFrame(new Uint8Array(readFileSync(file)));
  if (server.take({ server: header.server, arrays }) === null) throw new Error("an answer without its pass");
  state.receive(server);
  const { pass, focus, vocabulary } = state;
  const names = Object.keys(arrays).filter((name) => name.startsWith("number "));
  const cells = names.map((one) => {
    const name = one.slice("number ".length);
    const shown = matrix(pass, { name, head: header.server.head ?? undefined }, focus, vocabulary);
    return [name, shown.rows.map((_, r) => shown.columns.map((__, c) => shown.value(r, c)))];
  });
  const play = new Play(state);
  let steps = [];
  if (server.seed !== null) {
    play.plan(server.seed, 64);
    steps = play.steps.map(({ words, early }) => [
      words.join(""),
      early ? state.bars(early, null).map(({ p }) => p) : [],
    ]);
  }
  said.push({
    caption: captionOf({ ...state, isEdited: false }, { now: null }).join(""),
    bars: state.bars(null, null).map(({ id, p, before }) => [id, p, before]),
    cells: Object.fromEntries(cells),
    differs: pass.ids.map((_, t) => state.differs(t)),
    written: state.written.map(({ id, p }) => [id, p]),
    steps,
  });
}
console.log(JSON.stringify(said));
