// A site of `opmx index page` in a real browser: from the disk and from a sub-path of a server, with and without
// JavaScript. Prints what is wrong, a line each, and ends with status 1 where something is.
//
// node site_browser.mjs MODULES SITE HOSTILE MANY AWKWARD PICTURES
//
// With OPMX_UPDATE the file that says what pages look like is written anew.
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, site, hostile, many, awkward, pictures] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(modules, "node_modules", "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const executablePath = process.env.OPMX_CHROMIUM || "/usr/bin/chromium";

const problems = [];
const check = (holds, what) => { if (!holds) problems.push(what); };
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".json": "application/json", ".xml": "application/atom+xml", ".png": "image/png" };

// A plain server that shows the folders below a path of its own.
const folders = { "/sub/path/site/": site, "/sub/path/hostile/": hostile, "/sub/path/many/": many, "/sub/path/awkward/": awkward };
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
  const root = Object.keys(folders).find((prefix) => path.startsWith(prefix));
  try {
    let file = join(folders[root], path.slice(root.length));
    if (statSync(file).isDirectory()) file = join(file, "index.html");
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] || "application/octet-stream" });
    response.end(readFileSync(file));
  } catch {
    response.writeHead(404);
    response.end();
  }
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const http = `http://127.0.0.1:${server.address().port}/sub/path`;

const files = (folder, prefix = "") => readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
  const path = prefix + entry.name;
  return entry.isDirectory() ? files(folder, `${path}/`) : [path];
});
const pagesOf = (folder) => files(folder).filter((path) => path.endsWith(".html") && path !== "404.html");
// One page of each kind.
const kinds = (folder) => {
  const pages = pagesOf(folder);
  const first = (fits) => pages.filter(fits).sort((one, other) => statSync(join(folder, other)).size - statSync(join(folder, one)).size)[0];
  return {
    list: "index.html",
    package: first((path) => path.startsWith("p/") && path.endsWith("/index.html")),
    version: first((path) => /^p\/[^/]+\/[^/]+\.html$/.test(path) && !path.endsWith("/index.html")),
    api: first((path) => path.includes("/apis/")),
    difference: first((path) => path.includes("/diff/")),
    changes: first((path) => path === "changes.html"),
    catalogs: first((path) => path === "catalogs.html"),
  };
};

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

// A page that complains about everything that should not happen.
async function open(base, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  await context.grantPermissions(base.startsWith("http") ? ["clipboard-read", "clipboard-write"] : []);
  const page = await context.newPage();
  const where = () => page.url().replace(base, "");
  page.on("console", (message) => problems.push(`${where()}: the console says ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`${where()}: ${error}`));
  page.on("dialog", (dialog) => { problems.push(`${where()}: a dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    const own = request.url().startsWith(base) || request.url().startsWith("data:image/svg+xml;base64,");
    check(own, `${where()}: asks for ${request.url()}`);
  });
  return { context, page };
}

async function accessible(page, what) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  for (const violation of found.violations) {
    problems.push(`${what}: ${violation.id}: ${violation.help}: ${violation.nodes[0].html.slice(0, 160)}`);
  }
}

// What keys have changed is shown with the next frame.
const settled = (page) => page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
const shown = (page) => page.locator("#cards > li:not([hidden])").count();
const found = (page) => page.locator("#found").textContent();

