import type { Browser, Page } from 'playwright-core';
import { API_BASE } from '#contract/call.ts';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { type Client, clientAt } from '#test/client.ts';
import { openPage, type Size, type Visit } from './browser.ts';

export interface Login {
  readonly email: string;
  readonly password: string;
}

/** Fills in the login screen, to which the guard redirects, and waits until the login has succeeded. */
export async function logIn(page: Page, { email, password }: Login = DEMO_LOGIN): Promise<void> {
  await page.waitForURL('**/login*');
  await page.getByRole('textbox', { name: 'メールアドレス' }).fill(email);
  await page.getByLabel('パスワード', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'ログイン' }).click();
  await page.getByText('ログインしました').first().waitFor();
}

/** Companies per page in a session that `enter` opens. The 50 of a new session take a quarter more CPU time. */
export const PAGE_SIZE = 20;

/** Opens a page of the demo account, logged in without the login screen: for tests of later screens. */
export async function enter(
  browser: Browser,
  url: string,
  path = '/',
  viewport?: Size,
  login: Login = DEMO_LOGIN,
): Promise<Visit> {
  const base = url + API_BASE;
  const { token, account_id } = (await clientAt(base, '').post('/auth/login', login)).body as Entrance;
  const current_user = (await clientAt(base, `Bearer ${token}`).get(`/account/${account_id}`)).body;
  const attack_list_settings = { test_mode: { mail_to: DEMO_LOGIN.email, limit_count: 10 } };
  // As an older client stored it. The current client's slices add the missing keys (web/lib/session/session-store.ts).
  const stored = JSON.stringify({
    version: 1,
    state: { token, current_user, attack_list_settings, pagenate_count: PAGE_SIZE },
  });
  const opened = await openPage(browser, viewport);
  // Runs before the client's scripts, and skips frames: those of mails may not use the storage.
  const store = `if (window === top) sessionStorage.setItem('kaitaku-session', ${JSON.stringify(stored)})`;
  const initScript = await opened.page.addInitScript({ content: store });
  await opened.page.goto(url + path);
  await initScript.dispose();
  return opened;
}

interface Entrance {
  readonly token: string;
  readonly account_id: number;
}

/** Returns an API client of the demo account on a running program, in its own session. */
export async function demoClient(url: string): Promise<Client> {
  const base = url + API_BASE;
  const { token } = (await clientAt(base, '').post('/auth/login', DEMO_LOGIN)).body as Entrance;
  return clientAt(base, `Bearer ${token}`);
}
