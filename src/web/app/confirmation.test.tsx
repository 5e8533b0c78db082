import { act, configure, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred, type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText, toastTextNow } from '#test/web/render.tsx';
import { logInAs, USER } from '#test/web/samples.ts';
import { useSession } from '#web/lib/session/session-store.ts';
// Registers the session slices of all screens: the state that a log-out restores includes them.
import '#web/app/workspace.tsx';
import '#web/app/routes/attack-list.tsx';

const LOGGED_OUT = useSession.getState();
const NEW = 'naoki@example.jp';
const WRONG = 'メールアドレスを確認できませんでした。URLが正しくないか、有効期限が切れています。';
const LINK = '/confirmation/secret-1';

const answers = {
  'POST /auth/confirmation_token/7/confirm': (): FakeAnswer | Promise<FakeAnswer> => ok({ status: 'confirmed' }),
  'GET /account/7': () => ok({ ...USER, email_before_confirmation: NEW }),
  'PUT /account/7': (): FakeAnswer => ok({ status: 'updated', id: 7 }),
  'POST /auth/logout': () => ok({ status: 'logged-out' }),
};

async function openLink(changed: Parameters<typeof fakeApi>[0] = {}) {
  logInAs();
  const requests = fakeApi({ ...answers, ...changed });
  return { requests, ...(await renderApp(LINK)) };
}
const callsOf = (requests: ReturnType<typeof fakeApi>) => requests.map(({ method, path }) => `${method} ${path}`);

/** Expects what every end of a session shows. */
async function expectEnd(router: Awaited<ReturnType<typeof openLink>>['router']): Promise<void> {
  expect(await screen.findByText('ログアウトしました')).toBeDefined();
  expect(screen.getAllByText('ログアウトしました')).toHaveLength(1);
  expect(useSession.getState()).toEqual(LOGGED_OUT);
  expect(router.state.location.pathname).toBe('/confirmation');
  expect(within(screen.getByRole('main')).getByRole('link', { name: 'ログイン' }).getAttribute('href')).toBe('/login');
}

