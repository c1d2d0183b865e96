// Runs inside the page that the server sends, before any other script: core/ui/frame/first_page_html.py puts it there.
(() => {
  // A browser without a language ("" or "C") makes Intl throw a RangeError, in Streamlit's date field first.
  const usable = (tags) => {
    try {
      return Intl.getCanonicalLocales(tags).length > 0;
    } catch {
      return false;
    }
  };
  if (!usable(navigator.language) || !usable(navigator.languages)) {
    const english = { language: { get: () => "en-US" }, languages: { get: () => ["en-US"] } };
    try {
      Object.defineProperties(navigator, english);
    } catch {
      // A browser that keeps them: then what reads them gets English from Intl.
    }
    const inEnglish = (make) => (locales, options) => {
      try {
        return make(locales, options);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return make(locales === undefined || usable(locales) ? locales : "en-US", options);
      }
    };
    const kinds = ["Collator", "DateTimeFormat", "ListFormat", "Locale", "NumberFormat", "PluralRules"];
    for (const kind of [...kinds, "DisplayNames", "RelativeTimeFormat", "Segmenter"]) {
      if (!Intl[kind]) continue;
      Intl[kind] = new Proxy(Intl[kind], {
        construct: (of, [locales, options], by) =>
          inEnglish((tags, how) => Reflect.construct(of, [tags, how], by))(locales, options),
        apply: (of, self, [locales, options]) =>
          inEnglish((tags, how) => Reflect.apply(of, self, [tags, how]))(locales, options),
      });
    }
    const patch = (prototype, name) => {
      const own = prototype[name];
      prototype[name] = function (locales, options) {
        return inEnglish((tags, how) => own.call(this, tags, how))(locales, options);
      };
    };
    patch(Number.prototype, "toLocaleString");
    for (const what of ["", "Date", "Time"]) patch(Date.prototype, `toLocale${what}String`);
  }

  // Key p, pressed before the script that answers keys is there (keys.js), which asks for it then.
  let isPresenting = false;
  const press = (event) => {
    const types = /^(input|textarea|select)$/i.test(event.target.tagName) || event.target.isContentEditable;
    if (types || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.toLowerCase() === "p") isPresenting = !isPresenting;
  };
  addEventListener("keydown", press);
  const hand = (event) => {
    removeEventListener("keydown", press);
    if (isPresenting) event.preventDefault();
  };
  document.addEventListener("gf-keys", hand, { once: true });

  // The first words stay until the app has some of its own, says that something is wrong, or has nothing more to draw.
  const OWN = ["h1", "h2", "h3", "[data-testid=stAlert]", "[data-testid=stException]"];
  const IS_DRAWN = "[data-test-script-state=notRunning][data-test-connection-state=CONNECTED]";
  const THERE = `[data-testid=stMain] :is(${OWN}), [role=dialog], ${IS_DRAWN}`;
  const watch = new MutationObserver(() => {
    if (!document.querySelector(THERE)) return;
    document.getElementById("gf-first")?.remove();
    watch.disconnect();
  });
  const attributeFilter = ["data-test-script-state", "data-test-connection-state"];
  watch.observe(document.documentElement, { attributeFilter, childList: true, subtree: true });
})();
