// Generated from core/charts/theme.py; change the colors there, then run
// python -m core.charts.theme > assets/widgets/drawing/theme.js
// prettier-ignore
export const COLORS = {
  light: {
    sequential: ["#F1F6F4", "#D5EDE0", "#A6DEC4", "#6CCBB2", "#42B2AC", "#3596A6", "#35789F", "#3B5A97", "#3D3F7C", "#2E2450"],
    diverging: ["#7F3B08", "#B35806", "#E08214", "#FDB863", "#FEE0B6", "#F7F7F7", "#D8DAEB", "#B2ABD2", "#8073AC", "#542788", "#2D004B"],
    categorical: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A7A00", "#4D4D4D"],
    accent: "#C2410C",
  },
  dark: {
    sequential: ["#1B1F2E", "#28294C", "#34396F", "#39508F", "#366B9C", "#3587A4", "#39A3AB", "#53BEAD", "#92D8B4", "#E4F7E8"],
    diverging: ["#FFE3BD", "#FDC47E", "#EB9A3A", "#B96A17", "#65401C", "#1E2130", "#40386B", "#6857A5", "#9284C6", "#BDB3E3", "#E7E1FA"],
    categorical: ["#56B4E9", "#F28E4B", "#2FC79B", "#E29CC4", "#F2B83D", "#8FCBF2", "#F0E442", "#C9CCD6"],
    accent: "#FF9D5C",
  },
};