async function list(base) {
  const { context, page } = await open(base);
  await page.goto(`${base}/index.html`);
  const all = await shown(page);
  check(all > 5, `${base}: ${all} packages`);
  await page.keyboard.press("/");
  check(await page.evaluate(() => document.activeElement === document.body), "no single character is a shortcut");
  await page.locator("#q").focus();
  await page.keyboard.type("sprink");
  await settled(page);
  check(await shown(page) === 1, "a search for a name leaves one package");
  check(page.url().endsWith("?q=sprink"), `a search is in the address: ${page.url()}`);
  check(/^1 of \d+ packages$/.test(await found(page)), `it is said how many are found: ${await found(page)}`);
  await page.reload();
  check(await page.inputValue("#q") === "sprink" && await shown(page) === 1, "a search stays when the page is loaded again");
  await page.fill("#q", "wlel");
  await settled(page);
  check((await page.locator("#nearest").textContent()).includes("Well"), "two swapped letters are one mistake");
  await page.fill("#q", "sprinklr");
  await settled(page);
  check(await shown(page) === 0 && await page.locator("#nothing-said").textContent() === "No package matches “sprinklr”.", "it is said that nothing matches");
  check((await page.locator("#nearest").textContent()).includes("Sprinkler"), "the nearest name is told");
  await page.locator("#clear-search").click();
  check(await shown(page) === all && await page.locator("#nothing").isHidden(), "the search is cleared");
  await page.fill("#q", "sprink");
  await settled(page);
  await page.locator("#clear").click();
  await page.waitForFunction(() => !location.search);
  check(await shown(page) === all && !page.url().includes("?"), "everything is cleared");
  const box = page.locator("input[name=category]").first();
  const count = Number(await box.locator("xpath=../span[@class='count']").textContent());
  await box.check();
  check(await shown(page) === count, `a filter leaves as many as its count says: ${await shown(page)}, ${count}`);
  check(page.url().includes("category="), "a filter is in the address");
  const level = page.locator("input[name=capability]").first();
  const both = Number(await level.locator("xpath=../span[@class='count']").textContent());
  await level.check();
  check(await shown(page) === both, `a second filter leaves as many as its count says: ${await shown(page)}, ${both}`);
  await page.goBack();
  check(await shown(page) === count && !(await level.isChecked()), "back takes the last filter away");
  await page.goForward();
  check(await level.isChecked(), "forward brings it back");
  await page.goto(`${base}/index.html?sort=versions`);
  const first = await page.locator("#cards > li h2").first().textContent();
  check(first.trim() === "Sprinkler", `the package with the most versions is first: ${first}`);
  await page.locator("#cards > li h2 a").first().click();
  check(page.url().endsWith("/p/sprinkler/index.html"), `a card leads to its package: ${page.url()}`);
  await page.goBack();
  check(page.url().endsWith("?sort=versions"), "back leads to the list as it was");
  await context.close();
}

async function keyboard(base) {
  const { context, page } = await open(base);
  await page.goto(`${base}/index.html`);
  await page.keyboard.press("Tab");
  check(await page.evaluate(() => document.activeElement.className) === "skip", "the first stop skips to the content");
  await page.keyboard.press("Enter");
  check(await page.evaluate(() => document.activeElement.id) === "main", "it does");
  for (let stop = 0; stop < 200; stop += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => document.activeElement.closest(".card") && document.activeElement.tagName);
    if (at === "A") break;
  }
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/p\/.*index\.html$/, { timeout: 5000 }).catch(() => problems.push("a card opens by the keyboard"));
  await context.close();
}

async function packages(base) {
  const { context, page } = await open(base);
  await page.goto(`${base}/p/sprinkler/index.html`);
  const answer = await page.locator("#way-answer").textContent();
  check(/^\d+ updates?: /.test(answer), `the way through the channel is told: ${answer}`);
  await page.selectOption("#way-from", { index: 0 });
  await page.selectOption("#way-to", { index: 1 });
  check((await page.locator("#way-answer").textContent()).startsWith("The updates that OLM makes in this channel do not lead"), "no way leads down");
  const copy = page.locator("button.copy").first();
  await copy.click();
  await page.waitForFunction(() => document.querySelector("button.copy").textContent !== "Copy");
  check(await copy.textContent() === "Copied", `a manifest is copied: ${await copy.textContent()}`);
  check(await copy.getAttribute("aria-label") === "Copy Subscription", "a button says what it copies");
  check(await page.locator(".code [role=status]").first().textContent() === "Copied", "the result is announced");
  if (base.startsWith("http")) {
    const text = await page.evaluate(() => navigator.clipboard.readText());
    check(text.includes("kind: Subscription"), `what is copied is the manifest: ${text}`);
  }
  await page.locator("svg.graph a").first().click();
  check(/\/p\/sprinkler\/sprinkler\.v[^/]*\.html$/.test(page.url()), `a node of the graph leads to its version: ${page.url()}`);
  await page.goBack();
  await page.getByText("Changes between versions").click();
  await page.locator("#versions details a").first().click();
  check(page.url().includes("/diff/"), `versions are compared: ${page.url()}`);
  await context.close();
}

async function withoutScripts(base) {
  const { context, page } = await open(base, { javaScriptEnabled: false });
  await page.goto(`${base}/index.html`);
  check(await shown(page) > 5, "the list is there without JavaScript");
  check(!(await page.locator("#filters").isVisible()), "what needs JavaScript is not shown without it");
  await page.locator("#cards a").first().click();
  check(await page.locator("svg.graph").first().isVisible(), "the graph is there without JavaScript");
  check(!(await page.locator("button.copy").first().isVisible()), "no button is there without JavaScript");
  await page.locator("svg.graph a").first().click();
  check(await page.locator("#permissions").isVisible(), "a version is there without JavaScript");
  await context.close();
}

