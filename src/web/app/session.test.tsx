import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { deferred, type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { paste } from '#test/web/paste.ts';
import { renderApp, toastText, toastTextNow } from '#test/web/render.tsx';
import { logInAs, prospect, USER } from '#test/web/samples.ts';
import { useSenders } from '#web/features/senders/senders-state.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import { setDraft, useSession } from '#web/lib/session/session-store.ts';
// Registers the session slices of all screens: the state that a log-out restores includes them.
import '#web/app/workspace.tsx';
import '#web/app/routes/attack-list.tsx';

const LOGGED_OUT = useSession.getState();
const WRONG = 'メールアドレスまたはパスワードが違います';

const account = { 'GET /account/7': () => ok({ ...USER, email_before_confirmation: null }) };
const lists = {
  'GET /sender_group/list': () => ok([{ id: 1, group_name: '営業部' }]),
  'GET /sender/list': () => ok([{ id: 2, subject: 'ご提案', template_id: 12 }]),
  'GET /prospect/view': (): FakeAnswer | Promise<FakeAnswer> => ok({ rows: [prospect(1)], total: 1 }),
};
const logins = { 'POST /auth/login': () => ok({ token: 'token-1', account_id: USER.id }) };

async function logIn(email: string, password: string): Promise<void> {
  const user = userEvent.setup();
  if (email !== '') await paste(user, await screen.findByLabelText('メールアドレス'), email);
  if (password !== '') await paste(user, screen.getByLabelText('パスワード'), password);
  await user.click(await screen.findByRole('button', { name: 'ログイン' }));
}
const at = (router: Awaited<ReturnType<typeof renderApp>>['router']) =>
  router.state.location.pathname + router.state.location.search;

describe('a move of the data to another server', () => {
  const moving = refused(503, 'データを移行しています。しばらくしてから、もう一度開いてください。', 'account_frozen');

  it('shows a page in place of the screen, without toasts', async () => {
    logInAs();
    fakeApi({ ...account, ...lists, 'GET /prospect/view': () => moving });
    await renderApp('/');
    expect(await screen.findByText(/しばらくしてから、もう一度開いてください。/)).toBeDefined();
    expect(screen.getByRole('button', { name: 'もう一度開く' })).toBeDefined();
    expect(toastTextNow('alert')).toBe('');
  });

  it('shows a page also in a network from which the account is not used, with a log-out', async () => {
    logInAs();
    const foreign = refused(403, 'この場所からは使えません。', 'network_not_allowed');
    fakeApi({ ...account, ...lists, 'GET /prospect/view': () => foreign, 'POST /auth/logout': () => foreign });
    await renderApp('/');
    expect(await screen.findByRole('heading', { name: 'この場所からは使えません' })).toBeDefined();
    expect(toastTextNow('alert')).toBe('');
    await userEvent.click(screen.getByRole('button', { name: 'ログアウト' }));
    expect(await screen.findByRole('heading', { name: 'ログイン' })).toBeDefined();
  });

  it('shows the log-in to a user who logs out meanwhile', async () => {
    logInAs();
    fakeApi({ ...account, ...lists, 'GET /prospect/view': () => moving, 'POST /auth/logout': () => moving });
    await renderApp('/');
    await screen.findByRole('button', { name: 'もう一度開く' });
    await userEvent.click(screen.getByRole('button', { name: 'ログアウト' }));
    expect(await screen.findByRole('heading', { name: 'ログイン' })).toBeDefined();
  });

  it('redirects a member to the host of the account, with the requested path', async () => {
    const message = 'このアカウントのログインは、https://acme.example.jp で受け付けています。';
    const details = [{ path: 'url', message: 'https://acme.example.jp' }];
    fakeApi({ 'POST /auth/login': () => ({ status: 409, body: { code: 'other_host', message, details } }) });
    const assign = vi.fn();
    await renderApp('/account');
    vi.stubGlobal('location', { ...window.location, assign });
    await logIn('tanaka@example.com', 'correct horse');
    await waitFor(() => expect(assign).toHaveBeenCalledWith('https://acme.example.jp/login?from=%2Faccount'));
    expect(useSession.getState().token).toBeNull();
    // Until the browser has left, the screen names the target, and the button cannot be pressed again.
    expect(await screen.findByText(message)).toBeDefined();
    const link = screen.getByRole('link', { name: '移動しない場合はこちら' });
    expect(link.getAttribute('href')).toBe('https://acme.example.jp');
    expect(screen.getByRole('button', { name: 'ログイン' }).getAttribute('aria-disabled')).toBe('true');
  });
});

describe('logged out', () => {
  it.each([
    ['/', '/login'],
    ['/?address=%E6%9D%B1%E4%BA%AC', '/login?from=%2F%3Faddress%3D%25E6%259D%25B1%25E4%25BA%25AC'],
    ['/account', '/login?from=%2Faccount'],
    ['/no/such/page', '/login?from=%2Fno%2Fsuch%2Fpage'],
  ])('§2.5, 2.6, 6.1 %s leads to the login screen', async (address, shown) => {
    const { router } = await renderApp(address);
    expect(await screen.findByRole('heading', { name: 'ログイン' })).toBeDefined();
    expect(at(router)).toBe(shown);
    expect(screen.getByRole('link', { name: 'ログイン' })).toBeDefined();
    expect(screen.queryByRole('button', { name: 'ログアウト' })).toBeNull();
  });

  it('§2.9, 3.1, 4.4, 8.6 returns to the requested address', async () => {
    fakeApi({ ...logins, ...account, ...lists });
    const { router } = await renderApp('/?address=%E6%9D%B1%E4%BA%AC&tab=prospects');
    await logIn('tanaka@example.com', 'correct horse');
    expect(await screen.findByText('ログインしました')).toBeDefined();
    expect(at(router)).toBe('/?address=%E6%9D%B1%E4%BA%AC&tab=prospects');
    expect(await screen.findByRole('rowheader', { name: '第1商事' })).toBeDefined();
    expect(useSession.getState()).toMatchObject({ token: 'token-1', current_user: USER });
  });

  it.each([
    ['', '', 'メールアドレスを入力してください', 'メールアドレス'],
    ['   ', 'secret', 'メールアドレスを入力してください', 'メールアドレス'],
    ['a@example.com', '', 'パスワードを入力してください', 'パスワード'],
  ])('§2.8, 3.15, 4.2, 8.7 asks for the missing field (%j, %j)', async (email, password, warning, field) => {
    const requests = fakeApi({});
    await renderApp('/login');
    await logIn(email, password);
    expect(await toastText('alert')).toBe(warning);
    const input = screen.getByLabelText(field);
    expect(document.activeElement).toBe(input);
    // The toast disappears, the message at the field stays.
    expect(document.getElementById(input.getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent).toBe(
      warning,
    );
    expect(requests).toEqual([]);
  });

  it('bad-inputs 220: a password above the limit is reported at its field', async () => {
    const requests = fakeApi({});
    await renderApp('/login');
    const input = await screen.findByLabelText('パスワード');
    fireEvent.change(screen.getByLabelText('メールアドレス'), { target: { value: 'a@example.com' } });
    fireEvent.change(input, { target: { value: 'x'.repeat(10_000) } });
    fireEvent.click(screen.getByRole('button', { name: 'ログイン' }));
    expect(await toastText('alert')).toBe('パスワードは128文字までです');
    expect(screen.getByLabelText('パスワード', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(input);
    expect(requests).toEqual([]);
  });

  it("§8.3 shows the server's message, and stays", async () => {
    fakeApi({ 'POST /auth/login': () => refused(401, WRONG) });
    const { router } = await renderApp('/login?from=%2Faccount');
    await logIn('a@example.com', 'wrong');
    expect(await toastText('alert')).toBe(WRONG);
    expect(document.activeElement).toBe(screen.getByLabelText('パスワード'));
    expect(at(router)).toBe('/login?from=%2Faccount');
    expect(screen.queryByText('ログアウトしました')).toBeNull();
  });

  it('is not logged in when the account cannot be loaded', async () => {
    fakeApi({ ...logins, 'GET /account/7': () => 'network' });
    await renderApp('/login');
    await logIn('a@example.com', 'correct horse');
    expect(await toastText('alert')).not.toBe('');
    expect(useSession.getState().token).toBeNull();
  });

  it('sends one login for two clicks', async () => {
    const waiting = deferred();
    const requests = fakeApi({ 'POST /auth/login': () => waiting.answer });
    await renderApp('/login');
    await logIn('a@example.com', 'correct horse');
    await userEvent.click(screen.getByRole('button', { name: 'ログイン' }));
    await userEvent.type(screen.getByLabelText('パスワード'), '{Enter}');
    await act(async () => waiting.resolve(refused(401, WRONG)));
    expect(requests).toHaveLength(1);
  });
});

describe('logged in', () => {
  it('the main screen has the same name in navigation, title, heading and on an unknown path', async () => {
    logInAs();
    fakeApi(lists);
    const { router } = await renderApp('/');
    expect(await screen.findByRole('heading', { level: 1, name: '見込み客' })).toBeDefined();
    await waitFor(() => expect(document.title).toBe('見込み客 | Kaitaku'));
    const nav = screen.getByRole('navigation', { name: '画面の切り替え' });
    expect(within(nav).getByRole('link', { name: '見込み客' }).getAttribute('href')).toBe('/');
    await act(() => router.navigate('/no/such/page'));
    const home = await screen.findByRole('link', { name: '見込み客へ戻る' });
    expect(home.getAttribute('href')).toBe('/');
  });

  it('§2.6 shows the user, and a page of its own for an unknown path', async () => {
    logInAs();
    await renderApp('/no/such/page');
    expect(await screen.findByRole('heading', { name: 'ページが見つかりません' })).toBeDefined();
    expect(screen.getByText('田中 直樹')).toBeDefined();
    expect(screen.getByText('© 2022 Kaitaku')).toBeDefined();
  });

  it('§3.1, 4.6, 8.5, 9.13 logs out: the token is revoked, the state is released, a toast reports it', async () => {
    logInAs();
    setDraft('account.name', '書きかけ');
    useSenders.setState({ current_sender_group: 1 });
    usePaging.setState({ pagenate_count: 200, pagenate_num: 3 });
    const requests = fakeApi({ ...lists, 'POST /auth/logout': () => ok({ status: 'logged-out' }) });
    const { router } = await renderApp('/');
    await screen.findByRole('rowheader', { name: '第1商事' });
    await userEvent.click(screen.getByRole('button', { name: 'ログアウト' }));
    await userEvent.click(await screen.findByRole('button', { name: '破棄してログアウト' }));

    expect(await screen.findByText('ログアウトしました')).toBeDefined();
    expect(at(router)).toBe('/login');
    const email = await screen.findByLabelText('メールアドレス');
    await waitFor(() => expect(document.activeElement).toBe(email));
    const logout = requests.find(({ path }) => path === '/auth/logout');
    expect(logout?.headers.get('Authorization')).toBe('Bearer token-1');
    expect(useSession.getState()).toEqual(LOGGED_OUT);
    expect(LOGGED_OUT).toMatchObject({ pagenate_count: 50, pagenate_num: 1 });
    const { left_over: _inMemoryAlone, ...stored } = LOGGED_OUT;
    expect(Object.keys(sessionStorage)).toEqual(['kaitaku-session']);
    const { state } = JSON.parse(sessionStorage.getItem('kaitaku-session') ?? '') as { state: unknown };
    expect(state).toEqual(stored);
    expect(queryClient.getQueriesData({}).filter(([, data]) => data !== undefined)).toEqual([]);
    expect(queryClient.getMutationCache().getAll()).toEqual([]);
    expect(Object.keys(localStorage)).toEqual([]);
    expect(screen.queryByText('田中 直樹')).toBeNull();
  });

  it('does not carry its log-out question into the next session', async () => {
    logInAs();
    setDraft('account.name', '書きかけ');
    fakeApi({ ...logins, ...account, ...lists, 'POST /auth/logout': () => ok({ status: 'logged-out' }) });
    await renderApp('/');
    await userEvent.click(await screen.findByRole('button', { name: 'ログアウト' }));
    await userEvent.click(await screen.findByRole('button', { name: '破棄してログアウト' }));
    await logIn('tanaka@example.com', 'correct horse');
    await screen.findByRole('rowheader', { name: '第1商事' });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByRole('button', { name: 'ログアウト' })).toBeDefined();
  });

  it('logs out when the server cannot be reached', async () => {
    logInAs();
    fakeApi({ ...lists, 'POST /auth/logout': () => 'network' });
    const { router } = await renderApp('/');
    await userEvent.click(await screen.findByRole('button', { name: 'ログアウト' }));
    expect(await screen.findByText('ログアウトしました')).toBeDefined();
    expect(at(router)).toBe('/login');
  });

  it('reports the end of the session once, and continues at the same address', async () => {
    logInAs('dead');
    let alive = false;
    const guarded = (answer: FakeAnswer) => () => (alive ? answer : refused(401, 'ログインしてください'));
    fakeApi({
      ...logins,
      ...account,
      'GET /sender_group/list': guarded(ok([{ id: 1, group_name: '営業部' }])),
      'GET /sender/list': guarded(ok([])),
      'GET /prospect/view': guarded(ok({ rows: [prospect(1)], total: 1 })),
    });
    const { router } = await renderApp('/?status=sent');
    expect(await screen.findByText('ログアウトしました')).toBeDefined();
    expect(screen.getAllByText('ログアウトしました')).toHaveLength(1);
    expect(toastTextNow('alert')).toBe('');
    expect(at(router)).toBe('/login?from=%2F%3Fstatus%3Dsent');
    expect(await screen.findByText('ログインの有効期限が切れました。もう一度ログインしてください')).toBeDefined();

    alive = true;
    await logIn('tanaka@example.com', 'correct horse');
    await waitFor(() => expect(at(router)).toBe('/?status=sent'));
    expect(useSession.getState().message).toBeNull();
  });
});
