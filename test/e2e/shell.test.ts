import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE } from '#server/platform/package.ts';
import { eventually } from '#test/sending.ts';
import { visit } from './browser.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { openFilters } from './walk-steps.ts';

/** Tests the frame around all screens: navigation, palette, bottom bar of phones, colour scheme. */
const kaitaku = shareScene();
const PHONE = { width: 390, height: 844 };

const FIND = '会社名・人・テンプレート・画面を探す';

test('the palette opens a template and a screen by keyboard, and Escape returns to the previous focus', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  const { keyboard } = page;
  const find = page.getByRole('combobox', { name: FIND });
  await openFilters(page, true);
  await page.getByLabel('業種', { exact: true }).click();
  await keyboard.press('Control+k');
  await find.and(page.locator(':focus')).waitFor();
  await keyboard.press('Escape');
  await page.getByLabel('業種', { exact: true }).and(page.locator(':focus')).waitFor();
  await keyboard.press('Control+k');
  await find.and(page.locator(':focus')).waitFor();
  await keyboard.insertText('効率化');
  await page
    .getByRole('dialog')
    .getByRole('option', { name: /効率化/ })
    .first()
    .waitFor();
  await keyboard.press('Enter');
  await page.waitForURL(/\/template\/\d+$/);
  await page.getByRole('button', { name: '検索', exact: true }).click();
  await find.and(page.locator(':focus')).waitFor();
  await keyboard.insertText('アカウント');
  await keyboard.press('Enter');
  await page.waitForURL('**/account');
  await leave();
});

test('the frame handles the key of the palette before the code of its screen has loaded', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/account');
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  await page.route(/\/assets\/workspace-[^/]+\.js$/, async (route) => {
    await arrived;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await page.getByRole('button', { name: '検索', exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  arrive();
  await page.getByRole('combobox', { name: FIND }).waitFor();
  await leave();
});

const HEADED = ['/imports', '/imports/new', '/reports', '/reservations', '/suppressions', '/settings/sending'];

/** Measures heading, guide and way back at once: a part that arrives moves all of them. */
const HEAD = `['h1', 'a[href^="/guide.html"]', 'a[aria-label$="へ戻る"]'].map((of) => {
  const box = document.querySelector('main ' + of)?.getBoundingClientRect();
  return box === undefined ? null
    : { y: box.y, low: box.bottom, height: box.height, right: box.right, middle: box.y + box.height / 2 };
})`;
type Box = Record<'y' | 'low' | 'height' | 'right' | 'middle', number>;

test.each([{ width: 1440, height: 900 }, PHONE])('all pages have one head at $width px', async (size) => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/icon.svg', size);
  const [template] = (await (await demoClient(kaitaku.url)).get('/mail_template/list')).body as { id: number }[];
  const editor = `/template/${template?.id}`;
  const heads = [];
  for (const path of [...HEADED, editor]) {
    await page.goto(kaitaku.url + path);
    await page.locator('main a[href^="/guide.html"]').first().waitFor();
    await page.getByText('メールは外部に送られません').waitFor();
    const [head, end, link] = await page.evaluate<[Box, Box, Box | null]>(HEAD);
    const hasBack = link !== null;
    if (hasBack) expect([link.height, link.low <= head.y + 1]).toStrictEqual([20, true]);
    expect(end.y < head.low && end.low > head.y).toBe(true);
    heads.push({ path, hasBack, ...head, end: end.right });
  }
  expect(heads.flatMap(({ path, hasBack }) => (hasBack ? path : []))).toStrictEqual(['/imports/new', editor]);
  const spread = (values: number[]) => Math.max(...values) - Math.min(...values);
  expect(spread(heads.map(({ middle }) => middle))).toBeLessThanOrEqual(16);
  // A page that scrolls has a scroll bar.
  expect(spread(heads.map(({ end }) => end))).toBeLessThanOrEqual(16);
  await leave();
});

test('Tab reaches the skip link, then the navigation, then the screen', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/sends');
  await page.getByRole('heading', { name: '送信履歴' }).waitFor();
  const focused = () =>
    page.evaluate<string>("(document.activeElement.querySelector('kbd') ?? document.activeElement).innerText.trim()");
  const seen: string[] = [];
  for (let presses = 0; presses < 13; presses += 1) {
    await page.keyboard.press('Tab');
    seen.push(await focused());
  }
  expect(seen).toStrictEqual([
    '本文へ移動',
    'Kaitaku',
    '見込み客',
    '予約',
    '送信履歴',
    'レポート',
    'テンプレート',
    '配信停止',
    '設定',
    'Ctrl+K',
    '通知',
    'アカウント',
    'ログアウト',
  ]);
  await leave();
});

test('the bottom bar of a phone opens the screens, and hides while a field has the focus', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/account');
  await page.setViewportSize(PHONE);
  const bar = page.getByRole('navigation', { name: '画面の切り替え' });
  await bar.waitFor();
  const box = await bar.boundingBox();
  expect([box?.y, box?.height]).toStrictEqual([PHONE.height - 56, 56]);
  await page.getByRole('button', { name: '編集' }).first().click();
  await bar.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'キャンセル' }).click();
  await bar.waitFor();
  await page.getByLabel('ライト').check();
  await bar.waitFor();
  // The end of the page can be scrolled out from under the bar.
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  const footer = await page.locator('footer').boundingBox();
  // A window scrolls by whole pixels.
  expect(Math.floor((footer?.y ?? 0) + (footer?.height ?? 0))).toBeLessThanOrEqual(PHONE.height - 56);
  await bar.getByRole('link', { name: '送信履歴' }).click();
  await page.getByRole('heading', { name: '送信履歴' }).waitFor();
  await leave();
});

