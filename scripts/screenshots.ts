import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '#test/e2e/browser.ts';
import { startFresh } from '#test/e2e/fresh-start.ts';
import { walk } from '#test/e2e/walk.ts';

/**
 * npm run screenshots: writes a picture of every screen and state (test/e2e/walk.ts) to screenshots/.
 * On desktop and phone, light and dark. Run by scripts/screenshots.mjs, which builds the client first.
 */

const FOLDER = join(import.meta.dirname, '../screenshots');
const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

async function photograph(browser: Browser, url: string, size: keyof typeof SIZES): Promise<number> {
  const context = await browser.newContext({ locale: 'ja-JP', timezoneId: 'Asia/Tokyo', viewport: SIZES[size] });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  let pictures = 0;
  for await (const name of walk(page, url)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const number = String(Math.floor(pictures / 2) + 1).padStart(2, '0');
      await page.screenshot({ path: join(FOLDER, `${size}-${colorScheme}`, `${number}-${name}.png`) });
      pictures += 1;
    }
  }
  await context.close();
  return pictures;
}

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const [kaitaku, browser] = await Promise.all([startFresh(), launchBrowser()]);
try {
  const pictures = (await photograph(browser, kaitaku.url, 'desk')) + (await photograph(browser, kaitaku.url, 'phone'));
  process.stdout.write(`${pictures}枚の画面を ${FOLDER} に保存しました。\n`);
} finally {
  await browser.close();
  await kaitaku.stop();
}
