import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { paste } from '#test/web/paste.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { useSession } from '#web/lib/session/session-store.ts';

const LINK = '/setup/secret-1';
const PASSWORD = '朝の電車と青い傘と白い犬';
const MADE = '最初のアカウントは、もう作られています。ログインしてください';

const answers = {
  'POST /setup/check': (): FakeAnswer => ok({ status: 'open' }),
  'POST /setup': (): FakeAnswer => ok({ status: 'created', account_id: 7, email: USER.email }),
  'POST /auth/login': (): FakeAnswer => ok({ token: 'token-1', account_id: 7 }),
  'GET /account/7': () => ok({ ...USER, email_before_confirmation: null }),
  'GET /sender_group/list': () => ok([]),
};

const submit = () => userEvent.click(screen.getByRole('button', { name: 'アカウントを作成' }));

async function fill(): Promise<void> {
  const user = userEvent.setup();
  const texts = { 会社名: '株式会社花', 氏名: '山田 花子', メールアドレス: USER.email };
  for (const [label, text] of Object.entries(texts)) await paste(user, await screen.findByLabelText(label), text);
  await paste(user, screen.getByLabelText('パスワード'), PASSWORD);
  await paste(user, screen.getByLabelText('パスワード（確認）'), PASSWORD);
}

it('creates the first account and logs in', async () => {
  const requests = fakeApi(answers);
  const { router } = await renderApp(LINK);
  await fill();
  expect(requests.map(({ path }) => path)).toEqual(['/setup/check']);
  await submit();
  expect(await toastText('status')).toBe('アカウントを作成しました');
  expect(requests[1]?.body).toEqual({
    key: 'secret-1',
    company: '株式会社花',
    name: '山田 花子',
    email: USER.email,
    new_password: PASSWORD,
    new_password_confirmation: PASSWORD,
  });
  await waitFor(() => expect(router.state.location.pathname).toBe('/'));
  expect(useSession.getState().token).toBe('token-1');
});

it('logs in with the address in the form that the server stored', async () => {
  const requests = fakeApi(answers);
  await renderApp(LINK);
  await fill();
  await userEvent.clear(screen.getByLabelText('メールアドレス'));
  await userEvent.type(screen.getByLabelText('メールアドレス'), 'ｔａｎａｋａ＠example.com');
  await submit();
  await waitFor(() =>
    expect(requests.find(({ path }) => path === '/auth/login')?.body).toMatchObject({ email: USER.email }),
  );
});

it('names every missing field, and focuses the first', async () => {
  fakeApi(answers);
  await renderApp(LINK);
  await screen.findByLabelText('会社名');
  await submit();
  for (const label of ['会社名', '氏名', 'メールアドレス', 'パスワード'])
    expect(await screen.findByText(`${label}を入力してください`)).toBeDefined();
  expect(document.activeElement).toBe(screen.getByLabelText('会社名'));
});

it.each([
  ['the check', { 'POST /setup/check': () => refused(404, `${MADE}。`, 'not_found') }],
  ['the form', { 'POST /setup': () => refused(404, `${MADE}。`, 'not_found') }],
])('says by %s that there is an account, and leads to the login', async (when, changed) => {
  fakeApi({ ...answers, ...changed });
  await renderApp(LINK);
  if (when === 'the form') {
    await fill();
    await submit();
  }
  expect(await screen.findByText(MADE)).toBeDefined();
  expect(within(screen.getByRole('main')).getByRole('link', { name: 'ログイン画面に戻る' })).toBeDefined();
  expect(screen.queryByLabelText('会社名')).toBeNull();
});

it('checks again after a failed connection', async () => {
  const checks: FakeAnswer[] = ['network', ok({ status: 'open' })];
  fakeApi({ ...answers, 'POST /setup/check': () => checks.shift() ?? 'network' });
  await renderApp(LINK);
  await userEvent.click(await screen.findByRole('button', { name: 'もう一度確認' }));
  expect(await screen.findByLabelText('会社名')).toBeDefined();
});

it('shows the login if logging in to the new account fails', async () => {
  fakeApi({ ...answers, 'POST /auth/login': () => refused(503, 'ログインが混み合っています。', 'busy') });
  const { router } = await renderApp(LINK);
  await fill();
  await submit();
  expect(await toastText('alert')).toBe('ログインが混み合っています');
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
});