test.each([
  ['at the end of a screen that is taller', '/settings/legal', 500],
  ['at the bottom of the window below a lower one', '/sends', 900],
])('the footer stands %s', async (_, path, height) => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, path, { width: 1440, height });
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.getByRole('main').getByRole('heading').first().waitFor();
  const ends = () =>
    page.evaluate<number[]>(
      `['main', 'footer'].map((name) => document.querySelector(name).getBoundingClientRect().bottom)`,
    );
  const [, before] = await ends();
  expect(Math.max(height, before ?? 0) > height).toBe(height === 500);
  await page.locator('footer').scrollIntoViewIfNeeded();
  const [screen, footer] = await ends();
  expect([Math.round(footer ?? 0), (screen ?? 0) < height]).toStrictEqual([height, true]);
  await leave();
});

test('the demo says that no mail is sent out, only behind the login', async () => {
  const { page: entered, leave } = await enter(kaitaku.browser, kaitaku.url, '/account');
  await entered.getByText('メールは外部に送られません（サーバー未設定）').waitFor();
  await leave();
  const { page: login, leave: leaveLogin } = await visit(kaitaku.browser, `${kaitaku.url}/login`);
  await login.getByRole('heading', { name: 'ログイン' }).waitFor();
  await expect.poll(() => login.getByText('サーバー未設定').count()).toBe(0);
  await leaveLogin();
});

test('the chosen colours and row height apply from the first paint, and stay; printing is light', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/account');
  const look = () =>
    page.evaluate<string[]>(`[getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.documentElement).colorScheme,
      getComputedStyle(document.documentElement).getPropertyValue('--k-row')]`);
  await page.getByLabel('システムに合わせる').waitFor();
  const [light] = await look();
  await page.getByLabel('ダーク').check();
  await page.getByLabel('ゆったり').check();
  await page.reload();
  await page.getByLabel('ダーク').and(page.locator(':checked')).waitFor();
  const [dark, scheme, row] = await look();
  expect([dark === light, scheme, row]).toStrictEqual([false, 'dark', '44px']);
  await page.emulateMedia({ media: 'print' });
  expect((await look())[0]).toBe(light);
  await page.emulateMedia({ media: null });
  await page.getByLabel('ライト').check();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect((await look())[0]).toBe(light);
  await leave();
});

test.each(['/icon.svg', '/favicon.ico', '/apple-touch-icon.png'])('%s is an image', async (path) => {
  const answer = await fetch(kaitaku.url + path);
  expect([answer.status, answer.headers.get('content-type')?.split('/')[0]]).toStrictEqual([200, 'image']);
});

test('on a phone a press that ends typing is not covered by the returning bar', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  await page.setViewportSize(PHONE);
  await page.getByRole('rowheader').first().waitFor();
  await page.getByRole('searchbox', { name: '会社名・メールで探す' }).fill('株式会社');
  await page.waitForURL(/search=/);
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  const next = page.getByRole('button', { name: '次のページ' });
  // Scrolls the button under the bar. Cards rendered on the way move it, so this takes several steps.
  const y = PHONE.height - 28;
  const offset = async () => {
    const { y: top, height } = (await next.boundingBox()) ?? { y: 0, height: 0 };
    await page.evaluate(`scrollBy(0, ${top + height / 2 - y})`);
    return top + height / 2 - y;
  };
  await eventually(offset, (by) => Math.abs(by) < 2);
  const { x, width } = (await next.boundingBox()) ?? { x: 0, width: 0 };
  await page.mouse.click(x + width / 2, y);
  await page.waitForURL(/page=2/);
  await page.locator('[data-bottom-bar]').waitFor();
  await leave();
});

test('pages may make the Trusted Types policies that the build makes, each once, and no others', async () => {
  const scripts = globSync('assets/*.js', { cwd: PACKAGE.web }).map((file) =>
    readFileSync(join(PACKAGE.web, file), 'utf8'),
  );
  const made = scripts.flatMap((script) =>
    [...script.matchAll(/createPolicy\((['"`])([^'"`]+)\1/g)].map(([, , name = '']) => name),
  );
  const headers = (await fetch(`${kaitaku.url}/login`)).headers;
  const [, named = ''] = /; trusted-types ([^;]*)/.exec(headers.get('content-security-policy') ?? '') ?? [];
  expect(made.toSorted()).toStrictEqual(named.split(' ').toSorted());

  const { page, leave } = await visit(kaitaku.browser, `${kaitaku.url}/login`);
  const make = `(() => { try { trustedTypes.createPolicy('other', {}); } catch (error) { return error.name; } })()`;
  expect(await page.evaluate(make)).toBe('TypeError');
  // The console logs the refusal itself.
  await leave(/'other'/);
});
