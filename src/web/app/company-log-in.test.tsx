import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastTextNow } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { startSession, useSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/attack-list.tsx';
import '#web/app/routes/visitors/oauth-callback.tsx';
import '#web/features/company-log-in/company-button.tsx';

const KEY = 'k'.repeat(22);
const FAILED = '会社のIDでログインできませんでした。ログイン画面から、もう一度お試しください';
const RETURN = '/oauth/callback?code=the-code&state=the-state&iss=https%3A%2F%2Fidp.example';

let requests: FakeRequest[];
let provider: string | null;
let company: string | null;
let finish: () => ReturnType<typeof ok>;
const assign = vi.fn();
const user = userEvent.setup();

beforeEach(() => {
  provider = 'google';
  company = null;
  assign.mockReset();
  finish = () => ok({ token: 't'.repeat(43), account_id: USER.id, member: { id: 1, role: 'admin' } });
  requests = fakeApi({
    'POST /auth/oidc/check': () => ok({ provider, company }),
    'POST /auth/oidc/start': () => ok({ url: 'https://idp.example/authorize' }),
    'POST /auth/oidc/finish': () => finish(),
    [`GET /account/${USER.id}`]: () => ok({ ...USER, version: 'v' }),
    'GET /sender_group/list': () => ok([]),
    'GET /sender/list': () => ok([]),
    'GET /prospect/view': () => ok({ rows: [], total: 0 }),
  });
});

const bodies = (path: string) => requests.filter((request) => request.path === path).map(({ body }) => body);
/** Renders the log-in, whose departures are noted. */
async function logInAt(address: string) {
  const app = await renderApp(address);
  vi.stubGlobal('location', { ...window.location, assign });
  return app;
}
const begin = (search = '') =>
  sessionStorage.setItem('kaitaku-company-log-in', JSON.stringify({ browser: 'b'.repeat(43), search, key: KEY }));

describe('the log-in', () => {
  it.each([
    ['google', 'Googleでログイン'],
    ['microsoft', 'Microsoftでログイン'],
    ['other', '会社のIDでログイン'],
  ])('has the button of %s, and leaves with a value of this tab alone', async (name, label) => {
    provider = name;
    await logInAt(`/login?c=${KEY}`);
    await user.click(await screen.findByRole('button', { name: label }));
    await waitFor(() => expect(assign).toHaveBeenCalledWith('https://idp.example/authorize'));
    expect(bodies('/auth/oidc/check')).toEqual([{ key: KEY }]);
    const [body] = bodies('/auth/oidc/start') as { browser: string }[];
    expect(body).toEqual({ key: KEY, browser: expect.stringMatching(/^[\w-]{43}$/) });
    expect(sessionStorage.getItem('kaitaku-company-log-in')).toContain(body?.browser);
  });

  it('has none where the host names no such account, and keeps the form', async () => {
    provider = null;
    await logInAt('/login');
    await waitFor(() => expect(bodies('/auth/oidc/check')).toEqual([{}]));
    expect(screen.queryByRole('button', { name: /でログイン$/ })).toBeNull();
    expect(screen.getByRole('button', { name: 'ログイン' })).toBeTruthy();
  });

  it('knows the account by the link of this browser’s last log-in', async () => {
    localStorage.setItem('kaitaku-company-key', KEY);
    await logInAt('/login');
    await screen.findByRole('button', { name: 'Googleでログイン' });
    expect(bodies('/auth/oidc/check')).toEqual([{ key: KEY }]);
  });

  it.each([
    ['株式会社春風商事', 'Googleでログイン（株式会社春風商事）'],
    ['<b>悪い会社</b>', 'Googleでログイン（<b>悪い会社</b>）'],
    ['𠮷'.repeat(21), `Googleでログイン（${'𠮷'.repeat(20)}…）`],
  ])('names the company of the link: %s', async (name, label) => {
    company = name;
    await logInAt(`/login?c=${KEY}`);
    expect((await screen.findByRole('button', { name: /Google/ })).textContent).toBe(label);
  });

  it('by another link counts for this page, and does not replace the kept one yet', async () => {
    localStorage.setItem('kaitaku-company-key', KEY);
    const other = 'o'.repeat(22);
    await logInAt(`/login?c=${other}`);
    await user.click(await screen.findByRole('button', { name: 'Googleでログイン' }));
    await waitFor(() => expect(assign).toHaveBeenCalled());
    expect(bodies('/auth/oidc/start')).toMatchObject([{ key: other }]);
    expect(localStorage.getItem('kaitaku-company-key')).toBe(KEY);
  });

  it('goes to the account’s own host', async () => {
    const there = `https://haru.kaitaku.example/login?c=${KEY}`;
    requests = fakeApi({
      'POST /auth/oidc/check': () => ok({ provider, company }),
      'POST /auth/oidc/start': () => ({
        status: 409,
        body: { code: 'other_host', message: '別のホストです。', details: [{ path: 'url', message: there }] },
      }),
    });
    await logInAt(`/login?c=${KEY}`);
    await user.click(await screen.findByRole('button', { name: 'Googleでログイン' }));
    await waitFor(() => expect(assign).toHaveBeenCalledWith(there));
  });

  it('says where the browser stores nothing', async () => {
    await logInAt(`/login?c=${KEY}`);
    const button = await screen.findByRole('button', { name: 'Googleでログイン' });
    const stored = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new Error('refused');
    });
    await user.click(button);
    await waitFor(() => expect(toastTextNow('alert')).toMatch(/サイトのデータの保存を許可して/));
    stored.mockRestore();
    expect(bodies('/auth/oidc/start')).toEqual([]);
  });
});

