import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { demoClient } from '#test/e2e/demo.ts';
import { startFresh } from '#test/e2e/fresh-start.ts';
import { launchBrowser } from '#test/e2e/launch.ts';
import { WALKS } from '#test/e2e/walk.ts';
import { animated } from './apng.ts';

/**
 * npm run screenshots: writes a picture of every screen and state (test/e2e/walk.ts) to screenshots/.
 * On desktop and phone, light and dark. It also renews the pictures of the documents in docs/images/, which are named
 * after their states; `npm run screenshots -- --documents` takes only those, and `-- film` only the film of the README.
 * scripts/screenshots.mjs builds the client first.
 */

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'screenshots');
const DOCUMENTS = ['README.md', 'README.ja.md', 'docs/guide.md'];
const DOCUMENT_SIZE = { width: 1280, height: 800 };
const FILM_SIZE = { width: 960, height: 600 };
const FILM_BYTES = 2 * 1024 * 1024;
/** The states of the film, from the list to the answers. The first is what a viewer without animations shows. */
const FILM = [
  'prospects',
  'import-file',
  'import-columns',
  'import-check',
  'company',
  'template-rich',
  'attack-list',
  'left-out',
  'mail-preview',
  'send-dialog',
  'sending-undo',
  'sending',
  'sent',
  'company-replies',
  'reports',
];
/** Where a walk has shown all that the film takes of it. */
const FILM_ENDS = ['import-check', 'sent', 'template-rich'];
/** The stay at a state: without it a walk makes more calls a minute than a member may. */
const STATE_MS = 400;
/** The list of keyboard shortcuts, which only a key opens: phones have none. */
const BY_KEY = 'keys';
const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/**
 * Walks through the client in a window of this size.
 * @param take is called while a state is shown
 * @param ends the states that end their walk
 */
async function visitAll(
  browser: Browser,
  viewport: typeof DOCUMENT_SIZE,
  take: (state: string, scheme: 'light' | 'dark', picture: () => Promise<Buffer>) => Promise<unknown>,
  ends: readonly string[] = [],
): Promise<void> {
  for (const walk of Object.values(WALKS)) {
    const context = await browser.newContext({ locale: 'ja-JP', timezoneId: 'Asia/Tokyo', viewport });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    for await (const state of walk(page, kaitaku.url)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await take(state, colorScheme, () => page.screenshot());
      }
      if (ends.includes(state)) break;
      await delay(STATE_MS);
    }
    await context.close();
  }
}

async function photographAll(browser: Browser, size: keyof typeof SIZES): Promise<number> {
  let pictures = 0;
  for (const scheme of ['light', 'dark']) await mkdir(join(FOLDER, `${size}-${scheme}`), { recursive: true });
  await visitAll(browser, SIZES[size], async (state, scheme, picture) => {
    if (size === 'phone' && state === BY_KEY) return;
    const number = String(Math.floor(pictures / 2) + 1).padStart(3, '0');
    pictures += 1;
    await writeFile(join(FOLDER, `${size}-${scheme}`, `${number}-${state}.png`), await picture());
  });
  return pictures;
}

/** Takes the light pictures of these states in turn. @throws if the walk does not reach one */
async function photographStates(
  browser: Browser,
  size: typeof DOCUMENT_SIZE,
  states: Iterable<string>,
  ends?: readonly string[],
): Promise<Map<string, Buffer>> {
  const missed = new Set(states);
  const taken = new Map<string, Buffer>();
  const take: Parameters<typeof visitAll>[2] = async (state, scheme, picture) => {
    if (scheme === 'light' && missed.delete(state)) taken.set(state, await picture());
  };
  await visitAll(browser, size, take, ends);
  if (missed.size > 0) throw new Error(`The walk has no state ${[...missed].join(', ')}`);
  return taken;
}

/** Takes the pictures of the documents. */
async function photographDocuments(browser: Browser): Promise<number> {
  const texts = await Promise.all(DOCUMENTS.map((path) => readFile(join(ROOT, path), 'utf8')));
  const shown = new Set(
    texts.flatMap((text) => [...text.matchAll(/images\/([\w-]+)\.png/g)].map(([, state = '']) => state)),
  );
  shown.delete('film');
  const taken = await photographStates(browser, DOCUMENT_SIZE, shown);
  for (const [state, picture] of taken) await writeFile(join(ROOT, 'docs/images', `${state}.png`), picture);
  return taken.size;
}

/** Writes the film of the README. @throws if it is too large for a page */
async function film(browser: Browser): Promise<number> {
  const taken = await photographStates(browser, FILM_SIZE, FILM, FILM_ENDS);
  const file = animated(FILM.flatMap((state) => taken.get(state) ?? []));
  if (file.length > FILM_BYTES) throw new Error(`the film has ${file.length} bytes, ${FILM_BYTES} at most`);
  await writeFile(join(ROOT, 'docs/images/film.png'), file);
  return file.length;
}

const [kaitaku, browser] = await Promise.all([startFresh(), launchBrowser()]);
try {
  // As in test/e2e/scene.ts: the walks send at once.
  await (await demoClient(kaitaku.url)).put('/account_rule', { update_info: { undo_seconds: 0 } });
  if (process.argv.includes('film')) {
    process.stdout.write(`${FILM.length}場面の映像（${await film(browser)}バイト）を docs/images に保存しました。\n`);
  } else process.stdout.write(`説明書の${await photographDocuments(browser)}枚を docs/images に保存しました。\n`);
  if (!['film', '--documents'].some((arg) => process.argv.includes(arg))) {
    await rm(FOLDER, { recursive: true, force: true });
    const pictures = (await photographAll(browser, 'desk')) + (await photographAll(browser, 'phone'));
    process.stdout.write(`${pictures}枚の画面を ${FOLDER} に保存しました。\n`);
  }
} finally {
  await browser.close();
  await kaitaku.stop();
}
