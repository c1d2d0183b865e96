// What the widgets and the engine make of texts: [visible, printable] of each that comes in.
import { visible } from "../../../assets/widgets/drawing/tokens.js";
import { printable } from "../../../assets/widgets/engine/printable.js";

let given = "";
for await (const part of process.stdin) given += part;
const bare = (text) => text.replace(/[\u2068\u2069]/g, ""); // what turns Hebrew is set apart elsewhere in Python
process.stdout.write(JSON.stringify(JSON.parse(given).map((text) => [bare(visible(text)), printable(text)])));