describe('the way back', () => {
  it('takes code and state out of the address, opens a session and leads back', async () => {
    begin('?from=%2F%3Fpage%3D2');
    const { router } = await renderApp(RETURN);
    await waitFor(() => expect(useSession.getState().token).toBe('t'.repeat(43)));
    expect(bodies('/auth/oidc/finish')).toEqual([
      { code: 'the-code', state: 'the-state', iss: 'https://idp.example', browser: 'b'.repeat(43) },
    ]);
    await waitFor(() => expect(router.state.location.search).toBe('?page=2'));
    expect(localStorage.getItem('kaitaku-company-key')).toBe(KEY);
    expect(sessionStorage.getItem('kaitaku-company-log-in')).toBeNull();
  });

  it.each([
    ['another tab began it', RETURN, false],
    ['the provider refused', '/oauth/callback?error=access_denied&error_description=%3Cb%3Eevil&state=s', true],
    ['nothing came back', '/oauth/callback', true],
  ])('asks the server nothing where %s', async (_, address, isBegun) => {
    if (isBegun) begin();
    const { router } = await renderApp(address);
    await screen.findByText(FAILED);
    expect(bodies('/auth/oidc/finish')).toEqual([]);
    expect(router.state.location.search).toBe('');
    expect(document.body.textContent).not.toContain('evil');
    expect(screen.getByRole('link', { name: 'ログイン画面に戻る' }).getAttribute('href')).toBe('/login');
  });

  it('shows the server’s refusal, and keeps the link of the last log-in', async () => {
    begin();
    localStorage.setItem('kaitaku-company-key', 'o'.repeat(22));
    finish = () => refused(400, 'この会社のIDに合うメンバーがいません。', 'no_member');
    await renderApp(RETURN);
    await screen.findByText('この会社のIDに合うメンバーがいません');
    expect(useSession.getState().token).toBeNull();
    expect(localStorage.getItem('kaitaku-company-key')).toBe('o'.repeat(22));
  });

  it('of a busy server tries once more on request', async () => {
    begin();
    const opened = finish;
    finish = () => refused(503, '混み合っています。', 'busy');
    await renderApp(RETURN);
    const again = await screen.findByRole('button', { name: 'もう一度' });
    finish = opened;
    await user.click(again);
    await waitFor(() => expect(useSession.getState().token).toBe('t'.repeat(43)));
  });

  it('opened again by the back button, with a session, leads to the first screen', async () => {
    startSession('token-1', USER);
    const { router } = await renderApp(RETURN);
    await waitFor(() => expect(router.state.location.pathname).toBe('/'));
    expect(bodies('/auth/oidc/finish')).toEqual([]);
  });
});
