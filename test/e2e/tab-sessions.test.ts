import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { API_BASE, type CallAnswer } from '#contract/call.ts';
import type { listSenderProfiles } from '#contract/senders/sender-profiles.ts';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { clientAt } from '#test/client.ts';
import { eventually } from '#test/sending.ts';
import { enter, logIn } from './demo.ts';
import { addColleague, addPerson, shareScene, tellStop } from './scene.ts';

/** Tests one log-in for all tabs of a browser, and that no link and no stranger gets more. */
const kaitaku = shareScene();

type SenderProfile = CallAnswer<typeof listSenderProfiles>[number];

const REFUSED = /status of 40[0134]/;
const CHANNEL = 'kaitaku-session';

async function open(path = '/') {
  const opened = await enter(kaitaku.browser, kaitaku.url, path);
  await opened.page.getByRole('banner').getByText('田中 直樹').first().waitFor();
  return { ...opened, context: opened.page.context() };
}

/** Opens an address in a new tab of the browser, as a pasted link does. */
async function newTab(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(kaitaku.url + path);
  return page;
}

const loginShown = (page: Page) => page.getByRole('heading', { name: 'ログイン' }).waitFor();
const listShown = (page: Page) => page.getByRole('rowheader').first().waitFor();
const logOut = (page: Page) => page.getByRole('button', { name: 'ログアウト' }).click();
const tokenOf = (page: Page) =>
  page.evaluate<string | null>(`JSON.parse(sessionStorage.getItem('kaitaku-session') ?? 'null')?.state.token ?? null`);
const revoke = async (token: string | null) =>
  clientAt(kaitaku.url + API_BASE, `Bearer ${token}`).post('/auth/logout', {});

/** Collects in a page what it hears on the channel. @returns a function that reads it */
async function listen(page: Pick<Page, 'evaluate'>) {
  await page.evaluate(`{
    window.heard = [];
    window.spy = new BroadcastChannel('${CHANNEL}');
    window.spy.onmessage = ({ data }) => window.heard.push(data);
  }`);
  return () => page.evaluate<Record<string, unknown>[]>('window.heard');
}

const ASK = `window.spy.postMessage({ ask: '${'a'.repeat(32)}' })`;

/** Waits for a mail to an address. @returns its text */
async function mailTo(to: string, subject = ''): Promise<string> {
  const mails = await eventually(
    async () =>
      (await kaitaku.mails()).filter(
        (mail) => mail.subject.includes(subject) && mail.to.some(({ address }) => address === to),
      ),
    (found) => found.length > 0,
  );
  return (await PostalMime.parse(await kaitaku.source(mails.at(-1)?.id ?? ''))).text ?? '';
}

/** Types remarks and leaves them unsaved. */
async function typeRemarks(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /の備考を編集$/ })
    .first()
    .click();
  await page.locator('textarea').fill('書きかけ');
}
const isTyping = (page: Page) => expect.poll(() => page.locator('textarea').inputValue()).toBe('書きかけ');

test('a pasted link and Ctrl+click open without a log-in; the answer is what is needed to begin', async () => {
  const { page, context, leave } = await open();
  await listShown(page);
  const spy = await newTab(context, '/login');
  const heard = await listen(spy);
  const pasted = await newTab(context, '/sends');
  await pasted.getByRole('heading', { name: '送信履歴' }).first().waitFor();
  expect(await tokenOf(pasted)).toBe(await tokenOf(page));
  const isAnswer = ({ answer }: Record<string, unknown>) => answer !== undefined;
  const answers = (await eventually(heard, (messages) => messages.some(isAnswer))).filter(isAnswer);
  const keys = ['answer', 'current_sender', 'current_sender_group', 'current_user', 'member', 'token'];
  expect(Object.keys(answers[0] ?? {}).toSorted()).toStrictEqual(keys);
  const name = page.getByRole('rowheader').first().getByRole('link').or(page.getByRole('rowheader').first()).first();
  const [clicked] = await Promise.all([context.waitForEvent('page'), name.click({ modifiers: ['ControlOrMeta'] })]);
  // A slow tab comes by the log-in, and takes the session there.
  await clicked.waitForURL(({ pathname }) => /^\/prospects\/\d+$/.test(pathname));
  await clicked.getByRole('main').getByRole('heading').first().waitFor();
  await leave();
});

test('the links in the mail of a notice open without a log-in', async () => {
  const { context, leave } = await open();
  await tellStop(kaitaku);
  const mail = await mailTo(DEMO_LOGIN.email, '送信が止まりました');
  const links = [...mail.matchAll(/https?:\/\/\S+/g)].map(([link]) => link);
  expect(links).toStrictEqual([kaitaku.url, `${kaitaku.url}/settings/notifications`]);
  for (const link of links) {
    const tab = await context.newPage();
    await tab.goto(link);
    await tab.getByRole('button', { name: 'ログアウト' }).waitFor();
    // A slow tab comes by the log-in, and takes the session there.
    await tab.waitForURL(new URL(link).href);
  }
  await leave();
});

