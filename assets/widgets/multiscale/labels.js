import { texts } from "../page/texts.js";

export const labels = texts({
  stages: "The stages",
  stage: "Stage {i}: {size}",
  hint: "In front the tokens of a stage, behind them its channels, to one scale. Click one.",
  stage_size:
    "Stage {i}: {side} × {side} = {tokens} tokens of {channels} channels, {numbers} numbers. A token stands for {pixels} × {pixels} pixels.",
  at_window:
    "rows {up} to {down}, columns {left} to {right}: {high} × {wide} = {tokens} tokens, which attend only to each other: {pixels} of {all} pixels.",
  "shift.never": "Windows are never shifted",
  "shift.one_window": "One window: nothing to shift",
  "shift.on": "Blocks 1, 3, …: shifted windows",
  "shift.off": "Blocks 0, 2, …: windows as they are",
  n_window: "{count} windows",
  "n_window.one": "{count} window",
  n_block: "{count} blocks",
  "n_block.one": "{count} block",
  "column.stage": "stage",
  "column.side": "tokens a side",
  "column.tokens": "tokens",
  "column.channels": "channels",
  "column.numbers": "numbers",
  "column.windows": "windows",
  "column.window": "tokens of a window",
  "column.blocks": "blocks",
  "column.heads": "heads",
  "column.pixels": "pixels of a token",
});