// What pages look like from afar: the brightness of a few cells of a picture, as hexadecimal digits.
const LOOKS = new URL("site_looks.json", import.meta.url);
const [COLUMNS, ROWS] = [24, 48];
// How much cells may differ on average, and single ones. Other fonts stay below, pages without their style do not.
const [ON_AVERAGE, ONE] = [8, 192];
const known = process.env.OPMX_UPDATE ? {} : JSON.parse(readFileSync(LOOKS, "utf8"));
const seen = {};

async function fromAfar(context, picture) {
  const page = await context.newPage();
  const cells = await page.evaluate(async ([picture, columns, rows]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const small = await createImageBitmap(image, { resizeWidth: columns, resizeHeight: rows, resizeQuality: "high" });
    const drawing = new OffscreenCanvas(columns, rows).getContext("2d");
    drawing.drawImage(small, 0, 0);
    const { data } = drawing.getImageData(0, 0, columns, rows);
    return Array.from({ length: columns * rows }, (_, at) => Math.round((data[4 * at] + data[4 * at + 1] + data[4 * at + 2]) / 3));
  }, [picture.toString("base64"), COLUMNS, ROWS]);
  await page.close();
  return Buffer.from(cells);
}

async function looksAsBefore(page, name) {
  const cells = await fromAfar(page.context(), await page.screenshot({ fullPage: true }));
  seen[name] = cells.toString("base64");
  if (process.env.OPMX_UPDATE) return;
  const before = Buffer.from(known[name] || "", "base64");
  const apart = [...cells].map((cell, at) => Math.abs(cell - (before[at] ?? 255 - cell)));
  const average = apart.reduce((sum, one) => sum + one, 0) / apart.length;
  const most = Math.max(...apart);
  check(average <= ON_AVERAGE && most <= ONE, `${name} looks different: cells are ${average.toFixed(1)} of 255 apart on average, one of them ${most}; OPMX_UPDATE=1 takes it as it is`);
}

// What a page must keep to at any time: columns where there is room, and nothing above something else.
async function arranged(page, kind, width) {
  const found = await page.evaluate(({ wide, narrow }) => {
    const box = (element) => element.getBoundingClientRect();
    const shown = (element) => box(element).width > 0 && box(element).height > 0;
    const wrong = [];
    const apart = (elements, what) => {
      const boxes = [...elements].filter(shown).map(box);
      boxes.forEach((one, at) => {
        for (const other of boxes.slice(at + 1)) {
          const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
          const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
          if (across > 1 && down > 1) wrong.push(`${what} overlap`);
        }
      });
    };
    apart(document.querySelectorAll("#cards > .card"), "cards");
    apart(document.querySelectorAll("main > *:not(.hidden)"), "parts");
    for (const section of document.querySelectorAll("main > section, .code, .title")) apart(section.children, "parts of a section");
    for (const row of document.querySelectorAll("tbody tr")) apart(row.children, "cells");
    const columns = new Set([...document.querySelectorAll("#cards > .card")].map((card) => Math.round(box(card).left)));
    if (columns.size > 0 && (wide ? columns.size < 2 : narrow && columns.size > 1)) wrong.push(`${columns.size} columns of cards`);
    const toc = document.querySelector("main > .toc");
    const heading = document.querySelector("main h2");
    if (wide && toc && heading && box(toc).left < box(heading).right) wrong.push("the contents are not beside the text");
    for (const verbs of wide ? document.querySelectorAll(".permissions .verbs") : []) {
      const range = document.createRange();
      range.selectNodeContents(verbs);
      if (range.getClientRects().length > 1) wrong.push("verbs take several lines");
    }
    for (const table of narrow ? document.querySelectorAll("table.stack") : []) {
      const around = table.parentElement;
      if (around.scrollWidth > around.clientWidth) wrong.push(`the table ${around.getAttribute("aria-label")} of blocks is wider than the window`);
    }
    return [...new Set(wrong)];
  }, { wide: width >= 1216, narrow: width < 640 });
  for (const what of found) problems.push(`${kind} at ${width}: ${what}`);
}

// Pages with text that does not fit, and those of somebody who wants to do harm.
async function fits() {
  for (const width of [320, 360, 1280]) {
    for (const [name, folder] of [["awkward", awkward], ["hostile", hostile]]) {
      const { context, page } = await open(`${http}/${name}`, { viewport: { width, height: 900 } });
      for (const path of pagesOf(folder)) {
        await page.goto(`${http}/${name}/${path}`);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(wider <= 0, `${name} ${path} is ${wider} pixels wider than ${width}`);
        await accessible(page, `${name} ${path} at ${width}`);
      }
      await context.close();
    }
  }
}