test('a log-in with `from` takes the session when it comes into sight, unless something was typed', async () => {
  const { page, context, leave } = await open();
  const token = await tokenOf(page);
  const from = '/login?from=%2Fsends';
  // A page without a script: the client could store its session again.
  await page.goto(`${kaitaku.url}/law.html`);
  await page.evaluate('sessionStorage.clear()');
  await page.goto(`${kaitaku.url}/login`);
  const waiting = await newTab(context, from);
  const typed = await newTab(context, from);
  await loginShown(waiting);
  await typed.getByLabel('メールアドレス').fill('a');
  await logIn(page);
  const show = (tab: Page) => tab.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await show(typed);
  await show(waiting);
  await waiting.waitForURL('**/sends');
  expect(await tokenOf(waiting)).toBe(await tokenOf(page));
  expect(await tokenOf(waiting)).not.toBe(token);
  expect(await tokenOf(typed)).toBeNull();
  await leave();
});

test.each([
  '/login',
  `/setup/${'x'.repeat(43)}`,
  '/setup',
  '/password-reset',
  '/confirmation/x',
  `/invitation/${'x'.repeat(43)}`,
  '/sender-confirmation/x',
])('%s gets no session of another tab', async (path) => {
  const { page, context, leave } = await open();
  const heard = await listen(page);
  const other = await newTab(context, path);
  await other.getByRole('heading').first().waitFor();
  const asLogin = await newTab(context, `/login?${new URLSearchParams({ from: path })}`);
  // Only `from=/login` is no reason to stay without a session: that tab asks, and is logged in.
  await (path === '/login' ? listShown(asLogin) : loginShown(asLogin));
  const asks = async () => (await heard()).filter(({ ask }) => ask !== undefined).length;
  expect(await asks()).toBe(path === '/login' ? 1 : 0);
  // A tab that may ask is answered meanwhile.
  const allowed = await newTab(context, '/sends');
  await allowed.getByRole('button', { name: 'ログアウト' }).waitFor();
  expect([await tokenOf(other), path === '/login' ? null : await tokenOf(asLogin)]).toStrictEqual([null, null]);
  await leave(REFUSED);
});

test('a forged confirmation beside three tabs with unsaved text, and a log-in there, leave the three as they were', async () => {
  const { page, context, leave } = await open();
  await listShown(page);
  const tabs = [page, await newTab(context, '/'), await newTab(context, '/')];
  for (const tab of tabs) await typeRemarks(tab);
  const token = await tokenOf(page);
  const forged = await newTab(context, `/confirmation/${'A'.repeat(43)}`);
  await logIn(forged);
  await forged.getByText('URLが正しくないか、有効期限が切れています。').waitFor();
  await forged.getByText('ログアウトしました').waitFor();
  for (const tab of tabs) {
    await isTyping(tab);
    expect(await tokenOf(tab)).toBe(token);
  }
  expect((await clientAt(kaitaku.url + API_BASE, `Bearer ${token}`).get('/sender_group/list')).status).toBe(200);
  // A tab that took the session over is led to such a link by another page.
  const led = await newTab(context, '/sends');
  await led.getByRole('button', { name: 'ログアウト' }).waitFor();
  await led.goto(`${kaitaku.url}/confirmation/${'A'.repeat(43)}`);
  await loginShown(led);
  for (const tab of tabs) await isTyping(tab);
  await leave(REFUSED);
});

test('a link of another account to confirm an address is confirmed beside a session', async () => {
  const address = 'hanako@kaitaku-demo.example';
  const client = clientAt(kaitaku.url + API_BASE, '');
  const login = await client.post('/auth/login', await addPerson(kaitaku, 'suzuki@example.com'));
  const suzuki = clientAt(kaitaku.url + API_BASE, `Bearer ${(login.body as { token: string }).token}`);
  const [profile] = (await suzuki.get('/sender_profile/list')).body as SenderProfile[];
  const changed = { version: profile?.version, update_info: { email: address } };
  expect((await suzuki.put(`/sender_profile/${profile?.id}`, changed)).status).toBe(200);
  await suzuki.post(`/sender/${profile?.sender_id}/confirmation`, {});
  const [link = ''] = /http\S+\/sender-confirmation\/[\w-]{43}/.exec(await mailTo(address)) ?? [];
  const { page, context, leave } = await open();
  const token = await tokenOf(page);
  const visitor = await context.newPage();
  await visitor.goto(link);
  await visitor.getByRole('button', { name: 'このアドレスを確認' }).click();
  await visitor.getByText(`${address} を確認しました`).waitFor();
  expect([await tokenOf(visitor), await tokenOf(page)]).toStrictEqual([null, token]);
  await leave();
});

