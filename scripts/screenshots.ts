import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { demoClient } from '#test/e2e/demo.ts';
import { startFresh } from '#test/e2e/fresh-start.ts';
import { launchBrowser } from '#test/e2e/launch.ts';
import { WALKS } from '#test/e2e/walk.ts';

/**
 * npm run screenshots: writes a picture of every screen and state (test/e2e/walk.ts) to screenshots/.
 * On desktop and phone, light and dark. It also renews the pictures of the documents in docs/images/, which are named
 * after their states; `npm run screenshots -- --documents` takes only those. scripts/screenshots.mjs builds the client
 * first.
 */

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'screenshots');
const DOCUMENTS = ['README.md', 'README.ja.md', 'docs/guide.md'];
const DOCUMENT_SIZE = { width: 1280, height: 800 };
const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

/** Walks through the client in a window of this size. @param take is called while a state is shown */
async function visitAll(
  browser: Browser,
  viewport: typeof DOCUMENT_SIZE,
  take: (state: string, scheme: 'light' | 'dark', picture: (path: string) => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  for (const walk of Object.values(WALKS)) {
    const context = await browser.newContext({ locale: 'ja-JP', timezoneId: 'Asia/Tokyo', viewport });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    for await (const state of walk(page, kaitaku.url)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await take(state, colorScheme, (path) => page.screenshot({ path }));
      }
    }
    await context.close();
  }
}

async function photographAll(browser: Browser, size: keyof typeof SIZES): Promise<number> {
  let pictures = 0;
  await visitAll(browser, SIZES[size], (state, scheme, picture) => {
    const number = String(Math.floor(pictures / 2) + 1).padStart(3, '0');
    pictures += 1;
    return picture(join(FOLDER, `${size}-${scheme}`, `${number}-${state}.png`));
  });
  return pictures;
}

/** Takes the pictures for the documents. @throws if a document shows a state that the walk does not reach */
async function photographDocuments(browser: Browser): Promise<number> {
  const texts = await Promise.all(DOCUMENTS.map((path) => readFile(join(ROOT, path), 'utf8')));
  const shown = new Set(
    texts.flatMap((text) => [...text.matchAll(/images\/([\w-]+)\.png/g)].map(([, state]) => state)),
  );
  const taken = new Set<string>();
  await visitAll(browser, DOCUMENT_SIZE, async (state, scheme, picture) => {
    if (scheme === 'dark' || taken.has(state) || !shown.has(state)) return;
    taken.add(state);
    await picture(join(ROOT, 'docs/images', `${state}.png`));
  });
  const missed = [...shown].filter((state) => state !== undefined && !taken.has(state));
  if (missed.length > 0) throw new Error(`The walk has no state ${missed.join(', ')}`);
  return taken.size;
}

const [kaitaku, browser] = await Promise.all([startFresh(), launchBrowser()]);
try {
  // As in test/e2e/scene.ts: the walks send at once.
  await (await demoClient(kaitaku.url)).put('/account_rule', { update_info: { undo_seconds: 0 } });
  process.stdout.write(`説明書の${await photographDocuments(browser)}枚を docs/images に保存しました。\n`);
  if (!process.argv.includes('--documents')) {
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true });
    const pictures = (await photographAll(browser, 'desk')) + (await photographAll(browser, 'phone'));
    process.stdout.write(`${pictures}枚の画面を ${FOLDER} に保存しました。\n`);
  }
} finally {
  await browser.close();
  await kaitaku.stop();
}
