import type { Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { eventually } from '#test/sending.ts';
import { type Visit, visit } from './browser.ts';
import { enter, logIn } from './demo.ts';
import { intercept } from './intercept.ts';
import { shareScene } from './scene.ts';

/** Tests the account screen of a new user: another name, another address through its mailbox, another password. */
const kaitaku = shareScene();

const NEW = 'naoki.tanaka@example.jp';
const PASSWORD = DEMO_LOGIN.password;
const NEW_PASSWORD = '夜の灯台と三匹の黒い子猫';
const EXPIRED = 'ログインの有効期限が切れました。もう一度ログインしてください';

const UNAUTHORIZED = /status of 401/;
const UNREAD = '/notice/unread';

async function openAccount(): Promise<Visit> {
  const opened = await enter(kaitaku.browser, kaitaku.url, '/account');
  await opened.page.getByRole('heading', { name: 'プロフィール' }).waitFor();
  return opened;
}

const group = (page: Page, label: string) =>
  page.getByRole('region', { name: 'プロフィール' }).locator(':scope > div').filter({ hasText: label }).first();
const edit = (page: Page, label: string) => group(page, label).getByRole('button', { name: '編集' }).click();

async function change(page: Page, label: string, value: string): Promise<void> {
  await edit(page, label);
  const save = page.getByRole('button', { name: '変更を保存' });
  await expect.poll(() => save.isDisabled()).toBe(true);
  await page.getByLabel(label).fill(value);
  await save.click();
}

/** Returns the link of the last confirmation mail. */
async function mailedLink(): Promise<string> {
  const mails = await eventually(
    async () => (await kaitaku.mails()).filter((mail) => mail.to.some(({ address }) => address === NEW)),
    (found) => found.length > 0,
  );
  const mail = await PostalMime.parse(await kaitaku.source(mails.at(-1)?.id ?? ''));
  return /http:\/\/\S+\/confirmation\/[\w-]{43}/.exec(mail.text ?? '')?.[0] ?? '';
}

test('the name is changed in its place, by keyboard alone', async () => {
  const { page, leave } = await openAccount();
  await group(page, '氏名').getByRole('button', { name: '編集' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('氏名').fill('鈴木 花子');
  await page.keyboard.press('Enter');
  await page.getByText('氏名を変更しました').waitFor();
  await page.getByRole('banner').getByText('鈴木 花子').waitFor();
  // The focus has returned to the button.
  await page.keyboard.press('Enter');
  await page.getByLabel('氏名').waitFor();
  await page.keyboard.press('Escape');
  await leave();
});

let expiring: Visit;

test('a new address waits for its mail', async () => {
  const { page, leave } = await openAccount();
  await change(page, 'メールアドレス', NEW);
  await page.getByText('確認メールが送信されました。メールを確認してください').waitFor();
  await page.getByText(`${NEW} への変更は、まだ完了していません`).waitFor();
  const first = await mailedLink();
  await page.getByRole('button', { name: '確認メールをもう一度送信' }).click();
  await eventually(mailedLink, (link) => link !== first);
  await leave();

  expiring = await openAccount();
  // The stream ends with the session. Its next request would be refused before the save is.
  await intercept(expiring.page, '/send_log/events', () => undefined);
  await edit(expiring.page, '会社名');
  await expiring.page.getByLabel('会社名').fill('書きかけ株式会社');
});

/** The change ends the session: makes the server refuse the header's request before the change is answered. */
async function refuseBellFirst(page: Page): Promise<void> {
  const changed = Promise.withResolvers<void>();
  await intercept(page, UNREAD, async (route) => {
    await changed.promise;
    await route.continue();
  });
  await intercept(page, '/account/*', async (route) => {
    if (route.method !== 'PUT') return route.continue();
    const answer = await route.fetch();
    const refused = page.waitForResponse((response) => response.status() === 401);
    changed.resolve();
    await refused;
    await route.fulfill({ status: answer.status, json: await answer.json() });
  });
}

test('the mailed link leads through the login to the new address, and leaves its secret in no address', async () => {
  const { page, leave } = await visit(kaitaku.browser, await mailedLink());
  await refuseBellFirst(page);
  await logIn(page);
  await page.getByText('メールアドレスの変更が有効になりました').waitFor();
  await page.getByText('新しいメールアドレスで、もう一度ログインしてください。').waitFor();
  await page.getByText('ログアウトしました').waitFor();
  expect(new URL(page.url()).pathname).toBe('/confirmation');
  await page.getByRole('main').getByRole('link', { name: 'ログイン' }).click();
  await logIn(page, { email: NEW, password: PASSWORD });
  await page.getByText('該当 1,000社').waitFor();
  await leave(UNAUTHORIZED);
});

test('a user with an expired session gets one message, and the typed text back', async () => {
  const { page, leave } = expiring;
  await page.getByRole('button', { name: '変更を保存' }).click();
  await page.getByText(EXPIRED).waitFor();
  await expect.poll(() => page.getByText('ログアウトしました').count()).toBe(1);
  await logIn(page, { email: NEW, password: PASSWORD });
  await expect.poll(() => page.getByLabel('会社名').inputValue()).toBe('書きかけ株式会社');
  await page.getByText(NEW).waitFor();
  await leave(UNAUTHORIZED);
});

test('a new password ends the other sessions, not this one', async () => {
  const other = await visit(kaitaku.browser, `${kaitaku.url}/account`);
  await logIn(other.page, { email: NEW, password: PASSWORD });
  const { page, leave } = await visit(kaitaku.browser, `${kaitaku.url}/account`);
  await logIn(page, { email: NEW, password: PASSWORD });
  await page.getByRole('button', { name: 'パスワードを変更' }).click();
  const save = page.getByRole('button', { name: '保存', exact: true });
  const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
  await fill('現在のパスワード', PASSWORD);
  await fill('新しいパスワード', PASSWORD);
  await expect.poll(() => save.isDisabled()).toBe(true);
  await fill('新しいパスワード（確認）', PASSWORD);
  await save.click();
  await page.getByText('現在のパスワードと新規パスワードは違うものにしてください').first().waitFor();
  await fill('新しいパスワード', NEW_PASSWORD);
  await save.click();
  await page.getByText('新規パスワードと確認用のパスワードが違います').first().waitFor();
  await fill('新しいパスワード（確認）', NEW_PASSWORD);
  await save.click();
  await page.getByText('パスワードが更新されました').waitFor();
  await page.reload();
  await page.getByText(NEW).waitFor();
  await page.getByRole('button', { name: 'ログアウト' }).click();
  await logIn(page, { email: NEW, password: NEW_PASSWORD });
  await leave();

  await other.page.reload();
  await other.page.getByText(EXPIRED).waitFor();
  await other.leave(UNAUTHORIZED);
});