describe('the mailed link', () => {
  it("changes the account's address to the pending one, and asks for a new login", async () => {
    const { requests, router } = await openLink();
    expect(await screen.findByRole('heading', { name: 'メールアドレスの変更が有効になりました' })).toBeDefined();
    expect(screen.getByText('新しいメールアドレスで、もう一度ログインしてください。')).toBeDefined();
    await expectEnd(router);
    // The server has ended all sessions itself, so the client must not send a log-out with the revoked token.
    expect(callsOf(requests)).toEqual(['POST /auth/confirmation_token/7/confirm', 'GET /account/7', 'PUT /account/7']);
    expect(requests[0]?.body).toEqual({ confirmation_token: 'secret-1' });
    expect(requests[2]?.body).toEqual({
      update_info: { email: NEW, email_before_confirmation: '', hashed_confirmation_token: '' },
    });
  });

  it('§2.30 shows a link to the login while its token is checked', async () => {
    const waiting = deferred();
    const { router } = await openLink({ 'POST /auth/confirmation_token/7/confirm': () => waiting.answer });
    expect(await screen.findByText('メールアドレスを確認しています…')).toBeDefined();
    expect(screen.getByRole('link', { name: 'ログイン' }).getAttribute('href')).toBe('/login');
    waiting.resolve(ok({ status: 'confirmed' }));
    await expectEnd(router);
  });

  it('§2.30 shows in two lines that the address is not active, and ends the session', async () => {
    const { requests, router } = await openLink({
      'POST /auth/confirmation_token/7/confirm': () => refused(400, WRONG, 'invalid_confirmation'),
    });
    expect(await screen.findByRole('heading', { name: 'メールアドレスは有効になりませんでした' })).toBeDefined();
    expect(screen.getByText('URLが正しくないか、有効期限が切れています。')).toBeDefined();
    await expectEnd(router);
    expect(toastTextNow('alert')).toBe('');
    // A forged link ends this tab alone: the other tabs of the session keep their token.
    expect(callsOf(requests)).toEqual(['POST /auth/confirmation_token/7/confirm']);
  });

  const confirmed = ok({ status: 'confirmed' });
  const spent = refused(400, WRONG, 'invalid_confirmation');
  const updated = ok({ status: 'updated', id: 7 });

  it.each<[string, FakeAnswer[], FakeAnswer[]]>([
    ['the first call does not arrive', ['network', confirmed], [updated]],
    ['the answer to the first call is lost', ['network', spent], [updated]],
    ['the last call does not arrive', [confirmed, spent], ['network', updated]],
  ])('can be retried, before the session ends, when %s', async (_, confirms, updates) => {
    const { router } = await openLink({
      'POST /auth/confirmation_token/7/confirm': () => confirms.shift() ?? spent,
      'PUT /account/7': () => updates.shift() ?? spent,
    });
    expect(await screen.findByText('メールアドレスを確認できませんでした')).toBeDefined();
    expect(screen.getByText(/^サーバーに接続できませんでした/)).toBeDefined();
    expect(useSession.getState().token).toBe('token-1');
    expect(router.state.location.pathname).toBe(LINK);
    await userEvent.click(screen.getByRole('button', { name: 'もう一度確認' }));
    expect(await screen.findByText('メールアドレスの変更が有効になりました')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'もう一度確認' })).toBeNull();
    await expectEnd(router);
  });

  const unauthorized = refused(401, 'ログインしてください');

  it.each([
    ['the bell', 'GET /notice/unread'],
    ['the stream of runs', 'GET /send_log/events'],
    ['the strip', 'GET /legal_profile/list'],
  ])('shows its outcome though the server refuses %s before its own call is answered', async (_, question) => {
    const changing = deferred();
    const refusing = deferred();
    const { requests, router } = await openLink({
      'PUT /account/7': () => changing.answer,
      [question]: () => refusing.answer,
    });
    await waitFor(() => expect(callsOf(requests)).toEqual(expect.arrayContaining(['PUT /account/7', question])));
    await act(async () => refusing.resolve(unauthorized));
    expect(router.state.location.pathname).toBe(LINK);
    changing.resolve(updated);
    expect(await screen.findByText('メールアドレスの変更が有効になりました')).toBeDefined();
    await expectEnd(router);
  });

  it('leads to the login once its outcome is unknown, if a request of another part was refused', async () => {
    const changing = deferred();
    const { router, requests } = await openLink({
      'PUT /account/7': () => changing.answer,
      'GET /notice/unread': () => unauthorized,
    });
    await waitFor(() => expect(callsOf(requests)).toContain('PUT /account/7'));
    changing.resolve('network');
    await screen.findByText('ログインの有効期限が切れました。もう一度ログインしてください');
    expect(router.state.location.search).toBe('?from=%2Fconfirmation%2Fsecret-1');
  });

  it('shows the message of the server when the address could not be changed', async () => {
    const message = 'このメールアドレスはほかのアカウントで使われているため、変更できません。';
    const { router } = await openLink({ 'PUT /account/7': () => refused(409, message) });
    expect(`${await toastText('alert')}。`).toBe(message);
    expect(screen.getByText(message)).toBeDefined();
    expect(screen.getByText('メールアドレスを変更できませんでした')).toBeDefined();
    await expectEnd(router);
  });

  it('sends its token once although effects run twice', async () => {
    configure({ reactStrictMode: true });
    onTestFinished(() => configure({ reactStrictMode: false }));
    const { requests } = await openLink();
    await screen.findByText('メールアドレスの変更が有効になりました');
    expect(callsOf(requests).filter((call) => call.endsWith('/confirm'))).toHaveLength(1);
  });

  it('waits for a visitor to log in, and removes its token from the history', async () => {
    fakeApi({ ...answers, 'POST /auth/login': () => ok({ token: 'token-1', account_id: 7 }) });
    const { router, goBack } = await renderApp(LINK);
    const user = userEvent.setup();
    await user.type(await screen.findByLabelText('メールアドレス'), USER.email);
    await user.type(screen.getByLabelText('パスワード'), 'secret');
    await user.click(screen.getByRole('button', { name: 'ログイン' }));
    expect(await screen.findByText('メールアドレスの変更が有効になりました')).toBeDefined();
    await expectEnd(router);
    // The guard redirects to the history entry's address, from which the token was removed.
    await goBack();
    expect(router.state.location).toMatchObject({ pathname: '/login', search: '?from=%2Fconfirmation' });
  });

  it('leads to the login and back when the session had expired', async () => {
    let alive = false;
    const { router } = await openLink({
      'POST /auth/confirmation_token/7/confirm': () =>
        alive ? ok({ status: 'confirmed' }) : refused(401, 'ログインしてください'),
    });
    await screen.findByText('ログインの有効期限が切れました。もう一度ログインしてください');
    expect(router.state.location.search).toBe('?from=%2Fconfirmation%2Fsecret-1');
    alive = true;
    logInAs('token-2');
    await router.navigate(LINK);
    expect(await screen.findByText('メールアドレスの変更が有効になりました')).toBeDefined();
  });

  it('shows nothing without its token', async () => {
    logInAs();
    fakeApi({ 'GET /sender_group/list': () => ok([]) });
    const { router } = await renderApp('/confirmation');
    await waitFor(() => expect(router.state.location.pathname).toBe('/'));
  });
});