test.each([
  ['accounts', addPerson, 'sato@example.com'],
  ['members of one account', addColleague, 'hanako@example.com'],
])('two %s in two tabs: a third tab asks to log in', async (_who, add, email) => {
  const sato = await add(kaitaku, email);
  const { page, context, leave } = await open();
  const second = await newTab(context, '/login');
  await logIn(second, sato);
  await second.getByRole('button', { name: 'ログアウト' }).waitFor();
  const heard = await listen(await newTab(context, '/api/docs'));
  const third = await context.newPage();
  await third.clock.install({ time: 0 });
  await third.clock.pauseAt(1000);
  await third.goto(`${kaitaku.url}/sends`);
  await eventually(heard, (messages) => messages.filter(({ answer }) => answer !== undefined).length === 2);
  await third.clock.runFor(200);
  await third.clock.resume();
  await third.waitForURL('**/login?from=%2Fsends');
  await loginShown(third);
  expect(await tokenOf(third)).toBeNull();
  await logIn(third, DEMO_LOGIN);
  await third.waitForURL('**/sends');
  // A log-out of one reaches no tab of the other.
  await logOut(second);
  await second.waitForURL('**/login');
  await page.reload();
  await page.getByRole('button', { name: 'ログアウト' }).waitFor();
  await leave(REFUSED);
});

test('a log-out reaches all tabs of its session, whose unsaved text comes back with the next log-in', async () => {
  const { page, context, leave } = await open();
  const second = await newTab(context, '/');
  await listShown(second);
  await typeRemarks(second);
  await logOut(page);
  await page.waitForURL('**/login');
  await second.getByText('ログインの有効期限が切れました。もう一度ログインしてください').waitFor();
  expect(await tokenOf(second)).toBeNull();
  await logIn(second);
  await second.locator('textarea').waitFor();
  await isTyping(second);
  await leave(REFUSED);
});

test('a dead token of a sleeping tab leads to one log-in, and to no loop', async () => {
  const { page, context, leave } = await open();
  const sleeper = await newTab(context, '/api/docs');
  const heard = await listen(sleeper);
  // The session's own tab answers the first question, and goes; a page with its answer goes on answering.
  const asking = await newTab(context, '/sends');
  const answers = await eventually(heard, (messages) => messages.some(({ answer }) => answer !== undefined));
  await asking.close();
  const answer = JSON.stringify(answers.find(({ token }) => token !== undefined));
  await revoke(await tokenOf(page));
  await page.close();
  await sleeper.evaluate(`{
    window.asked = 0;
    window.spy.onmessage = ({ data }) => {
      if (!data.ask) return;
      window.asked += 1;
      window.spy.postMessage({ ...${answer}, answer: data.ask });
    };
  }`);
  const asked = (times: number) =>
    eventually(
      () => sleeper.evaluate<number>('window.asked'),
      (count) => count >= times,
    );
  const tab = await context.newPage();
  const seen: string[] = [];
  const refused: string[] = [];
  tab.on('framenavigated', (frame) => void seen.push(new URL(frame.url()).pathname));
  tab.on('response', (response) => response.status() === 401 && refused.push(response.url()));
  await tab.goto(`${kaitaku.url}/sends`);
  await tab.waitForURL('**/login?from=%2Fsends');
  await loginShown(tab);
  await asked(2);
  for (let times = 3; times < 6; times += 1) {
    await tab.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await asked(times);
  }
  await loginShown(tab);
  // Not even a reload, which forgets what was refused, leaves the log-in.
  const before = refused.length;
  await tab.reload();
  await asked(6);
  await eventually(
    async () => refused.length,
    (count) => count > before,
  );
  await loginShown(tab);
  expect(await tokenOf(tab)).toBeNull();
  expect(seen.filter((path, place) => path !== seen[place - 1])).toStrictEqual(['/sends', '/login']);
  await leave(REFUSED);
});

test('a sleeping tab that answers late is heard while the log-in is untouched', async () => {
  const { page, context, leave } = await open();
  // A busy tab stands for a sleeping one: headless Chromium delivers messages to a frozen page.
  const asleep = page.evaluate('for (const end = performance.now() + 3000; performance.now() < end; );');
  const untouched = await newTab(context, '/');
  await untouched.waitForURL('**/login');
  await loginShown(untouched);
  await asleep;
  await untouched.waitForURL(`${kaitaku.url}/`);
  await listShown(untouched);
  await leave();
});

