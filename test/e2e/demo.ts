import type { Page } from 'playwright-core';
import { API_BASE } from '#contract/call.ts';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { type Client, clientAt } from '#test/client.ts';

interface Login {
  readonly email: string;
  readonly password: string;
}

/** Fills in the login screen, to which the guard has led or is about to, and waits until the login is told. */
export async function logIn(page: Page, { email, password }: Login = DEMO_LOGIN): Promise<void> {
  await page.waitForURL('**/login*');
  await page.getByLabel('メールアドレス').fill(email);
  await page.getByLabel('パスワード', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'ログイン' }).click();
  await page.getByText('ログインしました').first().waitFor();
}

/** The demo account at the API of a running program, in a session of its own. */
export async function demoClient(url: string): Promise<Client> {
  const base = url + API_BASE;
  const { token } = (await clientAt(base, '').post('/auth/login', DEMO_LOGIN)).body as { token: string };
  return clientAt(base, `Bearer ${token}`);
}
