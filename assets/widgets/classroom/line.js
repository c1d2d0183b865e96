// The line from a screen to its class: it comes back by itself when the network does.
const PAUSES = [200, 500, 1000, 2000, 4000]; // ms before a new try, and a little by chance: sixty come one by one

/** The app's own address, below which everything lies: of "…/join", "…/". */
export const root = new URL(".", location.href).href;

/** Whether no phone gets here: the server knows no name of its own but this computer's. */
export const isAlone = /^https?:[/][/](localhost|127[.]0[.]0[.]1|\[)/.test(document.body.dataset.way ?? "");

/** The code and the key behind the # of the address, "K7M2QX.<32 digits>". */
export function ticket() {
  const [code = "", key = ""] = decodeURIComponent(location.hash.slice(1)).split(".");
  return { code, key };
}

/**
 * Code and key of a teacher's screen: they are kept with the tab, and the address names the code alone.
 * @param {"desk" | "projector"} role
 */
export function teacherTicket(role) {
  const { code, key } = ticket();
  if (key) keepKey(role, code, key);
  const kept = JSON.parse(sessionStorage.getItem(`glassformer.${role}`) ?? "{}");
  return { code, key: kept.code === code ? kept.key : "" };
}

/** Keep a key with this tab. A window that it opens gets a copy. */
export function keepKey(role, code, key) {
  sessionStorage.setItem(`glassformer.${role}`, JSON.stringify({ code, key }));
  if (location.pathname.endsWith(`/${role}`)) history.replaceState(null, "", `#${code}`);
}

export const forgetKey = (role) => sessionStorage.removeItem(`glassformer.${role}`);

/**
 * @param {() => object} enter what is said first, each time
 * @param {{told: (told: any) => void, refused: (why: string, isOut: boolean, comesAgain: boolean) => void,
 *   ended: () => void, lost: (isLost: boolean) => void, reply?: (to: string, what: any) => void}} hear
 * @returns {(said: any) => void} say something; what cannot be said now is said when the line is back
 */
export function open(enter, hear) {
  let socket;
  let n = 0;
  let isOver = false;
  let isIn = false;
  let pause = 0; // ms that the server has asked for
  const waiting = [];
  const connect = () => {
    socket = new WebSocket(new URL("classroom/line", root.replace(/^http/, "ws")));
    socket.onopen = () => socket.send(JSON.stringify(enter()));
    socket.onmessage = ({ data }) => {
      const said = JSON.parse(data);
      if (said.told && !isIn) {
        isIn = true;
        n = 0;
        hear.lost(false);
        for (const one of waiting.splice(0)) socket.send(one);
      }
      if (said.told) hear.told(said.told);
      if (said.reply !== undefined) hear.reply?.(said.to, said.reply);
      if (said.ended || said.is_out) {
        isOver = true;
        socket.close();
      }
      pause = said.again ? 1000 * said.again : 0; // the server closes the line: come again then
      if (said.ended) hear.ended();
      else if (said.refused) hear.refused(said.refused, Boolean(said.is_out), Boolean(said.again));
    };
    socket.onclose = () => {
      isIn = false;
      if (isOver) return;
      if (n && !pause) hear.lost(true);
      setTimeout(connect, (pause || PAUSES[Math.min(n, PAUSES.length - 1)]) * (0.7 + 0.6 * Math.random()));
      n += 1;
    };
  };
  connect();
  addEventListener("offline", () => socket.close()); // a dead line may take minutes to notice
  return (said) => {
    const text = JSON.stringify(said);
    if (isIn && socket.readyState === WebSocket.OPEN) socket.send(text);
    else if (said.do !== "at") waiting.push(text);
  };
}
