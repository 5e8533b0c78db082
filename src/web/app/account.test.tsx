import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { deferred, type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { paste } from '#test/web/paste.ts';
import { renderApp, showsTheirChanges, toastText, toastTextNow } from '#test/web/render.tsx';
import { logInAs, USER } from '#test/web/samples.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import { setDraft, useSession } from '#web/lib/session/session-store.ts';

const NEW = 'naoki@example.jp';
const SENT = '確認メールが送信されました。メールを確認してください';

/** Starts a fake server that stores changes. */
function accountServer(handlers: Parameters<typeof fakeApi>[0] = {}) {
  const account: Record<string, unknown> = { ...USER, email_before_confirmation: null, version: 'v1' };
  const requests = fakeApi({
    'GET /account/7': () => ok({ ...account }),
    'PUT /account/7': ({ body }) => {
      Object.assign(account, (body as { update_info: object }).update_info);
      return ok({ status: 'updated', id: 7 });
    },
    'PUT /auth/confirmation_token/7': () => ok({ confirmation_token: 'ticket-1' }),
    'POST /mail/send/confirmation/7': () => ok({ status: 'sent' }),
    ...handlers,
  });
  return { account, changes: () => requests.filter(({ method }) => method !== 'GET') };
}

async function openAccount(handlers?: Parameters<typeof fakeApi>[0]) {
  logInAs();
  const server = accountServer(handlers);
  const view = await renderApp('/account');
  await screen.findByRole('heading', { name: 'プロフィール' });
  return { ...server, ...view, user: userEvent.setup() };
}
type User = ReturnType<typeof userEvent.setup>;

const editButton = (label: string) => screen.getByRole('button', { name: '編集', description: label });
const save = () => screen.getByRole('button', { name: '変更を保存' });

async function type(user: User, label: string, value: string): Promise<void> {
  await user.clear(screen.getByLabelText(label));
  if (value !== '') await user.type(screen.getByLabelText(label), value);
}

describe('profile', () => {
  it('§2.7 is reached by the header', async () => {
    await openAccount();
    const link = within(screen.getByRole('banner')).getByRole('link', { name: 'アカウント' });
    expect(link.getAttribute('aria-current')).toBe('page');
    expect(screen.getByText(USER.email, { selector: 'main *' })).toBeDefined();
    expect(screen.getByText(USER.company)).toBeDefined();
  });

  it('shows the company that another member has saved meanwhile, before it overwrites it', async () => {
    const message = 'ほかの人が会社名を変更しました。内容を確かめてから、保存してください。';
    const details = [{ path: 'update_info.company', message }];
    const versions: unknown[] = [];
    const { user, account } = await openAccount({
      'PUT /account/7': ({ body }) => {
        const { version, update_info } = body as { version: string; update_info: { company: string } };
        versions.push(version);
        if (version !== account.version) return { status: 409, body: { message, code: 'account_changed', details } };
        Object.assign(account, update_info, { version: 'v3' });
        return ok({ status: 'updated', id: 7 });
      },
    });
    await user.click(editButton('会社名'));
    await type(user, '会社名', '株式会社乙');
    Object.assign(account, { company: '株式会社甲', version: 'v2' });
    await user.click(save());
    expect(await screen.findByText(message.slice(0, -1))).toBeDefined();
    expect(await screen.findByText('株式会社甲', { selector: 'bdi' })).toBeDefined();
    expect(screen.getByLabelText('会社名')).toHaveProperty('value', '株式会社乙');
    await user.click(save());
    await waitFor(() => expect(screen.queryByLabelText('会社名')).toBeNull());
    expect([versions, account.company]).toEqual([['v1', 'v2'], '株式会社乙']);
  });

  it('saves a changed name, shows it in the header too, and returns the focus', async () => {
    const { user, changes } = await openAccount();
    await user.click(editButton('氏名'));
    expect(document.activeElement).toBe(screen.getByLabelText('氏名'));
    expect(save()).toHaveProperty('disabled', true);
    await type(user, '氏名', '  鈴木 花子 ');
    await user.click(save());
    expect(await screen.findByText('氏名を変更しました')).toBeDefined();
    expect(changes().map(({ body }) => body)).toEqual([{ update_info: { name: '鈴木 花子' } }]);
    expect(document.activeElement).toBe(editButton('氏名'));
    await waitFor(() => expect(within(screen.getByRole('banner')).getByText('鈴木 花子')).toBeDefined());
  });

  it('shows the changed name although the first answer about the account arrives after the save', async () => {
    const first = deferred();
    let isFirst = true;
    let name = USER.name;
    const { user } = await openAccount({
      'GET /account/7': () => {
        if (!isFirst) return ok({ ...USER, name, email_before_confirmation: null });
        isFirst = false;
        return first.answer;
      },
      'PUT /account/7': () => {
        name = '鈴木 花子';
        return ok({ status: 'updated', id: 7 });
      },
    });
    await user.click(editButton('氏名'));
    await type(user, '氏名', '鈴木 花子');
    await user.click(save());
    await screen.findByText('氏名を変更しました');
    first.resolve(ok({ ...USER, email_before_confirmation: null, version: 'v1' }));
    expect(await within(screen.getByRole('banner')).findByText('鈴木 花子')).toBeDefined();
  });

  it.each(['株式会社架空商事', ' 株式会社架空商事 '])('§5.14 cannot save the unchanged %j', async (value) => {
    const { user, changes } = await openAccount();
    await user.click(editButton('会社名'));
    await type(user, '会社名', '他の会社');
    expect(save()).toHaveProperty('disabled', false);
    await type(user, '会社名', value);
    expect(save()).toHaveProperty('disabled', true);
    await user.keyboard('{Enter}');
    expect(changes()).toEqual([]);
  });

  it.each([
    ['キャンセル', (user: User) => user.click(screen.getByRole('button', { name: 'キャンセル' }))],
    ['Escape', (user: User) => user.keyboard('{Escape}')],
  ])('cancels by %s', async (_, giveUp) => {
    const { user, changes } = await openAccount();
    await user.click(editButton('氏名'));
    await type(user, '氏名', '別の名前');
    await giveUp(user);
    expect(document.activeElement).toBe(editButton('氏名'));
    expect(screen.queryByText('別の名前')).toBeNull();
    expect(useSession.getState().drafts).toEqual({});
    expect(changes()).toEqual([]);
  });

  it('shows a refusal at its field, and keeps the typed text', async () => {
    const message = '使えない文字が含まれています';
    const details = [{ path: 'update_info.name', message }];
    const { user } = await openAccount({
      'PUT /account/7': () => ({ status: 400, body: { message, code: 'invalid_input', details } }),
    });
    await user.click(editButton('氏名'));
    await type(user, '氏名', 'だめな名前');
    await user.click(save());
    expect(await toastText('alert')).toBe(message);
    const field = screen.getByRole('textbox', { name: '氏名', description: message });
    expect(field).toHaveProperty('value', 'だめな名前');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(field);
  });

  it('saves once for two clicks', async () => {
    const waiting = deferred();
    const { user, changes } = await openAccount({ 'PUT /account/7': () => waiting.answer });
    await user.click(editButton('氏名'));
    await type(user, '氏名', '鈴木');
    await user.dblClick(save());
    await user.keyboard('{Enter}');
    waiting.resolve(ok({ status: 'updated', id: 7 }));
    await screen.findByText('氏名を変更しました');
    expect(changes()).toHaveLength(1);
  });

  it('restores the typed text after a reload', async () => {
    const { user, unmount } = await openAccount();
    await user.click(editButton('氏名'));
    await type(user, '氏名', '書きかけ');
    unmount();
    await renderApp('/account');
    expect(await screen.findByLabelText('氏名')).toHaveProperty('value', '書きかけ');
  });

  it('reads a draft of an older program version, which is only the text', async () => {
    logInAs();
    fakeApi({ 'GET /account/7': () => ok({ ...USER, email_before_confirmation: null, version: 'v1' }) });
    setDraft('account.company', '株式会社乙');
    await renderApp('/account');
    expect(await screen.findByLabelText('会社名')).toHaveProperty('value', '株式会社乙');
    expect(showsTheirChanges()).toBe(false);
  });

  it('can be reloaded after a failed request', async () => {
    let answer: FakeAnswer = refused(404, '対象が見つかりません');
    logInAs();
    fakeApi({ 'GET /account/7': () => answer });
    await renderApp('/account');
    const retry = await screen.findByRole('button', { name: '再読み込み' });
    answer = ok({ ...USER, email_before_confirmation: null, version: 'v1' });
    await userEvent.click(retry);
    expect(await screen.findByRole('heading', { name: 'プロフィール' })).toBeDefined();
  });
});

describe('a new address', () => {
  async function changeAddress(user: User): Promise<void> {
    await user.click(editButton('メールアドレス'));
    await type(user, 'メールアドレス', NEW);
    await user.click(save());
  }

  it('§8.15 is shown as unconfirmed, with the confirmation mail as the remedy', async () => {
    const { user, changes } = await openAccount();
    await changeAddress(user);
    expect(await screen.findByText(SENT)).toBeDefined();
    expect(changes().map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PUT', '/account/7', { update_info: { email_before_confirmation: NEW } }],
      ['PUT', '/auth/confirmation_token/7', undefined],
      ['POST', '/mail/send/confirmation/7', { email_before_confirmation: NEW, confirmation_token: 'ticket-1' }],
    ]);
    const note = screen.getByRole('note');
    expect(note.textContent).toContain(`${NEW} への変更は、まだ完了していません`);
    expect(note.textContent).toContain('60分以内');
    expect(screen.getByText(USER.email, { selector: 'main *' })).toBeDefined();
  });

  it('can get its confirmation mail again, once for two clicks', async () => {
    const waiting = deferred();
    const { user, changes } = await openAccount({
      'GET /account/7': () => ok({ ...USER, email_before_confirmation: NEW }),
      'POST /mail/send/confirmation/7': () => waiting.answer,
    });
    await user.dblClick(await screen.findByRole('button', { name: '確認メールをもう一度送信' }));
    waiting.resolve(ok({ status: 'sent' }));
    expect(await screen.findByText(SENT)).toBeDefined();
    expect(changes().map(({ path }) => path)).toEqual(['/auth/confirmation_token/7', '/mail/send/confirmation/7']);
  });

  it('is pending even if its mail could not be sent', async () => {
    const message = '確認メールの送信回数が上限に達しました。12分後に、もう一度お試しください';
    const { user } = await openAccount({ 'POST /mail/send/confirmation/7': () => refused(429, message) });
    await changeAddress(user);
    expect(await toastText('alert')).toBe(message);
    expect(screen.getByRole('note').textContent).toContain(NEW);
    expect(screen.queryByText(SENT)).toBeNull();
  });

  it('names the setting for the operator if the server has no sender for its mails', async () => {
    const failure = { status: 503, body: { code: 'no_system_sender', message: 'このサーバーの設定が必要です。' } };
    const { user } = await openAccount({ 'POST /mail/send/confirmation/7': () => failure });
    await changeAddress(user);
    const note = await screen.findByRole('note');
    const summary = await within(note).findByText(/^確認メールを送信できませんでした。このサーバーの設定が必要です/);
    expect(within(note).getByRole('alert').contains(summary)).toBe(true);
    const details = summary.closest('details') as HTMLDetailsElement;
    expect(details.open).toBe(false);
    expect(details.textContent).toContain('MAIL_FROM');
    expect(toastTextNow('alert')).toBe('');
  });

  it('gets no confirmation mail when the server refuses it', async () => {
    const message = '現在のメールアドレスと同じです';
    const { user, changes } = await openAccount({ 'PUT /account/7': () => refused(400, message) });
    await changeAddress(user);
    expect(await toastText('alert')).toBe(message);
    expect(changes()).toHaveLength(1);
    expect(screen.getByLabelText('メールアドレス')).toHaveProperty('value', NEW);
  });
});

