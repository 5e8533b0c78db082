import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { paste } from '#test/web/paste.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { useSession } from '#web/lib/session/session-store.ts';

const LINK = '/password-reset/secret-1';
const NEW = '夜の灯台と三匹の黒い子猫';
const DEAD = 'このリンクは使えません。もう一度、再設定のメールを送ってください';

const main = () => within(screen.getByRole('main'));
const button = (name: string) => main().getByRole('button', { name });

async function setPassword(first = NEW, second = first): Promise<void> {
  const user = userEvent.setup();
  await paste(user, await screen.findByLabelText('新しいパスワード'), first);
  await paste(user, screen.getByLabelText('新しいパスワード（確認）'), second);
  await user.click(button('新しいパスワードを設定'));
}

const confirmWith = (answer: () => FakeAnswer) => fakeApi({ 'POST /auth/password_reset/confirm': answer });

describe('a forgotten password', () => {
  it('sends from the login to a mail, with the same answer for every address', async () => {
    const requests = fakeApi({ 'POST /auth/password_reset': () => ok({ status: 'accepted' }) });
    await renderApp('/login');
    const user = userEvent.setup();
    await user.click(await screen.findByRole('link', { name: 'パスワードをお忘れですか？' }));
    await screen.findByRole('heading', { name: 'パスワードの再設定' });
    const email = await screen.findByLabelText('メールアドレス');
    expect(document.activeElement).toBe(email);
    await user.click(button('再設定のメールを送る'));
    expect(await screen.findByText('メールアドレスを入力してください')).toBeDefined();
    await user.type(email, ' tanaka@example.com ');
    await user.click(button('再設定のメールを送る'));
    const accepted = '登録のあるアドレスなら、再設定のメールが届きます。60分以内にリンクを開いてください。';
    expect(await screen.findByText(accepted)).toBeDefined();
    expect(requests).toMatchObject([{ body: { email: 'tanaka@example.com' } }]);
    expect(requests[0]?.headers.has('Authorization')).toBe(false);
    await user.click(button('もう一度送る'));
    expect((await screen.findByLabelText<HTMLInputElement>('メールアドレス')).value).toBe('tanaka@example.com');
  });

  it('keeps the typed address when too many mails were requested', async () => {
    const message =
      '再設定のメールの送信回数が上限に達しました。届いたメールを確認するか、60分後に、もう一度お試しください。';
    fakeApi({ 'POST /auth/password_reset': () => refused(429, message, 'too_many_mails') });
    await renderApp('/password-reset');
    await userEvent.type(await screen.findByLabelText('メールアドレス'), 'tanaka@example.com');
    await userEvent.click(button('再設定のメールを送る'));
    expect(`${await toastText('alert')}。`).toBe(message);
    expect(screen.getByLabelText<HTMLInputElement>('メールアドレス').value).toBe('tanaka@example.com');
  });
});

describe('the mailed link', () => {
  it('sends nothing before its form is submitted, then shows the login without the key in the address', async () => {
    const requests = confirmWith(() => ok({ status: 'updated' }));
    const { router, goBack } = await renderApp(LINK);
    await screen.findByLabelText('新しいパスワード');
    expect(requests).toEqual([]);
    await setPassword();
    expect(await toastText('status')).toBe('新しいパスワードを設定しました。ログインしてください');
    expect(requests).toMatchObject([{ body: { key: 'secret-1', new_password: NEW, new_password_confirmation: NEW } }]);
    expect(router.state.location.pathname).toBe('/login');
    await goBack();
    expect(router.state.location.pathname).toBe('/login');
  });

  it('ends the session of this tab', async () => {
    logInAs();
    confirmWith(() => ok({ status: 'updated' }));
    await renderApp(LINK);
    await setPassword();
    expect(await screen.findByRole('heading', { name: 'ログイン' })).toBeDefined();
    expect(useSession.getState().token).toBeNull();
  });

  it('that is invalid offers a new mail, in one message', async () => {
    confirmWith(() => refused(400, `${DEAD}。`, 'invalid_key'));
    const { router } = await renderApp(LINK);
    await setPassword();
    expect(await screen.findByText(DEAD)).toBeDefined();
    expect(screen.getByLabelText('メールアドレス')).toBeDefined();
    expect(router.state.location.pathname).toBe('/password-reset');
  });

  it('keeps the typed password if it is refused, with the reason at its field', async () => {
    const message = '推測されやすいパスワードです';
    const requests = confirmWith(() => ({
      status: 400,
      body: { message, code: 'invalid_password', details: [{ path: 'new_password', message }] },
    }));
    await renderApp(LINK);
    await setPassword(NEW, 'other');
    expect(await screen.findByText('新規パスワードと確認用のパスワードが違います')).toBeDefined();
    expect(document.activeElement).toBe(screen.getByLabelText('新しいパスワード（確認）'));
    expect(requests).toEqual([]);
    await userEvent.clear(screen.getByLabelText('新しいパスワード（確認）'));
    await userEvent.type(screen.getByLabelText('新しいパスワード（確認）'), NEW);
    await userEvent.click(button('新しいパスワードを設定'));
    expect(await screen.findByText(message)).toBeDefined();
    const field = screen.getByLabelText<HTMLInputElement>('新しいパスワード');
    expect([document.activeElement, field.value]).toEqual([field, NEW]);
  });
});