// The fields of an API are filtered, and all of them opened and closed.
async function apis(base) {
  const { context, page } = await open(base);
  await page.goto(`${base}/${kinds(site).api}`);
  await page.fill("#field-words", "schedule.at");
  check(await page.locator(".field:visible").count() === 3, "a field is shown with those above it");
  await page.fill("#field-words", "");
  await page.locator("#collapse").click();
  check(await page.locator("details.field[open]").count() === 0, "all fields are closed");
  await page.locator("#expand").click();
  check(await page.locator("details.field:not([open])").count() === 0, "all fields are opened");
  await context.close();
}

// No page is wider than its window, in any of these widths.
async function looks(base) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [320, 360, 768, 1280]) {
      const { context, page } = await open(base, { viewport: { width, height: 900 }, colorScheme });
      for (const [kind, path] of Object.entries(kinds(site))) {
        if (!path) continue;
        await page.goto(`${base}/${path}`);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(wider <= 0, `${kind} is ${wider} pixels wider than ${width}`);
        const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        check(paper === (colorScheme === "dark" ? "rgb(18, 23, 22)" : "rgb(255, 255, 255)"), `${kind} has the colours of ${colorScheme}: ${paper}`);
        await arranged(page, kind, width);
        if (width !== 768 && width !== 360) await accessible(page, `${kind} at ${width} in ${colorScheme}`);
        if (width !== 768 && width !== 360) await looksAsBefore(page, `${kind}-${width}-${colorScheme}`);
        if (pictures && !pictures.endsWith("/-")) {
          const name = width === 320 ? "phone" : width === 1280 ? "wide" : null;
          if (name && (name === "wide" || colorScheme === "light")) {
            await page.screenshot({ path: join(pictures, `${kind}-${name}-${colorScheme}.png`) });
            for (const part of { package: ["updates"], version: ["permissions"] }[kind] || []) {
              await page.evaluate((part) => document.getElementById(part).scrollIntoView(), part);
              await page.screenshot({ path: join(pictures, `${part}-${name}-${colorScheme}.png`) });
            }
          }
        }
      }
      await context.close();
    }
  }
}

// Every page of a hostile catalog: what is opened, and what is on it, does nothing.
async function harmless() {
  for (const base of [pathToFileURL(hostile).href, `${http}/hostile`]) {
    const { context, page } = await open(base);
    for (const path of pagesOf(hostile)) {
      await page.goto(`${base}/${path}`);
      await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
      const links = await page.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href")).filter((address) => /^\s*(javascript|data|vbscript):/i.test(address)));
      check(links.length === 0, `${path} links to ${links}`);
    }
    await context.close();
  }
}

// 400 packages: keys change the page once for each frame, and only where it differs afterwards.
async function cheap() {
  const base = `${http}/many`;
  const { context, page } = await open(base);
  await page.goto(`${base}/index.html`);
  const changes = await page.evaluate(async () => {
    const search = document.getElementById("q");
    const cards = [...document.querySelectorAll("#cards > li")];
    const counts = document.querySelectorAll("#filters .count").length;
    const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    let seen = 0;
    const observer = new MutationObserver((records) => { seen += records.length; });
    observer.observe(document.getElementById("main"), { subtree: true, childList: true, attributes: true, characterData: true });
    const results = [];
    for (const texts of [["operator-3"], ["operator-39"], ["operator-39"], ["o", "op", "ope", "operator-39"], ["operator-3", "operator-39"]]) {
      const before = cards.map((card) => card.hidden);
      seen = 0;
      for (const text of texts) {
        search.value = text;
        search.dispatchEvent(new Event("input", { bubbles: true }));
      }
      await drawn();
      const differ = cards.filter((card, at) => card.hidden !== before[at]).length;
      results.push({ text: texts.join(), seen, differ, counts });
    }
    return results;
  });
  for (const { text, seen, differ, counts } of changes) {
    const most = differ === 0 ? 0 : 3 * differ + 2 * counts + 2;
    check(seen <= most, `"${text}" changes ${differ} cards of 400, but the page ${seen} times`);
  }
  await context.close();
}

for (const base of [pathToFileURL(site).href, `${http}/site`]) {
  for (const part of [list, keyboard, packages, apis, withoutScripts]) await part(base);
}
await looks(`${http}/site`);
if (process.env.OPMX_UPDATE) writeFileSync(LOOKS, `${JSON.stringify(seen, null, 2)}\n`);
await harmless();
await fits();
await cheap();
await browser.close();
server.close();
for (const problem of new Set(problems)) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);