describe('password', () => {
  const CURRENT = '現在のパスワード';
  const FRESH = '新しいパスワード';
  const AGAIN = '新しいパスワード（確認）';
  const toggle = () => screen.getByRole('button', { name: 'パスワードを変更' });
  const submit = () => screen.getByRole('button', { name: '保存' });

  async function fill(user: User, current: string, fresh: string, again: string): Promise<void> {
    await user.click(toggle());
    await paste(user, screen.getByLabelText(CURRENT), current);
    await paste(user, screen.getByLabelText(FRESH), fresh);
    await paste(user, screen.getByLabelText(AGAIN), again);
  }

  it('shows and hides its form, which stores nothing', async () => {
    const { user } = await openAccount();
    expect(toggle().getAttribute('aria-expanded')).toBe('false');
    await fill(user, 'old-secret', 'new-secret', 'new-secret');
    expect(toggle().getAttribute('aria-expanded')).toBe('true');
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('secret');
    await user.click(toggle());
    expect(screen.queryByLabelText(CURRENT)).toBeNull();
    await user.click(toggle());
    expect(screen.getByLabelText(CURRENT)).toHaveProperty('value', '');
  });

  it('§5.14 can be saved when all three fields are filled', async () => {
    const { user } = await openAccount();
    await user.click(toggle());
    for (const label of [CURRENT, FRESH, AGAIN]) {
      expect(submit()).toHaveProperty('disabled', true);
      await user.type(screen.getByLabelText(label), 'x');
    }
    expect(submit()).toHaveProperty('disabled', false);
  });

  it.each([
    [
      'same-same-same',
      'same-same-same',
      'same-same-same',
      FRESH,
      '現在のパスワードと新規パスワードは違うものにしてください',
    ],
    ['old-old-old-old', 'new-new-new-new', 'new-new-new-nwe', AGAIN, '新規パスワードと確認用のパスワードが違います'],
  ])('sends no request for %s, %s, %s', async (current, fresh, again, label, message) => {
    const { user, changes } = await openAccount();
    await fill(user, current, fresh, again);
    await user.click(submit());
    expect(await screen.findByText(message)).toBeDefined();
    expect(toastTextNow('alert')).toBe('');
    expect(screen.getByLabelText(label).getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(screen.getByLabelText(label));
    expect(changes()).toEqual([]);
  });

  it.each([
    [CURRENT, ['x'.repeat(10_000), 'new-new-new-new', 'new-new-new-new']],
    [FRESH, ['old-old-old-old', 'x'.repeat(129), 'x'.repeat(129)]],
  ] as const)('bad-inputs 220: %s that is too long is reported at its field', async (label, passwords) => {
    const { user, changes } = await openAccount();
    await user.click(toggle());
    for (const [index, name] of [CURRENT, FRESH, AGAIN].entries()) {
      fireEvent.change(screen.getByLabelText(name), { target: { value: passwords[index] } });
    }
    await user.click(submit());
    const field = screen.getByLabelText(label);
    expect(document.activeElement).toBe(field);
    expect(document.getElementById(field.getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent).toBe(
      'パスワードは128文字までです',
    );
    expect(changes()).toEqual([]);
    // The help that would have prevented the fault stays visible.
    expect(screen.getByText(/^12〜128文字/)).toBeDefined();
  });

  it('§8.16 updates the password, reports the end of the other sessions, and closes', async () => {
    const { user, changes } = await openAccount({ 'PUT /auth/password/7': () => ok({ status: 'updated' }) });
    await fill(user, 'old-old-old-old', 'new-new-new-new', 'new-new-new-new');
    expect(screen.getByText(/このブラウザー以外のログインはすべて終了します/)).toBeDefined();
    await user.click(submit());
    expect(await screen.findByText('パスワードが更新されました')).toBeDefined();
    expect(screen.getByText('このブラウザー以外のログインは終了しました')).toBeDefined();
    expect(changes().map(({ body }) => body)).toEqual([
      {
        current_password: 'old-old-old-old',
        new_password: 'new-new-new-new',
        new_password_confirmation: 'new-new-new-new',
      },
    ]);
    expect(screen.queryByLabelText(CURRENT)).toBeNull();
    expect(document.activeElement).toBe(toggle());
    expect(useSession.getState().token).toBe('token-1');
  });

  it('shows a wrong current password at its field', async () => {
    const message = '現在のパスワードが違います';
    const details = [{ path: 'current_password', message }];
    const { user } = await openAccount({
      'PUT /auth/password/7': () => ({ status: 400, body: { message, code: 'wrong_password', details } }),
    });
    await fill(user, 'wrong', 'new-new-new-new', 'new-new-new-new');
    await user.click(submit());
    expect(await screen.findByText(message)).toBeDefined();
    expect(toastTextNow('alert')).toBe('');
    expect(screen.getByLabelText(CURRENT).getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(screen.getByLabelText(CURRENT));
    expect(screen.getByLabelText(FRESH)).toHaveProperty('value', 'new-new-new-new');
  });
});

describe('display', () => {
  it('is stored at once, and says so at what was chosen', async () => {
    const { user } = await openAccount();
    const marks = () => screen.getAllByRole('group').map((group) => within(group).getByRole('status').textContent);
    expect(marks()).toEqual(['', '']);
    await user.click(screen.getByRole('radio', { name: 'ダーク' }));
    expect(marks()).toEqual(['保存済み', '']);
    await user.click(within(screen.getAllByRole('group')[1] as HTMLElement).getAllByRole('radio')[1] as HTMLElement);
    expect(marks()).toEqual(['保存済み', '保存済み']);
  });
});

describe('a session that expires while a form is filled in', () => {
  const logins = { 'POST /auth/login': () => ok({ token: 'token-2', account_id: USER.id }) };

  async function expire(user: User): Promise<void> {
    await user.click(editButton('氏名'));
    await type(user, '氏名', '書きかけの名前');
    await user.click(save());
    await screen.findByText('ログインの有効期限が切れました。もう一度ログインしてください');
  }
  async function logIn(user: User): Promise<void> {
    await user.type(screen.getByLabelText('メールアドレス'), USER.email);
    await user.type(screen.getByLabelText('パスワード'), 'secret');
    await user.click(screen.getByRole('button', { name: 'ログイン' }));
  }

  it('is reported once, and the same user continues with the typed text', async () => {
    const { user, router } = await openAccount({ ...logins, 'PUT /account/7': () => refused(401, 'もう一度') });
    usePaging.setState({ pagenate_count: 200 });
    await expire(user);
    expect(screen.getAllByText('ログアウトしました')).toHaveLength(1);
    expect(toastTextNow('alert')).toBe('');
    expect(sessionStorage.getItem('kaitaku-session')).not.toMatch(/書きかけ|token-1|tanaka/);
    await logIn(user);
    expect(await screen.findByLabelText('氏名')).toHaveProperty('value', '書きかけの名前');
    expect(router.state.location.pathname).toBe('/account');
    expect(useSession.getState()).toMatchObject({ token: 'token-2', pagenate_count: 200, left_over: null });
  });

  it('leaves nothing to another user', async () => {
    const other = { ...USER, id: 8, name: '佐藤', email_before_confirmation: null };
    const { user } = await openAccount({
      'POST /auth/login': () => ok({ token: 'token-2', account_id: 8 }),
      'GET /account/8': () => ok(other),
      'PUT /account/7': () => refused(401, 'もう一度'),
    });
    await expire(user);
    await logIn(user);
    expect(await screen.findByText('佐藤', { selector: 'main *' })).toBeDefined();
    expect(useSession.getState()).toMatchObject({ drafts: {}, left_over: null });
  });
});
