import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { paste } from '#test/web/paste.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { useSession } from '#web/lib/session/session-store.ts';

const NEEDED = refused(401, '認証アプリの6桁の数字を入力してください', 'code_needed');
const WRONG = refused(401, '数字が違います。認証アプリの6桁の数字を入力してください', 'wrong_code');
const WAIT = refused(
  429,
  '数字の間違いが続いたため、しばらくお待ちいただいています。8秒後に、もう一度お試しください。',
  'too_many_codes',
);
const IN = ok({ token: 'token-1', account_id: USER.id });

const user = userEvent.setup();

/** Opens the log-in, and logs in as a member with a second step. @param answers those after the first, in order */
async function open(answers: FakeAnswer[], address = '/login?from=%2Faccount') {
  const bodies: Record<string, unknown>[] = [];
  const left = [NEEDED, ...answers];
  fakeApi({
    'POST /auth/login': ({ body }) => {
      bodies.push(body as Record<string, unknown>);
      return left.shift() ?? NEEDED;
    },
    'GET /account/7': () => ok({ ...USER, email_before_confirmation: null, version: 'v1' }),
  });
  const app = await renderApp(address);
  await paste(user, await screen.findByLabelText('メールアドレス'), USER.email);
  await paste(user, screen.getByLabelText('パスワード'), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'ログイン' }));
  await screen.findByLabelText('認証コード');
  return { ...app, bodies };
}
async function enter(code: string, field = '認証コード'): Promise<void> {
  await user.clear(screen.getByLabelText(field));
  await user.type(screen.getByLabelText(field), code);
  await user.click(screen.getByRole('button', { name: 'ログイン' }));
}
const described = (field: HTMLElement): string =>
  (field.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ');

describe('the second view of the log-in', () => {
  it('asks for a code alone, sends it with the kept password and the device, and leads to the requested screen', async () => {
    const { bodies, router, goBack } = await open([IN]);
    const field = screen.getByLabelText('認証コード');
    expect(document.activeElement).toBe(field);
    expect([field.getAttribute('inputmode'), field.getAttribute('autocomplete')]).toEqual(['numeric', 'one-time-code']);
    expect(screen.queryByLabelText('パスワード')).toBeNull();
    expect(screen.queryByRole('link', { name: 'パスワードをお忘れですか？' })).toBeNull();
    await user.click(screen.getByLabelText('この端末では30日間省略する'));
    await enter('123 456');
    expect(await screen.findByRole('heading', { name: 'プロフィール' })).toBeDefined();
    const device = expect.stringMatching(/^[\w-]{43}$/);
    const first = { email: USER.email, password: 'correct horse', device };
    expect(bodies).toEqual([first, { ...first, code: '123 456', trust: 1 }]);
    expect(bodies[0]?.device).toBe(bodies[1]?.device);
    expect(router.state.location.pathname).toBe('/account');
    // The log-in is in the history no more.
    await goBack();
    expect(router.state.location.pathname).toBe('/account');
    const stored = JSON.stringify([...Object.entries(sessionStorage), ...Object.entries(localStorage)]);
    expect(stored).not.toContain('correct horse');
  });

  it.each([
    ['its own button', async () => user.click(screen.getByRole('button', { name: '戻る' }))],
    ['the back button of the browser', async (goBack: () => Promise<void>) => goBack()],
  ])('leads back to the first view by %s, with what was typed', async (_, back) => {
    const { goBack, router } = await open([NEEDED, IN]);
    await back(goBack);
    const password = await screen.findByLabelText('パスワード');
    expect(password).toHaveProperty('value', 'correct horse');
    expect(screen.getByLabelText('メールアドレス')).toHaveProperty('value', USER.email);
    await waitFor(() => expect(document.activeElement).toBe(password));
    expect(router.state.location.search).toBe('?from=%2Faccount');
    await user.click(screen.getByRole('button', { name: 'ログイン' }));
    await screen.findByLabelText('認証コード');
    await enter('123456');
    expect(await screen.findByRole('heading', { name: 'プロフィール' })).toBeDefined();
  });

  it('says what is wrong at the field, and after three wrong codes that the clock may be', async () => {
    const { bodies } = await open([WRONG, WRONG, WRONG, WAIT, IN]);
    await user.click(screen.getByRole('button', { name: 'ログイン' }));
    expect(described(screen.getByLabelText('認証コード'))).toContain('認証アプリの6桁の数字を入力してください');
    expect(bodies).toHaveLength(1);
    const clock = 'スマートフォンの時刻が合っているか確かめてください。';
    for (const misses of [1, 2, 3]) {
      await enter('000000');
      await waitFor(() => expect(described(screen.getByLabelText('認証コード'))).toContain('数字が違います'));
      await waitFor(() => expect(screen.queryByText(clock) !== null).toBe(misses === 3));
    }
    await enter('000000');
    await waitFor(() => expect(described(screen.getByLabelText('認証コード'))).toContain('8秒後に'));
    expect(useSession.getState().token).toBeNull();
    await enter('123456');
    await waitFor(() => expect(useSession.getState().token).toBe('token-1'));
  });

  it('takes a recovery code, whose field takes letters, and says who helps without one', async () => {
    const { bodies } = await open([IN]);
    await user.click(screen.getByText('認証アプリを使えないとき'));
    expect(screen.getByText(/管理者に二段階認証の解除を依頼/)).toBeDefined();
    await user.click(screen.getByRole('button', { name: '復旧コードを入力' }));
    const field = screen.getByLabelText('復旧コード');
    expect(document.activeElement).toBe(field);
    expect(field.getAttribute('inputmode')).toBe('text');
    await enter('abcd-efgh-ijkl-mnop', '復旧コード');
    await waitFor(() => expect(useSession.getState().token).toBe('token-1'));
    expect(bodies[1]).toMatchObject({ code: 'abcd-efgh-ijkl-mnop', trust: 0 });
  });

  it('asks for the password again where it has changed meanwhile', async () => {
    await open([refused(401, 'メールアドレスまたはパスワードが違います', 'wrong_credentials')]);
    await enter('123456');
    expect(await toastText('alert')).toBe('メールアドレスまたはパスワードが違います');
    const password = await screen.findByLabelText('パスワード');
    await waitFor(() => expect(document.activeElement).toBe(password));
  });

  it('stays, and can be pressed again, where the server does not answer', async () => {
    await open(['network', IN]);
    await enter('123456');
    expect(await toastText('alert')).toContain('サーバーに接続できませんでした');
    await user.click(screen.getByRole('button', { name: 'ログイン' }));
    await waitFor(() => expect(useSession.getState().token).toBe('token-1'));
  });

  it('is no entry of the history that works after a reload', async () => {
    const { unmount, router } = await open([]);
    const { pathname, search } = router.state.location;
    unmount();
    await act(async () => undefined);
    await renderApp(pathname + search);
    expect(await screen.findByLabelText('メールアドレス')).toHaveProperty('value', '');
  });
});

it.each([
  [403, 'network_not_allowed', 'この場所からは使えません。許可されたネットワークから開いてください'],
  [409, 'use_company_log_in', 'パスワードではログインできません。「会社のIDでログイン」を使ってください'],
])('the first view shows the text of %i %s as it is', async (status, code, message) => {
  fakeApi({ 'POST /auth/login': () => refused(status, `${message}。`, code) });
  await renderApp('/login');
  await paste(user, await screen.findByLabelText('メールアドレス'), USER.email);
  await paste(user, screen.getByLabelText('パスワード'), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'ログイン' }));
  expect(await toastText('alert')).toBe(message);
  expect(screen.getByLabelText('パスワード')).toHaveProperty('value', 'correct horse');
});
