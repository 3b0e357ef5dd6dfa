// Search and filters of the list, paths through an update graph, and copy buttons. Pages are complete without this script.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);

  function copying() {
    for (const button of document.querySelectorAll("button.copy")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const text = byId(button.dataset.copy).textContent;
        const told = (await copied(text)) ? "Copied" : "Not copied";
        button.textContent = told;
        const status = button.parentElement.querySelector("[role=status]");
        status.textContent = told;
        setTimeout(() => { button.textContent = "Copy"; status.textContent = ""; }, 2000);
      });
    }
  }

  async function copied(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Pages opened from a disk may require the older API.
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

  // Marks the current support phases, because the page itself does not contain the current date.
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

  const WEIGHTS = [["n", 10], ["d", 8], ["k", 5], ["a", 5], ["p", 3], ["b", 2], ["t", 1]];

  // The score of a package for all words; 0 if one of the words does not occur.
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

  // The number of letters to change, add, remove or swap with the next to turn one name into another. Numbers above `most` are not exact.
  function distance(one, other, most) {
    if (Math.abs(one.length - other.length) > most) return most + 1;
    let row = Array.from({ length: other.length + 1 }, (_, at) => at);
    let above = row;
    for (let at = 1; at <= one.length; at += 1) {
      const next = [at];
      for (let place = 1; place <= other.length; place += 1) {
        const same = one[at - 1] === other[place - 1] ? 0 : 1;
        let least = Math.min(row[place] + 1, next[place - 1] + 1, row[place - 1] + same);
        const swapped = at > 1 && place > 1 && one[at - 1] === other[place - 2] && one[at - 2] === other[place - 1];
        if (swapped) least = Math.min(least, above[place - 2] + 1);
        next.push(least);
      }
      above = row;
      row = next;
    }
    return row[other.length];
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
    const labels = new Map(boxes.map((box) => [box, box.closest("label")]));
    const keys = [...new Set(boxes.map((box) => box.name))];
    form.hidden = false;
    byId("found").hidden = false;
    if (!matchMedia("(min-width: 60rem)").matches) form.querySelector("details").open = false;

    function wanted() {
      const values = new Map(keys.map((key) => [key, new Set()]));
      for (const box of boxes) if (box.checked) values.get(box.name).add(box.value);
      return values;
    }

    // Every filter must match, and for a filter with several values, at least one of them.
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
        // The number next to a value is the number of packages shown if this value is also selected.
        for (const key of keys) {
          if (missed.length > 1 || (missed.length === 1 && missed[0] !== key)) continue;
          for (const value of found.f[key] || []) tally.get(key).set(value, (tally.get(key).get(value) || 0) + 1);
        }
      });
      const orders = {
        name: (one, other) => one - other,
        created: (one, other) => (packages[other].c > packages[one].c ? 1 : packages[other].c < packages[one].c ? -1 : one - other),
        versions: (one, other) => packages[other].v - packages[one].v || one - other,
      };
      shown.sort(orders[sort.value] || ((one, other) => scores[other] - scores[one] || one - other));
      const visible = new Set(shown);
      // Only what has changed is written, because each change costs the browser a new layout.
      items.forEach((item, place) => hide(item, !visible.has(place)));
      // Only items in the wrong place move.
      let next = cards.firstElementChild;
      for (const place of shown) {
        const item = items[place];
        while (next && next.hidden) next = next.nextElementSibling;
        if (next === item) next = next.nextElementSibling;
        else cards.insertBefore(item, next);
      }
      for (const box of boxes) {
        const count = tally.get(box.name).get(box.value) || 0;
        const shownCount = counts.get(box);
        if (shownCount.textContent !== String(count)) shownCount.textContent = count;
        const label = labels.get(box);
        if (label.classList.contains("none") !== (count === 0)) label.classList.toggle("none", count === 0);
      }
      if (shown.length === 0) missed();
      hide(byId("nothing"), shown.length > 0);
      hide(byId("clear"), !search.value && !sort.value && !boxes.some((box) => box.checked));
      const all = packages.length;
      const told = shown.length === all ? `All ${all} packages` : `${shown.length} of ${all} packages`;
      if (byId("found").textContent !== told) byId("found").textContent = told;
    }

    function hide(element, hidden) {
      if (element.hidden !== hidden) element.hidden = hidden;
    }

    // Shows that nothing matches, and lists the packages with the most similar names.
    function missed() {
      const query = search.value.trim();
      byId("nothing-said").textContent = query ? `No package matches “${query}”.` : "No package matches these filters.";
      byId("clear-search").hidden = !query;
      const near = query ? nearest(query.toLowerCase()) : [];
      byId("nearest").hidden = near.length === 0;
      byId("nearest-names").replaceChildren(...near.flatMap((place, number) => {
        const link = document.createElement("a");
        const name = items[place].querySelector("h2 a");
        link.href = name.getAttribute("href");
        link.textContent = name.textContent;
        return number > 0 ? [", ", link] : [link];
      }));
    }

    function nearest(query) {
      const most = Math.max(1, Math.floor(query.length / 3));
      const apart = packages.map((found, place) => {
        const names = [found.n, found.d, ...found.n.split(/[-_.]/), ...found.d.split(/\s+/)];
        return [Math.min(...names.map((name) => distance(query, name, most))), place];
      });
      const near = apart.filter(([edits]) => edits <= most).sort((one, other) => one[0] - other[0] || one[1] - other[1]);
      return near.slice(0, 5).map(([, place]) => place);
    }

    // A search is shown with the next frame, once for all keys that are pressed until then.
    let waiting = false;
    function showSoon() {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; show(); remember(false); });
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
        // A browser that forbids this for local files still shows the list.
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

    search.addEventListener("input", showSoon);
    byId("clear-search").addEventListener("click", () => { search.value = ""; show(); remember(true); search.focus(); });
    form.addEventListener("change", (event) => {
      if (event.target === search) return;
      show();
      remember(true);
    });
    form.addEventListener("reset", () => setTimeout(() => { show(); remember(true); search.focus(); }));
    form.addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("popstate", recall);
    recall();
  }

  // Update paths between versions.

  function ways() {
    const form = byId("way");
    const channels = [...document.querySelectorAll("section.channel")];
    if (!form || channels.length === 0) return;
    const [from, to, channel] = ["way-from", "way-to", "way-channel"].map(byId);
    const graphs = channels.map((section) => {
      const nodes = [...section.querySelectorAll(".nodes li")].map((item) => ({
        bundle: item.dataset.bundle, path: item.dataset.path, version: item.textContent,
      }));
      // OLM makes at most one update from each version.
      const updates = new Map();
      const places = new Map(nodes.map((node, place) => [node.bundle, place]));
      for (const item of section.querySelectorAll("ul.taken li")) {
        updates.set(places.get(item.dataset.from), places.get(item.dataset.to));
      }
      return { name: section.dataset.channel, nodes, updates };
    });
    const option = (text, value) => new Option(text, value);
    channel.replaceChildren(...graphs.map((graph, place) => option(graph.name, place)));

    function choose() {
      const graph = graphs[channel.value];
      from.replaceChildren(...graph.nodes.map((node, place) => option(node.version, place)));
      to.replaceChildren(...graph.nodes.map((node, place) => option(node.version, place)));
      from.selectedIndex = graph.nodes.length - 1;
      to.selectedIndex = 0;
      answer();
    }

    function answer() {
      const graph = graphs[channel.value];
      const [start, end] = [Number(from.value), Number(to.value)];
      const way = [start];
      while (way.at(-1) !== end) {
        const next = graph.updates.get(way.at(-1));
        if (next === undefined || way.includes(next)) break;
        way.push(next);
      }
      const text = byId("way-answer");
      text.replaceChildren();
      if (start === end) { text.textContent = "Both versions are the same."; return; }
      if (way.at(-1) !== end) { text.textContent = "The updates that OLM makes in this channel do not lead from the first version to the second."; return; }
      text.append(`${way.length - 1} update${way.length > 2 ? "s" : ""}: `);
      way.forEach((place, step) => {
        if (step > 0) text.append(" → ");
        const node = graph.nodes[place];
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

  // The fields of an API: a filter by path, and buttons for all levels.
  function fields() {
    const form = byId("field-filter");
    if (!form) return;
    const all = [...document.querySelectorAll(".field")];
    if (all.length === 0) return;
    const groups = all.filter((field) => field.tagName === "DETAILS");
    const initial = new Map(groups.map((group) => [group, group.open]));
    const paths = all.map((field) => field.querySelector(".name").textContent.toLowerCase());
    const words = byId("field-words");
    form.hidden = false;

    function show() {
      const wanted = words.value.trim().toLowerCase();
      if (!wanted) {
        for (const field of all) field.hidden = false;
        for (const group of groups) group.open = initial.get(group);
        byId("fields-found").textContent = "";
        return;
      }
      const kept = new Set();
      let found = 0;
      all.forEach((field, place) => {
        if (!paths[place].includes(wanted)) return;
        found += 1;
        for (let at = field; at; at = at.parentElement.closest(".field")) kept.add(at);
      });
      for (const field of all) field.hidden = !kept.has(field);
      for (const group of groups) group.open = kept.has(group);
      byId("fields-found").textContent = `${found} of ${all.length} fields`;
    }

    words.addEventListener("input", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    byId("expand").addEventListener("click", () => { for (const group of groups) group.open = true; });
    byId("collapse").addEventListener("click", () => { for (const group of groups) group.open = false; });
  }

  copying();
  phases();
  list();
  ways();
  fields();
})();