test('20 log-outs beside 20 new tabs: each tab has a session that works, or a log-in', async () => {
  // A screen that loads little.
  const path = '/settings/notifications';
  // A member of his own: 250 calls and those of the tests before may be more than one member may make in a minute.
  const colleague = await addColleague(kaitaku, 'hurried@example.com');
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, path, undefined, colleague);
  await page.getByRole('button', { name: 'ログアウト' }).waitFor();
  const context = page.context();
  const stored = await page.evaluate<string>(`sessionStorage.getItem('kaitaku-session')`);
  const first = await tokenOf(page);
  for (let times = 0; times < 20; times += 1) {
    const login = (await clientAt(kaitaku.url + API_BASE, '').post('/auth/login', colleague)).body as {
      token: string;
    };
    const next = stored.replace(String(first), login.token);
    await page.evaluate(`sessionStorage.setItem('kaitaku-session', ${JSON.stringify(next)})`);
    await page.goto(kaitaku.url + path);
    await page.getByRole('button', { name: 'ログアウト' }).waitFor();
    const tab = await context.newPage();
    await Promise.all([tab.goto(`${kaitaku.url}/sends`), page.waitForTimeout(times * 15).then(() => logOut(page))]);
    await page.waitForURL('**/login');
    await loginShown(tab);
    await eventually(
      () => tokenOf(tab),
      (token) => token === null,
    );
    await tab.close();
  }
  await leave(REFUSED);
});

test('without an answer the log-in follows after 200 ms', async () => {
  const { page, context, leave } = await open();
  await page.close();
  const spy = await newTab(context, '/api/docs');
  const heard = await listen(spy);
  const alone = await context.newPage();
  await alone.clock.install({ time: 0 });
  await alone.clock.pauseAt(1000);
  await alone.goto(`${kaitaku.url}/sends`);
  await eventually(heard, (messages) => messages.some(({ ask }) => ask !== undefined));
  const isEmpty = () => alone.evaluate(`document.getElementById('root').childElementCount === 0`);
  await alone.clock.runFor(199);
  expect(await isEmpty()).toBe(true);
  await alone.clock.runFor(1);
  await eventually(isEmpty, (empty) => !empty);
  await alone.clock.resume();
  await loginShown(alone);
  await leave(REFUSED);
});

test('without BroadcastChannel each tab has its own log-in, as before', async () => {
  const { page, context, leave } = await open();
  const old = await context.newPage();
  await old.addInitScript('delete window.BroadcastChannel');
  await old.goto(`${kaitaku.url}/sends`);
  await logIn(old);
  await old.waitForURL('**/sends');
  await logOut(old);
  await old.waitForURL('**/login');
  await page.reload();
  await page.getByRole('button', { name: 'ログアウト' }).waitFor();
  await leave();
});

test('the frame of a mail, another port, another host and a private window get nothing', async () => {
  const { page, context, leave } = await open('/?tab=attack-list');
  const stranger = createServer((_, response) => void response.end('<!doctype html><title>x</title>'));
  await new Promise<void>((resolve) => void stranger.listen(0, '127.0.0.1', resolve));
  const otherPort = await context.newPage();
  await otherPort.goto(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`);
  const localhost = kaitaku.url.replace('127.0.0.1', 'localhost');
  const otherHost = await context.newPage();
  await otherHost.goto(`${localhost}/api/docs`);
  await page.getByRole('button', { name: 'メールを確認' }).click();
  await page.frameLocator('iframe[title="HTMLの本文"]').locator('body').waitFor();
  const frame = page.frames().find((one) => one.parentFrame() === page.mainFrame());
  if (frame === undefined) throw new Error('the preview has no frame');
  const strangers = await Promise.all([otherPort, otherHost, frame].map(listen));
  const ofOrigin = await listen(await newTab(context, '/api/docs'));
  await Promise.all([otherPort, otherHost, frame].map((one) => one.evaluate(ASK)));
  const tab = await newTab(context, '/sends');
  await tab.getByRole('button', { name: 'ログアウト' }).waitFor();
  expect(await Promise.all(strangers.map((heard) => heard()))).toStrictEqual([[], [], []]);
  // A page of the origin is heard, also one without a session.
  await eventually(ofOrigin, (messages) => messages.some(({ token }) => token !== undefined));
  const elsewhere = await context.newPage();
  await elsewhere.goto(`${localhost}/sends`);
  await loginShown(elsewhere);
  const privateWindow = await kaitaku.browser.newContext();
  const hidden = await privateWindow.newPage();
  await hidden.goto(`${kaitaku.url}/sends`);
  await loginShown(hidden);
  await privateWindow.close();
  await leave(REFUSED);
  stranger.close();
});
