import type { Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#server/platform/database/db.ts';
import { eventually } from '#test/sending.ts';
import { visit } from './browser.ts';
import { demoClient, enter, logIn } from './demo.ts';
import { intercept, letThrough } from './intercept.ts';
import { shareScene } from './scene.ts';

/** Tests address change links that change nothing: the page's message stays until its visitor leaves. */
const kaitaku = shareScene();

const NEW = 'naoki.tanaka@example.jp';
const WRONG = `/confirmation/${'A'.repeat(43)}`;
const REFUSED = /status of 40[01]/;
const CONFIRM = '/auth/confirmation_token/*/confirm';

/** Requests a change of the demo account's address. @returns the mailed link, and its account */
async function mailedLink() {
  const client = await demoClient(kaitaku.url);
  const [{ account_id: id }] = (await ask('SELECT account_id FROM member')) as [{ account_id: number }];
  await client.put(`/account/${id}`, { update_info: { email_before_confirmation: NEW } });
  const { body } = await client.put(`/auth/confirmation_token/${id}`);
  const sent = (await kaitaku.mails()).length;
  await client.post(`/mail/send/confirmation/${id}`, { ...(body as object), email_before_confirmation: NEW });
  const mails = await eventually(kaitaku.mails, (all) => all.length > sent);
  const { text = '' } = await PostalMime.parse(await kaitaku.source(mails.at(-1)?.id ?? ''));
  const confirmation_token = /\/confirmation\/([\w-]{43})/.exec(text)?.[1] ?? '';
  return { client, id, confirmation_token, path: `/confirmation/${confirmation_token}` };
}

async function ask(query: string): Promise<unknown[]> {
  const { pool, close } = openDatabase(kaitaku.databaseUrl, { connections: 1 });
  try {
    return (await pool.query(query)).rows;
  } finally {
    await close();
  }
}

async function usedLink(): Promise<string> {
  const { client, id, confirmation_token, path } = await mailedLink();
  await client.post(`/auth/confirmation_token/${id}/confirm`, { confirmation_token });
  return path;
}

async function expiredLink(): Promise<string> {
  const { path } = await mailedLink();
  await ask("UPDATE email_change SET secret_expires_at = now() - interval '1 second'");
  return path;
}

/** Returns the visible text of the page; hidden text does not count. */
async function expectOutcome(page: Page): Promise<void> {
  const main = page.getByRole('main');
  await main.getByText('メールアドレスは有効になりませんでした').waitFor();
  await main.getByText('URLが正しくないか、有効期限が切れています。').waitFor();
  await page.getByText('ログアウトしました').waitFor();
  await page.getByRole('contentinfo').waitFor();
  expect(new URL(page.url()).pathname).toBe('/confirmation');
  await main.getByRole('link', { name: 'ログイン' }).click();
  await page.getByRole('heading', { name: 'ログイン' }).waitFor();
}

describe.each([
  ['wrong', async () => WRONG],
  ['used', usedLink],
  ['expired', expiredLink],
] as const)('§2.30 a confirmation link that is %s shows its outcome', (_, make) => {
  let path = '';
  beforeAll(async () => {
    path = await make();
  });

  test('to a visitor who logs in first', async () => {
    const { page, leave } = await visit(kaitaku.browser, kaitaku.url + path);
    await logIn(page);
    await expectOutcome(page);
    await leave(REFUSED);
  });

  test('to a member who is logged in', async () => {
    const { page, leave } = await enter(kaitaku.browser, kaitaku.url, path);
    await expectOutcome(page);
    await leave(REFUSED);
  });
});

test('§2.30 a confirmation link shows its outcome after a second login, where the session ended before', async () => {
  const { page, leave } = await visit(kaitaku.browser, kaitaku.url + WRONG);
  await intercept(page, CONFIRM, async (route) => {
    const token = await page.evaluate<string>(`JSON.parse(sessionStorage.getItem('kaitaku-session')).state.token`);
    await fetch(`${kaitaku.url}/api/v1/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    letThrough(page, CONFIRM);
    await route.continue();
  });
  await logIn(page);
  await page.getByText('ログインの有効期限が切れました。もう一度ログインしてください').waitFor();
  await logIn(page);
  await expectOutcome(page);
  await leave(REFUSED);
});
