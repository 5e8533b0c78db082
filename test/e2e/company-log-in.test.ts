import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_LOGIN, makeDemo } from '#server/features/demo/demo.command.ts';
import type { AccountHosts } from '#server/platform/http/hosts.ts';
import { clientAt, serveApp } from '#test/client.ts';
import { createTestDatabase, type TestDatabase } from '#test/db.ts';
import { atFileEnd } from '#test/file-end.ts';
import { noAccountHosts } from '#test/mailing.ts';
import { CLIENT_ID, CLIENT_SECRET, type StubProvider, serveProvider } from '#test/oidc-provider.ts';
import { eventually } from '#test/sending.ts';
import { launchBrowser } from './launch.ts';

/* The way through the provider's origin and back, in a browser that isolates windows by COOP. */

/** The host of the installation, and that of an account of its own. Both are loopback to this browser alone. */
const SHARED = 'kaitaku.test';
const OWN = 'haru.kaitaku.test';

let database: TestDatabase;
let provider: StubProvider;
let browser: Browser;
let port: number;
let key: string;
/** The account has a host of its own. */
let hasOwnHost = false;

const at = (host: string) => `http://${host}:${port}`;
const home = () => at(hasOwnHost ? OWN : SHARED);

beforeAll(async () => {
  database = await createTestDatabase();
  atFileEnd(() => database.drop());
  await makeDemo(database);
  const { account_id: accountId } = await database.db
    .selectFrom('member')
    .select('account_id')
    .executeTakeFirstOrThrow();
  provider = await serveProvider();
  provider.who = { email: DEMO_LOGIN.email, email_verified: true };
  const accountHosts: AccountHosts = {
    ...noAccountHosts(''),
    accountOf: (host) => (host === OWN ? accountId : null),
    isHome: (_accountId, host) => (host === OWN) === hasOwnHost,
    urlOf: home,
  };
  const { app, address } = await serveApp({ ...database, accountHosts, outbound: provider.outbound }, Date.now, {
    allowedHosts: [SHARED, OWN],
  });
  ({ port } = app.server.address() as AddressInfo);
  const visitor = clientAt(address, '');
  const { body } = await visitor.post('/auth/login', { email: DEMO_LOGIN.email, password: DEMO_LOGIN.password });
  const admin = clientAt(address, `Bearer ${(body as { token: string }).token}`);
  const saved = await admin.put('/oidc', {
    update_info: {
      provider: 'other',
      issuer: provider.issuer,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      domains: ['example.com'],
      active: 1,
    },
  });
  expect(saved).toMatchObject({ status: 200 });
  const { login_link } = (await admin.get('/oidc')).body as { login_link: string };
  key = new URL(login_link).searchParams.get('c') ?? '';
  browser = await launchBrowser([`--host-resolver-rules=MAP *.test 127.0.0.1,MAP ${provider.host} 127.0.0.1`]);
});

afterAll(() => browser.close());

async function newContext(): Promise<BrowserContext> {
  return browser.newContext({ ignoreHTTPSErrors: true, locale: 'ja-JP' });
}

const button = (page: Page) => page.getByRole('button', { name: '会社のIDでログイン' });

/** Goes to the provider. */
async function leave(page: Page, address = `${home()}/login?c=${key}`): Promise<void> {
  await page.goto(address);
  await button(page).click();
  await page.getByRole('link', { name: '続ける' }).waitFor();
}

const isIn = (page: Page) => page.waitForURL(({ pathname, search }) => pathname === '/' && search === '');
const tokenOf = (page: Page) =>
  page.evaluate<string | null>(`JSON.parse(sessionStorage.getItem('kaitaku-session') ?? '{}').state?.token ?? null`);
const failed = (page: Page) => page.getByText(/^会社のIDでログインできませんでした/).waitFor();

describe('the way through the provider', () => {
  test('through another origin and back; neither code nor state stays in the history, and the back button is harmless', async () => {
    const context = await newContext();
    const page = await context.newPage();
    const answer = await page.goto(`${home()}/login?c=${key}`);
    expect(answer?.headers()['cross-origin-opener-policy']).toBe('same-origin');
    await leave(page);
    const back = (await page.getByRole('link', { name: '続ける' }).getAttribute('href')) ?? '';
    expect(new URL(back).origin).toBe(home());
    await page.getByRole('link', { name: '続ける' }).click();
    await isIn(page);
    const token = await tokenOf(page);
    expect(token).toMatch(/^[\w-]{43}$/);
    // Back to the provider, and once more through its link with a state that is spent.
    await page.goBack();
    await page.getByRole('link', { name: '続ける' }).click();
    await isIn(page);
    expect(await tokenOf(page)).toBe(token);
    // The address that a proxy or another person may have seen opens nothing.
    const stranger = await (await newContext()).newPage();
    await stranger.goto(back);
    await failed(stranger);
    expect(new URL(stranger.url()).search).toBe('');
    expect(await tokenOf(stranger)).toBeNull();
    await stranger.context().close();
    // The next log-in of this browser needs no link.
    const next = await context.newPage();
    await page.getByRole('button', { name: 'ログアウト' }).first().click();
    await next.goto(`${home()}/login`);
    await button(next).waitFor();
    await context.close();
  });

  test('of two tabs each ends its own way; the other’s address opens nothing', async () => {
    const context = await newContext();
    const [first, second] = [await context.newPage(), await context.newPage()];
    await leave(first);
    await leave(second);
    const theirs = (await second.getByRole('link', { name: '続ける' }).getAttribute('href')) ?? '';
    const third = await context.newPage();
    await third.goto(theirs);
    await failed(third);
    await second.getByRole('link', { name: '続ける' }).click();
    await isIn(second);
    await first.getByRole('link', { name: '続ける' }).click();
    await isIn(first);
    expect(await tokenOf(first)).not.toBe(await tokenOf(second));
    await context.close();
  });

  test('the provider’s refusal, and the way back without it, lead to the log-in', async () => {
    const context = await newContext();
    const page = await context.newPage();
    await leave(page);
    await page.goBack();
    await button(page).waitFor();
    // The button waits no longer on a page of the browser's cache.
    await eventually(
      () => button(page).getAttribute('aria-disabled'),
      (waits) => waits !== 'true',
    );
    await leave(page);
    await page.goto(`${home()}/oauth/callback?error=access_denied&error_description=evil&state=x`);
    await failed(page);
    expect(await page.getByText('evil').count()).toBe(0);
    await page.getByRole('link', { name: 'ログイン画面に戻る' }).click();
    await button(page).waitFor();
    await context.close();
  });

  test('the link of an account with a host of its own leads there, and back there', async () => {
    hasOwnHost = true;
    const context = await newContext();
    const page = await context.newPage();
    await page.goto(`${at(SHARED)}/login?c=${key}`);
    await button(page).click();
    await page.waitForURL(`${at(OWN)}/login?c=${key}`);
    await leave(page, `${at(OWN)}/login`);
    await page.getByRole('link', { name: '続ける' }).click();
    await page.waitForURL(`${at(OWN)}/`);
    expect(await tokenOf(page)).toMatch(/^[\w-]{43}$/);
    // A way that began at one host does not end at another.
    await leave(page, `${at(OWN)}/login`);
    const back = new URL((await page.getByRole('link', { name: '続ける' }).getAttribute('href')) ?? '');
    back.host = `${SHARED}:${port}`;
    await page.goto(back.href);
    await failed(page);
    hasOwnHost = false;
    await context.close();
  });
});
