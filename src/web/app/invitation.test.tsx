import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { paste } from '#test/web/paste.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { useSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import './routes/visitors/invitation.tsx';
import './routes/visitors/login.tsx';

const LINK = '/invitation/secret-1';
const PASSWORD = '朝の電車と青い傘と白い犬';
const DEAD = 'このリンクは使えません。招待した方に、もう一度招待を送るよう依頼してください';
const INVITED = { company: '株式会社花', email: 'mori@example.jp', role: 'sales', invited_by: '田中 直樹' };

const answers = {
  'POST /invitation/check': (): FakeAnswer => ok(INVITED),
  'POST /invitation/accept': (): FakeAnswer => ok({ status: 'accepted' }),
};

const submit = () => userEvent.click(screen.getByRole('button', { name: 'はじめる' }));

async function fill(name = '森 さくら', again = PASSWORD): Promise<void> {
  const user = userEvent.setup();
  await paste(user, await screen.findByLabelText('氏名'), name);
  await paste(user, screen.getByLabelText('新しいパスワード'), PASSWORD);
  await paste(user, screen.getByLabelText('新しいパスワード（確認）'), again);
}

it('says who invites, takes the key out of the address at once, and leads to the log-in with the address', async () => {
  const requests = fakeApi(answers);
  const { router, goBack } = await renderApp(LINK);
  expect(await screen.findByRole('heading', { name: '株式会社花からの招待' })).toBeDefined();
  expect(screen.getByText(/^田中 直樹さんが、あなたを「営業」として招待しました。/).textContent).toContain(
    INVITED.email,
  );
  expect(router.state.location.pathname).toBe('/invitation');
  await fill();
  await submit();
  expect(await toastText('status')).toBe('メンバーになりました。ログインしてください');
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  expect(requests.map(({ path }) => path)).toEqual(['/invitation/check', '/invitation/accept']);
  expect(requests.map(({ body }) => body)).toEqual([
    { key: 'secret-1' },
    { key: 'secret-1', name: '森 さくら', new_password: PASSWORD, new_password_confirmation: PASSWORD },
  ]);
  expect((await screen.findByLabelText<HTMLInputElement>('メールアドレス')).value).toBe(INVITED.email);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('パスワード')));
  await goBack();
  expect(router.state.location.pathname).not.toContain('secret-1');
});

it('forgets the address once the log-in has been left', async () => {
  fakeApi(answers);
  const { router } = await renderApp(LINK);
  await fill();
  await submit();
  await waitFor(() => expect(screen.queryByLabelText('メールアドレス')).not.toBeNull());
  await act(() => router.navigate('/password-reset'));
  await act(() => router.navigate('/login'));
  expect((await screen.findByLabelText<HTMLInputElement>('メールアドレス')).value).toBe('');
});

it('works beside the log-in of somebody else, and does not use or end it', async () => {
  logInAs('token-of-another');
  const requests = fakeApi(answers);
  await renderApp(LINK);
  await fill();
  await submit();
  await waitFor(() => expect(requests).toHaveLength(2));
  expect(requests.map(({ headers }) => headers.get('Authorization'))).toEqual([null, null]);
  expect(useSession.getState().token).toBe('token-of-another');
});

it('names every missing field, and focuses the first', async () => {
  const requests = fakeApi(answers);
  await renderApp(LINK);
  await screen.findByLabelText('氏名');
  await submit();
  expect(await screen.findByText('氏名を入力してください')).toBeDefined();
  expect(screen.getByText('パスワードを入力してください')).toBeDefined();
  expect(document.activeElement).toBe(screen.getByLabelText('氏名'));
  expect(requests).toHaveLength(1);
});

it('keeps what was typed when the server refuses it, at its field or as a message', async () => {
  const refusals: FakeAnswer[] = [
    {
      status: 400,
      body: {
        code: 'invalid_password',
        message: '入力に誤りがあります。',
        details: [{ path: 'new_password', message: 'よく使われるパスワードです' }],
      },
    },
    refused(409, 'このメールアドレスは、すでにKaitakuの別のアカウントで使われています。', 'address_in_use'),
  ];
  fakeApi({ ...answers, 'POST /invitation/accept': () => refusals.shift() ?? 'network' });
  await renderApp(LINK);
  await fill();
  await submit();
  expect(await screen.findByText('よく使われるパスワードです')).toBeDefined();
  await submit();
  expect(await toastText('alert')).toBe('このメールアドレスは、すでにKaitakuの別のアカウントで使われています');
  expect(screen.getByLabelText<HTMLInputElement>('氏名').value).toBe('森 さくら');
});

it.each([
  ['the check', { 'POST /invitation/check': () => refused(400, `${DEAD}。`, 'invalid_key') }],
  [
    'a key that is too long',
    { 'POST /invitation/check': () => refused(400, '入力に誤りがあります。', 'invalid_input') },
  ],
  ['the form', { 'POST /invitation/accept': () => refused(400, `${DEAD}。`, 'invalid_key') }],
])('says by %s that a link is dead, and whom to ask', async (when, changed) => {
  fakeApi({ ...answers, ...changed });
  await renderApp(LINK);
  if (when === 'the form') {
    await fill();
    await submit();
  }
  expect(await screen.findByText(DEAD)).toBeDefined();
  expect(within(screen.getByRole('main')).getByRole('link', { name: 'ログイン画面に戻る' })).toBeDefined();
  expect(screen.queryByLabelText('氏名')).toBeNull();
});

it('checks again after a failed connection, and asks to open the link again without a key', async () => {
  const checks: FakeAnswer[] = ['network', ok(INVITED)];
  const requests = fakeApi({ ...answers, 'POST /invitation/check': () => checks.shift() ?? 'network' });
  const { unmount } = await renderApp(LINK);
  await userEvent.click(await screen.findByRole('button', { name: 'もう一度確認' }));
  expect(await screen.findByLabelText('氏名')).toBeDefined();
  unmount();
  await renderApp('/invitation');
  expect(await screen.findByText(/^このページは、招待のメールのリンクから開きます/)).toBeDefined();
  expect(requests).toHaveLength(2);
});
