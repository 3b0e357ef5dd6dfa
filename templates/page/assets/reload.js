// Reloads the page when the site has changed.
"use strict";

(() => {
  let known = null;
  async function look() {
    try {
      const now = await (await fetch("/.generation", { cache: "no-store" })).text();
      if (known !== null && now !== known) location.reload();
      known = now;
    } catch {
      // The server is stopped or busy; the next request may succeed.
    }
    setTimeout(look, 1000);
  }
  look();
})();
