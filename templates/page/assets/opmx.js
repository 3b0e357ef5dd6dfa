// Search and filters of the list, ways through an update graph, and buttons that copy. Pages are complete without it.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);

  function copying() {
    for (const button of document.querySelectorAll("button.copy")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const text = byId(button.dataset.copy).textContent;
        button.textContent = (await copied(text)) ? "Copied" : "Not copied";
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
      });
    }
  }

  async function copied(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Pages that are opened from a disk may have to take the older way.
      const area = document.createElement("textarea");
      area.value = text;
      area.setAttribute("readonly", "");
      area.className = "hidden";
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  // Marks what holds today: the page itself knows no date.
  function phases() {
    const now = new Date();
    const two = (number) => String(number).padStart(2, "0");
    const today = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
    for (const phase of document.querySelectorAll("[data-start][data-end]")) {
      if (phase.dataset.start > today || phase.dataset.end < today) continue;
      const badge = document.createElement("span");
      badge.className = "badge";
      badge.textContent = "now";
      phase.append(" ", badge);
    }
  }

  // The list.

  const WEIGHTS = [["n", 10], ["d", 8], ["k", 5], ["a", 5], ["p", 3], ["t", 1]];

  // How well a package fits all words; 0 where one of them is nowhere.
  function score(found, words) {
    let sum = 0;
    for (const word of words) {
      let best = 0;
      for (const [key, weight] of WEIGHTS) {
        const value = found[key];
        const texts = Array.isArray(value) ? value : [value];
        for (const text of texts) {
          const at = text.indexOf(word);
          if (at < 0) continue;
          const whole = text === word ? 3 : at === 0 ? 2 : 1;
          best = Math.max(best, weight * whole);
        }
      }
      if (best === 0) return 0;
      sum += best;
    }
    return sum;
  }

  function list() {
    const form = byId("filters");
    const packages = window.opmxPackages;
    if (!form || !packages) return;
    const cards = byId("cards");
    const items = [...cards.children];
    const search = byId("q");
    const sort = byId("sort");
    const boxes = [...form.querySelectorAll("input[type=checkbox]")];
    const counts = new Map(boxes.map((box) => [box, box.closest("label").querySelector(".count")]));
    const keys = [...new Set(boxes.map((box) => box.name))];
    form.hidden = false;
    byId("found").hidden = false;
    if (!matchMedia("(min-width: 60rem)").matches) form.querySelector("details").open = false;

    function wanted() {
      const values = new Map(keys.map((key) => [key, new Set()]));
      for (const box of boxes) if (box.checked) values.get(box.name).add(box.value);
      return values;
    }

    // Of several values of one filter one must fit, and every filter must.
    const fits = (found, key, values) => values.size === 0 || (found.f[key] || []).some((value) => values.has(value));

    function show() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const values = wanted();
      const scores = packages.map((found) => (words.length ? score(found, words) : 1));
      const tally = new Map(keys.map((key) => [key, new Map()]));
      const shown = [];
      packages.forEach((found, place) => {
        if (scores[place] === 0) return;
        const missed = keys.filter((key) => !fits(found, key, values.get(key)));
        if (missed.length === 0) shown.push(place);
        // The number beside a value says what is shown if it is chosen, too.
        for (const key of keys) {
          if (missed.length > 1 || (missed.length === 1 && missed[0] !== key)) continue;
          for (const value of found.f[key] || []) tally.get(key).set(value, (tally.get(key).get(value) || 0) + 1);
        }
      });
      const orders = {
        created: (one, other) => (packages[other].c > packages[one].c ? 1 : packages[other].c < packages[one].c ? -1 : one - other),
        versions: (one, other) => packages[other].v - packages[one].v || one - other,
      };
      shown.sort(orders[sort.value] || ((one, other) => scores[other] - scores[one] || one - other));
      const visible = new Set(shown);
      items.forEach((item, place) => { item.hidden = !visible.has(place); });
      // Only what stands in the wrong place moves.
      let next = cards.firstElementChild;
      for (const place of shown) {
        const item = items[place];
        while (next && next.hidden) next = next.nextElementSibling;
        if (next === item) next = next.nextElementSibling;
        else cards.insertBefore(item, next);
      }
      for (const box of boxes) {
        const count = tally.get(box.name).get(box.value) || 0;
        counts.get(box).textContent = count;
        box.closest("label").classList.toggle("none", count === 0);
      }
      byId("clear").hidden = !search.value && !sort.value && !boxes.some((box) => box.checked);
      const all = packages.length;
      byId("found").textContent = shown.length === all ? `All ${all} packages` : `${shown.length} of ${all} packages`;
    }

    function address() {
      const query = new URLSearchParams();
      if (search.value) query.set("q", search.value);
      for (const box of boxes) if (box.checked) query.append(box.name, box.value);
      if (sort.value) query.set("sort", sort.value);
      const text = query.toString();
      return location.pathname + (text ? `?${text}` : "");
    }

    function remember(anew) {
      try {
        if (anew) history.pushState(null, "", address());
        else history.replaceState(null, "", address());
      } catch {
        // A browser that forbids it for files shows the list all the same.
      }
    }

    function recall() {
      const query = new URLSearchParams(location.search);
      search.value = query.get("q") || "";
      sort.value = query.get("sort") || "";
      if (sort.selectedIndex < 0) sort.value = "";
      for (const box of boxes) box.checked = query.getAll(box.name).includes(box.value);
      show();
    }

    search.addEventListener("input", () => { show(); remember(false); });
    form.addEventListener("change", (event) => {
      if (event.target === search) return;
      show();
      remember(true);
    });
    form.addEventListener("reset", () => setTimeout(() => { show(); remember(true); search.focus(); }));
    form.addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("popstate", recall);
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, select, textarea");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        search.focus();
      }
    });
    recall();
  }

  // Ways from one version to another.

  function ways() {
    const form = byId("way");
    const channels = [...document.querySelectorAll("section.channel")];
    if (!form || channels.length === 0) return;
    const [from, to, channel] = ["way-from", "way-to", "way-channel"].map(byId);
    const graphs = channels.map((section) => {
      const nodes = [...section.querySelectorAll(".nodes li")].map((item) => ({
        bundle: item.dataset.bundle, path: item.dataset.path, version: item.textContent,
      }));
      const updates = nodes.map(() => new Set());
      const places = new Map(nodes.map((node, place) => [node.bundle, place]));
      for (const row of section.querySelectorAll("table.edges tbody tr")) {
        const [first, last] = row.dataset.from.split("-").map(Number);
        for (let place = first; place <= last; place += 1) updates[place].add(places.get(row.dataset.to));
      }
      return { name: section.dataset.channel, nodes, updates };
    });
    const option = (text, value) => new Option(text, value);
    channel.replaceChildren(...graphs.map((graph, place) => option(graph.name, place)));

    function choose() {
      const graph = graphs[channel.value];
      from.replaceChildren(...graph.nodes.map((node, place) => option(node.version, place)));
      to.replaceChildren(...graph.nodes.map((node, place) => option(node.version, place)));
      from.selectedIndex = graph.nodes.findLastIndex((node) => node.path);
      to.selectedIndex = 0;
      answer();
    }

    function answer() {
      const graph = graphs[channel.value];
      const [start, end] = [Number(from.value), Number(to.value)];
      const before = new Map([[start, null]]);
      const open = [start];
      while (open.length && !before.has(end)) {
        const place = open.shift();
        for (const next of [...graph.updates[place]].sort((one, other) => one - other)) {
          if (!before.has(next)) { before.set(next, place); open.push(next); }
        }
      }
      const text = byId("way-answer");
      text.replaceChildren();
      if (start === end) { text.textContent = "That is the same version."; return; }
      if (!before.has(end)) { text.textContent = "No updates of this channel lead there."; return; }
      const way = [];
      for (let place = end; place !== null; place = before.get(place)) way.unshift(place);
      text.append(`${way.length - 1} update${way.length > 2 ? "s" : ""}: `);
      way.forEach((place, step) => {
        if (step > 0) text.append(" → ");
        const node = graph.nodes[place];
        if (!node.path) { text.append(node.version); return; }
        const link = document.createElement("a");
        link.href = node.path;
        link.textContent = node.version;
        text.append(link);
      });
    }

    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    channel.addEventListener("change", choose);
    from.addEventListener("change", answer);
    to.addEventListener("change", answer);
    choose();
  }

  copying();
  phases();
  list();
  ways();
})();
