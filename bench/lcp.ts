import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '#test/e2e/launch.ts';
import { median, ms, print } from './figures.ts';
import { type Site, startSite } from './site.ts';
import { PAINTED } from './web-page.ts';

/**
 * Measures the Largest Contentful Paint of `/` and `/login`, and the paint of the list's first row, with an empty
 * cache, a slow line and a slow processor. The session has shown the list once before.
 * `npm run bench -- lcp [--rounds 5] [--beside DIR]`: DIR is a built checkout of another commit, measured in turn.
 */

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, beside: { type: 'string' } },
});
const ROUNDS = Number(options.rounds);

/** "Slow 4G" of Chromium's developer tools, and their processor of a mid-range phone. */
const SLOW_4G = { latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375, offline: false };
const CPU_SLOWDOWN = 4;
/** The largest paint is final once nothing is loading and nothing larger was painted for this time in ms. */
const QUIET_MS = 1500;

/** Opens the list once. @returns the session's content afterwards, with the list's calls */
async function lookOnce(browser: Browser, { url, session }: Site): Promise<string> {
  const context = await browser.newContext({ locale: 'ja-JP', viewport: { width: 1440, height: 900 } });
  await context.addInitScript(`sessionStorage.getItem('kaitaku-session') ||
    sessionStorage.setItem('kaitaku-session', ${JSON.stringify(session)})`);
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('rowheader').first().waitFor();
  const kept = await page.evaluate<string>(`sessionStorage.getItem('kaitaku-session')`);
  await context.close();
  return kept;
}

interface Load {
  /** Milliseconds from the navigation to the largest paint. */
  readonly lcp: number;
  /** The time to the list's first row; NaN on other screens. */
  readonly row: number;
  /** Bytes of all answers as transferred, in kB. */
  readonly kB: number;
  readonly requests: number;
}

async function load(browser: Browser, { url, session }: Site, path: string): Promise<Load> {
  const context = await browser.newContext({ locale: 'ja-JP', viewport: { width: 1440, height: 900 } });
  if (path !== '/login') {
    await context.addInitScript(`sessionStorage.setItem('kaitaku-session', ${JSON.stringify(session)})`);
  }
  await context.addInitScript(FIRST_ROW);
  const page = await context.newPage();
  const inspector = await context.newCDPSession(page);
  await inspector.send('Network.enable');
  await inspector.send('Network.emulateNetworkConditions', SLOW_4G);
  await inspector.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  let [bytes, requests] = [0, 0];
  inspector.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests += 1;
  });
  await page.goto(url + path, { waitUntil: 'commit' });
  const lcp = await page.evaluate<number>(LARGEST_PAINT);
  const row = await page.evaluate<number>('window.firstRow ?? NaN');
  await context.close();
  return { lcp, row, kB: bytes / 1000, requests };
}

const FIRST_ROW = `new MutationObserver((_, observer) => {
  if (!document.querySelector('tbody th')?.getBoundingClientRect().height) return;
  observer.disconnect();
  (${PAINTED})().then((at) => { window.firstRow = at; });
}).observe(document, { subtree: true, childList: true, attributes: true })`;

/** Waits for a quiet time, not for "no open requests": the event stream never ends. */
const LARGEST_PAINT = `new Promise((done) => {
  let [lcp, changed] = [0, performance.now()];
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) lcp = Math.max(lcp, startTime);
    changed = performance.now();
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver(() => { changed = performance.now(); }).observe({ type: 'resource', buffered: true });
  setInterval(() => { if (lcp > 0 && performance.now() - changed > ${QUIET_MS}) done(lcp); }, 100);
})`;

const row = (milliseconds: number) => (Number.isNaN(milliseconds) ? '–' : ms(milliseconds));
const sites = [await startSite('this', join(import.meta.dirname, '..'))];
if (options.beside !== undefined) sites.push(await startSite('beside', resolve(options.beside)));
const browser = await launchBrowser();
try {
  for (const [index, site] of sites.entries()) sites[index] = { ...site, session: await lookOnce(browser, site) };
  print(
    '| page | build | largest paint, ms (median) | of the one beside | first row, ms | kB | requests |',
    '|---|---|---|---|---|---|---|',
  );
  for (const path of ['/', '/login']) {
    const loads = new Map(sites.map(({ name }) => [name, [] as Load[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      // The order alternates, so that a machine that slows down affects both.
      for (const site of round % 2 === 0 ? sites : sites.toReversed()) {
        loads.get(site.name)?.push(await load(browser, site, path));
      }
    }
    const of = (name: string, field: keyof Load) => median((loads.get(name) ?? []).map((one) => one[field]));
    for (const { name } of sites) {
      const share = sites.length > 1 ? (of(name, 'lcp') / of('beside', 'lcp')).toFixed(2) : '–';
      const [lcp, first, kB] = [ms(of(name, 'lcp')), row(of(name, 'row')), ms(of(name, 'kB'))];
      print(`| \`${path}\` | ${name} | ${lcp} | ${share} | ${first} | ${kB} | ${of(name, 'requests')} |`);
    }
  }
} finally {
  await browser.close();
  for (const site of sites) await site.stop();
}
