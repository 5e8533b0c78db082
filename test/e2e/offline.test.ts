import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { visit } from './browser.ts';
import { enter, logIn, PAGE_SIZE } from './demo.ts';
import { intercept } from './intercept.ts';
import { shareScene } from './scene.ts';
import { companyName } from './walk-steps.ts';

/**
 * Tests a lost network, and files that an upgrade replaced.
 * The page says so at once, never goes blank, and does nothing later.
 */
const kaitaku = shareScene();

const FAILED = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|status of 404|Refused to apply style|PartNotLoaded/;
const OFFLINE = 'オフラインのため、実行できませんでした。接続を確認して、やり直してください';
const OFFLINE_READ = 'オフラインのため、読み込めませんでした。接続を確認して、やり直してください';

const SECOND_PAGE = `${PAGE_SIZE + 1}–${2 * PAGE_SIZE} / 1,000件`;

const cut = (page: Page) => page.context().setOffline(true);
const restore = (page: Page) => page.context().setOffline(false);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const untilAlert = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();
const bar = (page: Page) => page.getByRole('status').filter({ hasText: 'オフラインです' });

async function open(path = '/') {
  const opened = await enter(kaitaku.browser, kaitaku.url, path);
  await opened.page.getByRole('rowheader').first().waitFor();
  return opened;
}

test('a log-in without a network says so on the page that is there', async () => {
  const { page, leave } = await visit(kaitaku.browser, `${kaitaku.url}/login`);
  await page.getByLabel('メールアドレス').waitFor();
  await cut(page);
  await bar(page).waitFor();
  await page.getByLabel('メールアドレス').fill('demo@example.com');
  await page.getByLabel('パスワード', { exact: true }).fill('tegami-ga-todoku');
  await button(page, 'ログイン').click();
  await untilAlert(page, OFFLINE);
  await expect.poll(() => page.getByLabel('メールアドレス').inputValue()).toBe('demo@example.com');
  await restore(page);
  await bar(page).waitFor({ state: 'detached' });
  await logIn(page);
  await page.getByRole('rowheader').first().waitFor();
  await leave(FAILED);
});

/** Simulates an upgrade: the server has a new entry, and no files with the old names. */
async function upgrade(page: Page): Promise<void> {
  await page.route(/\/assets\//, (route) => {
    const url = route.request().url().replace('/assets/', '/assets/gone-');
    return route.continue({ url });
  });
  await page.route('**/index.html', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/assets/index-new.js"></script>' }),
  );
}

test('bad-inputs 214: a screen whose files an upgrade has replaced offers the new version', async () => {
  const { page, leave } = await open();
  await upgrade(page);
  await page.getByRole('link', { name: '送信履歴' }).click();
  await page.getByRole('heading', { name: '新しい版があります' }).waitFor();
  await page.unrouteAll();
  await button(page, '再読み込み').click();
  await page.getByRole('heading', { name: '送信履歴' }).waitFor();
  await leave(FAILED);
});

test('bad-inputs 214: so does a part of a screen, which stays', async () => {
  const { page, leave } = await open();
  await page
    .getByRole('button', { name: /の備考を編集$/ })
    .first()
    .click();
  await page.locator('textarea').fill('書きかけ');
  await page.evaluate(`document.querySelector('textarea').focus()`);
  await upgrade(page);
  await intercept(page, '/active_prospect/', (route) => route.abort());
  await button(page, 'ログアウト').click();
  await page.getByText('新しい版があります').waitFor();
  await page.getByRole('rowheader').first().waitFor();
  await expect.poll(() => page.locator('textarea').inputValue()).toBe('書きかけ');
  await leave(FAILED);
});

test('bad-inputs 215: without a network each action is reported at once, and nothing is done later', async () => {
  const { page, leave } = await open();
  const writes: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') writes.push(request.url());
  });
  await cut(page);
  await bar(page).waitFor();

  const company = await companyName(page);
  const switchOf = (checked: boolean) => page.getByRole('switch', { name: `${company}への配信`, checked });
  await switchOf(true).click();
  await untilAlert(page, OFFLINE);
  await switchOf(true).waitFor();

  await page
    .getByRole('button', { name: /の備考を編集$/ })
    .first()
    .click();
  await page.locator('textarea').fill('つながったら');
  await page.locator('textarea').press('Enter');
  await page.locator('textarea[aria-busy=false][aria-invalid=true]').waitFor();
  await page.locator('textarea').press('Escape');

  await page.getByRole('link', { name: '送信履歴' }).click();
  await page.getByRole('heading', { name: '画面を表示できませんでした' }).waitFor();
  // A reload would show the browser's own error page.
  await button(page, '再読み込み').click();
  await untilAlert(page, OFFLINE_READ);
  await page.getByRole('heading', { name: '画面を表示できませんでした' }).waitFor();
  await page.goBack();

  const tried = writes.length;
  await restore(page);
  await bar(page).waitFor({ state: 'detached' });
  await page.getByRole('rowheader').first().waitFor();
  await switchOf(true).waitFor();
  await expect.poll(() => page.getByText('つながったら').count()).toBe(0);
  expect(writes).toHaveLength(tried);
  await leave(FAILED);
});

test('the pager names the page whose rows are shown', async () => {
  const { page, leave } = await open();
  await cut(page);
  await bar(page).waitFor();
  await button(page, '次のページ').click();
  await page.getByText('読み込めませんでした').first().waitFor();
  await expect.poll(() => page.getByText(SECOND_PAGE).count()).toBe(0);
  await restore(page);
  await page.getByText(SECOND_PAGE).waitFor();
  await leave(FAILED);
});
