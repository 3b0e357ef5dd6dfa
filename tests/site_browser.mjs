// A site of `opmx index page` in a real browser: from the disk and from a sub-path of a server, with and without
// JavaScript. Prints what is wrong, a line each, and ends with status 1 where something is.
//
// node site_browser.mjs MODULES SITE HOSTILE MANY PICTURES
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, site, hostile, many, pictures] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(modules, "node_modules", "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const executablePath = process.env.OPMX_CHROMIUM || "/usr/bin/chromium";

const problems = [];
const check = (holds, what) => { if (!holds) problems.push(what); };
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".json": "application/json", ".xml": "application/atom+xml", ".png": "image/png" };

// A plain server that shows the folders below a path of its own.
const folders = { "/sub/path/site/": site, "/sub/path/hostile/": hostile, "/sub/path/many/": many };
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

const shown = (page) => page.locator("#cards > li:not([hidden])").count();
const found = (page) => page.locator("#found").textContent();

async function list(base) {
  const { context, page } = await open(base);
  await page.goto(`${base}/index.html`);
  const all = await shown(page);
  check(all > 5, `${base}: ${all} packages`);
  await page.keyboard.press("/");
  await page.keyboard.type("sprink");
  check(await shown(page) === 1, "a search for a name leaves one package");
  check(page.url().endsWith("?q=sprink"), `a search is in the address: ${page.url()}`);
  check(/^1 of \d+ packages$/.test(await found(page)), `it is said how many are found: ${await found(page)}`);
  await page.reload();
  check(await page.inputValue("#q") === "sprink" && await shown(page) === 1, "a search stays when the page is loaded again");
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
  check((await page.locator("#way-answer").textContent()).startsWith("No updates"), "no way leads down");
  const copy = page.locator("button.copy").first();
  await copy.click();
  await page.waitForFunction(() => document.querySelector("button.copy").textContent !== "Copy");
  check(await copy.textContent() === "Copied", `a manifest is copied: ${await copy.textContent()}`);
  if (base.startsWith("http")) {
    const text = await page.evaluate(() => navigator.clipboard.readText());
    check(text.includes("kind: Subscription"), `what is copied is the manifest: ${text}`);
  }
  await page.locator("svg.graph a").first().click();
  check(/\/p\/sprinkler\/sprinkler\.v[^/]*\.html$/.test(page.url()), `a node of the graph leads to its version: ${page.url()}`);
  await page.goBack();
  await page.getByText("What changed from one version to the other").click();
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

// No page is wider than its window, in any of these widths.
async function looks(base) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [320, 768, 1280]) {
      const { context, page } = await open(base, { viewport: { width, height: 900 }, colorScheme });
      for (const [kind, path] of Object.entries(kinds(site))) {
        if (!path) continue;
        await page.goto(`${base}/${path}`);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(wider <= 0, `${kind} is ${wider} pixels wider than ${width}`);
        const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        check(paper === (colorScheme === "dark" ? "rgb(18, 23, 22)" : "rgb(255, 255, 255)"), `${kind} has the colours of ${colorScheme}: ${paper}`);
        if (width !== 768) await accessible(page, `${kind} at ${width} in ${colorScheme}`);
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

// 400 packages: how long the list takes until it can be used, and each key stroke.
async function fast() {
  const base = `${http}/many`;
  const { context, page } = await open(base);
  await page.goto(`${base}/index.html`);
  const usable = await page.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  check(usable < 1000, `the list of 400 packages can be used after ${usable} ms`);
  const strokes = await page.evaluate(() => {
    const search = document.getElementById("q");
    const times = [..."operator 3"].map((_, at, text) => {
      search.value = text.slice(0, at + 1).join("");
      const begin = performance.now();
      search.dispatchEvent(new Event("input", { bubbles: true }));
      return performance.now() - begin;
    });
    return times.sort((one, other) => one - other);
  });
  const median = strokes[Math.floor(strokes.length / 2)];
  check(median < 16, `a key stroke takes ${median} ms among 400 packages`);
  await context.close();
}

for (const base of [pathToFileURL(site).href, `${http}/site`]) {
  for (const part of [list, keyboard, packages, withoutScripts]) await part(base);
}
await looks(`${http}/site`);
await harmless();
await fast();
await browser.close();
server.close();
for (const problem of new Set(problems)) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);
