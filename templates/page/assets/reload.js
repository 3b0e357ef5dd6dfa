// Loads the page anew when the site has changed.
"use strict";

(() => {
  let known = null;
  async function look() {
    try {
      const now = await (await fetch("/.generation", { cache: "no-store" })).text();
      if (known !== null && now !== known) location.reload();
      known = now;
    } catch {
      // The server is gone or busy; the next look may find it.
    }
    setTimeout(look, 1000);
  }
  look();
})();
