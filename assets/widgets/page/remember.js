// Keeps small values of core/ui/controls/browser_storage.py as cookies of this address. It draws nothing, and
// the server hears nothing from it.
import { readHeader } from "../drawing/frame.js";

const YEAR = 365 * 24 * 3600;

/** The text that sets a cookie; an empty value removes it. */
export function cookie(name, value, secure = false) {
  return `gf_${name}=${encodeURIComponent(value)}; path=/; max-age=${value ? YEAR : 0}; SameSite=Lax${secure ? "; Secure" : ""}`;
}

export default ({ data, parentElement }) => {
  for (const held of parentElement.querySelectorAll(".gf-wait")) held.remove();
  const [{ values }] = readHeader(data);
  for (const [name, value] of Object.entries(values)) {
    document.cookie = cookie(name, value, location.protocol === "https:");
  }
};
