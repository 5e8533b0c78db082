import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { paste } from '#test/web/paste.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs, USER } from '#test/web/samples.ts';

const SECRET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const CODES = Array.from({ length: 10 }, (_, place) => `AAAA-BBBB-CCCC-DD${place}2`);
const invalid = (path: string, code: string, message: string): FakeAnswer => ({
  status: 400,
  body: { code, message, details: [{ path, message }] },
});
const WRONG_CODE = invalid('code', 'invalid_code', '数字が違います。認証アプリの6桁の数字を入力してください');
const WRONG_PASSWORD = invalid('current_password', 'wrong_password', '現在のパスワードが違います');

const user = userEvent.setup();
const press = async (name: string, where: Pick<typeof screen, 'findByRole'> = screen) =>
  user.click(await where.findByRole('button', { name }));
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));

let member: Record<string, unknown>;
let sessions: object[];
let requests: FakeRequest[];
/** The answers to changes, in order; then they succeed. */
let next: FakeAnswer[];
const bodies = () => requests.filter(({ method }) => method !== 'GET').map(({ path, body }) => [path, body]);

async function open() {
  logInAs();
  const changed = (answer: FakeAnswer, change: object) => (): FakeAnswer => {
    const refusal = next.shift();
    if (refusal !== undefined) return refusal;
    Object.assign(member, change);
    return answer;
  };
  requests = fakeApi({
    'GET /account/7': () => ok({ ...USER, member, email_before_confirmation: null, version: 'v1' }),
    'POST /auth/two_factor/start': changed(
      ok({ secret: SECRET, uri: `otpauth://totp/Kaitaku:a?secret=${SECRET}` }),
      {},
    ),
    'POST /auth/two_factor/confirm': changed(ok({ recovery_codes: CODES }), { two_factor: 1, recovery_codes_left: 10 }),
    'POST /auth/two_factor/off': changed(ok({ status: 'updated' }), { two_factor: 0, recovery_codes_left: 0 }),
    'POST /auth/recovery_codes': changed(ok({ recovery_codes: CODES }), { recovery_codes_left: 10 }),
    'GET /session/list': () => ok(sessions),
    'PUT /session/s2': () => {
      sessions = sessions.slice(0, 1);
      return next.shift() ?? ok({ status: 'ended' });
    },
    'POST /session/end_others': () => {
      sessions = sessions.slice(0, 1);
      return ok({ status: 'ended', sessions_ended: 2 });
    },
  });
  const app = await renderApp('/account');
  await screen.findByText('二段階認証');
  return app;
}

beforeEach(() => {
  member = {
    id: 1,
    role: 'sales',
    sender_group_ids: null,
    may_export: 1,
    two_factor: 0,
    recovery_codes_left: 0,
    two_factor_required: 0,
  };
  next = [];
  sessions = [];
});

/** Begins the set-up. */
async function begin() {
  await press('設定する');
  const form = await dialog('二段階認証の設定');
  await paste(user, form.getByLabelText('現在のパスワード'), 'correct horse');
  await press('次へ', form);
}
/** Opens the set-up, up to the QR code. */
async function start() {
  await begin();
  return dialog('二段階認証の設定');
}

describe('the set-up of a second step', () => {
  it('asks for the password, shows QR code and key, takes the first code and shows the recovery codes', async () => {
    const blobs: Blob[] = [];
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
      blobs.push(blob as Blob);
      return 'blob:x';
    });
    vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => undefined);
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    await open();
    expect(screen.getByText('未設定')).toBeDefined();
    const form = await start();
    const drawn = await form.findByRole('img', { name: '認証アプリで読み取るQRコード' });
    expect(drawn.querySelectorAll('path')).toHaveLength(1);
    const lists = () => requests.filter(({ path }) => path === '/session/list').length;
    const listed = lists();
    expect(form.getByText('オンにすると、ほかのログインは、すべて終了します。')).toBeDefined();
    expect(form.getByText('ABCD EFGH IJKL MNOP QRST UVWX YZ23 4567')).toBeDefined();
    await press('キーをコピー', form);
    expect(await navigator.clipboard.readText()).toBe(SECRET);
    await press('オンにする', form);
    expect(form.getByText('認証アプリの6桁の数字を入力してください')).toBeDefined();
    await user.type(form.getByLabelText('認証コード'), '123456');
    await press('オンにする', form);
    const codes = await dialog('復旧コードの保管');
    expect(codes.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(CODES);
    await press('コピー', codes);
    expect(await navigator.clipboard.readText()).toBe(CODES.join('\n'));
    await press('ダウンロード', codes);
    expect(await blobs[0]?.text()).toBe(`Kaitaku 復旧コード（${USER.email}）\r\n\r\n${CODES.join('\r\n')}\r\n`);
    expect(codes.getByText(/ほかのログインは、すべて終了しました。/)).toBeDefined();
    await waitFor(() => expect(lists()).toBe(listed + 1));
    await user.click(codes.getByLabelText('保管しました'));
    await press('完了', codes);
    expect(await screen.findByText('復旧コード 残り10個')).toBeDefined();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bodies()).toEqual([
      ['/auth/two_factor/start', { current_password: 'correct horse' }],
      ['/auth/two_factor/confirm', { code: '123456' }],
    ]);
    const stored = JSON.stringify([...Object.entries(sessionStorage), ...Object.entries(localStorage)]);
    for (const secret of ['correct horse', SECRET, CODES[0] ?? '']) expect(stored).not.toContain(secret);
  });

  it('does not close before the recovery codes are stored', async () => {
    await open();
    const form = await start();
    await user.type(form.getByLabelText('認証コード'), '123456');
    await press('オンにする', form);
    const codes = await dialog('復旧コードの保管');
    expect(codes.getByRole('button', { name: '完了' })).toHaveProperty('disabled', true);
    await user.keyboard('{Escape}');
    expect(await codes.findByText('コードを保管して、「保管しました」にチェックを入れてください')).toBeDefined();
    expect(document.activeElement).toBe(codes.getByLabelText('保管しました'));
    await user.click(codes.getByLabelText('保管しました'));
    await user.keyboard('{Escape}');
    expect(await screen.findByText('復旧コード 残り10個')).toBeDefined();
  });

  it('shows refusals at their fields, and keeps what was typed', async () => {
    next = [WRONG_PASSWORD];
    await open();
    await press('設定する');
    const form = await dialog('二段階認証の設定');
    await press('次へ', form);
    expect(form.getByText('パスワードを入力してください')).toBeDefined();
    await paste(user, form.getByLabelText('現在のパスワード'), 'wrong');
    await press('次へ', form);
    expect(await form.findByText('現在のパスワードが違います')).toBeDefined();
    await press('次へ', form);
    const app = await dialog('二段階認証の設定');
    next = [WRONG_CODE];
    await user.type(await app.findByLabelText('認証コード'), '000000');
    await press('オンにする', app);
    expect(await app.findByText(/^数字が違います/)).toBeDefined();
    expect(app.getByLabelText('認証コード')).toHaveProperty('value', '000000');
    await press('キャンセル', app);
    expect(screen.getByText('未設定')).toBeDefined();
  });

  it('says what is missing on a server without a key', async () => {
    const message =
      'サーバーに暗号化の鍵（SECRET_KEY）がないか、違っているため、使えません。このサーバーの運用担当者に連絡してください';
    next = [refused(503, `${message}。`, 'no_secret_key')];
    await open();
    const form = await start();
    expect((await form.findAllByRole('alert')).map(({ textContent }) => textContent)).toContain(message);
  });

  it('ends where another tab has set it up meanwhile', async () => {
    next = [refused(409, '二段階認証は、すでにオンです。画面を読み込み直してください。', 'two_factor_on')];
    await open();
    Object.assign(member, { two_factor: 1, recovery_codes_left: 9 });
    await begin();
    expect(await screen.findByText('復旧コード 残り9個')).toBeDefined();
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('a second step that is on', () => {
  beforeEach(() => Object.assign(member, { two_factor: 1, recovery_codes_left: 2 }));

  it('gets new recovery codes by password and code, and says that few are left', async () => {
    next = [WRONG_CODE];
    await open();
    expect(screen.getByText(/^復旧コードが残り少なくなりました/)).toBeDefined();
    await press('復旧コードを作り直す');
    const form = await dialog('復旧コードの作り直し');
    await press('作り直す', form);
    expect(form.getByText('パスワードを入力してください')).toBeDefined();
    await paste(user, form.getByLabelText('現在のパスワード'), 'correct horse');
    await user.type(form.getByLabelText('認証コードか復旧コード'), '123456');
    await press('作り直す', form);
    expect(await form.findByText(/^数字が違います/)).toBeDefined();
    await press('作り直す', form);
    const codes = await dialog('復旧コードの保管');
    await user.click(codes.getByLabelText('保管しました'));
    await press('完了', codes);
    expect(await screen.findByText('復旧コード 残り10個')).toBeDefined();
    expect(bodies().at(-1)).toEqual(['/auth/recovery_codes', { current_password: 'correct horse', code: '123456' }]);
  });

  it('is turned off by password and code', async () => {
    await open();
    await press('オフにする');
    const form = await dialog('二段階認証の停止');
    await paste(user, form.getByLabelText('現在のパスワード'), 'correct horse');
    await user.type(form.getByLabelText('認証コードか復旧コード'), '123456');
    await press('オフにする', form);
    expect(await screen.findByText('未設定')).toBeDefined();
    expect(bodies().at(-1)?.[0]).toBe('/auth/two_factor/off');
  });

  it('is not turned off while it is required of all', async () => {
    Object.assign(member, { recovery_codes_left: 10, two_factor_required: 1 });
    await open();
    expect(await screen.findByText('管理者が全員に求めているため、オフにはできません。')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'オフにする' })).toBeNull();
    expect(screen.getByRole('button', { name: '復旧コードを作り直す' })).toBeDefined();
  });
});

describe('the list of log-ins', () => {
  const session = (id: string, more: object = {}) => ({
    id,
    created_at: '2099/11/26 09:00:00',
    last_used_at: '2099/11/26 18:40:00',
    address: '203.0.113.7',
    agent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
    is_current: 0,
    ...more,
  });
  beforeEach(() => {
    sessions = [session('s1', { is_current: 1 }), session('s2', { agent: null, address: null }), session('s3')];
  });
  const list = async () => within(await screen.findByRole('region', { name: 'ログイン中の端末' }));
  const rows = async () => (await (await list()).findAllByRole('listitem')).map(({ textContent }) => textContent);

  it('shows browser, address and times of each, and offers no end of the current one', async () => {
    await open();
    expect(await rows()).toEqual([
      'Chrome・Windows203.0.113.7今の端末最後の利用 2099/11/26（木）18:40ログイン 2099/11/26（木）09:00',
      '不明最後の利用 2099/11/26（木）18:40ログイン 2099/11/26（木）09:00終了',
      'Chrome・Windows203.0.113.7最後の利用 2099/11/26（木）18:40ログイン 2099/11/26（木）09:00終了',
    ]);
  });

  it('ends one, and says why it did not', async () => {
    next = [refused(404, '見つかりませんでした。', 'not_found')];
    await open();
    await press('不明のログインを終了', await list());
    expect(await toastText('alert')).toBe('見つかりませんでした');
    await waitFor(async () => expect(await rows()).toHaveLength(1));
    expect(bodies()).toEqual([['/session/s2', { update_info: { active: 0 } }]]);
    expect(screen.queryByRole('button', { name: 'この端末以外を終了' })).toBeNull();
  });

  it('ends all others after a question with their number', async () => {
    await open();
    await press('この端末以外を終了');
    const question = await dialog('ほかの端末のログインの終了');
    expect(question.getByText('ほかの2件のログインを終了しますか？')).toBeDefined();
    await press('終了', question);
    expect(await toastText('status')).toBe('2件のログインを終了しました');
    await waitFor(async () => expect(await rows()).toHaveLength(1));
  });
});

it('a new address asks for the password at its form where the log-in is old, and loses nothing', async () => {
  const given: unknown[] = [];
  const answers = [refused(400, 'もう一度ログインしてから、変更してください。', 'password_needed'), WRONG_PASSWORD];
  logInAs();
  fakeApi({
    'GET /account/7': () => ok({ ...USER, email_before_confirmation: null, version: 'v1' }),
    'PUT /account/7': ({ body }) => {
      given.push(body);
      return answers.shift() ?? ok({ status: 'updated', id: 7 });
    },
    'PUT /auth/confirmation_token/7': () => ok({ confirmation_token: 'ticket-1' }),
    'POST /mail/send/confirmation/7': () => ok({ status: 'sent' }),
  });
  await renderApp('/account');
  await user.click(await screen.findByRole('button', { name: '編集', description: 'メールアドレス' }));
  await user.clear(screen.getByLabelText('メールアドレス'));
  await user.type(screen.getByLabelText('メールアドレス'), 'naoki@example.jp');
  await press('変更を保存');
  const password = await screen.findByLabelText('現在のパスワード');
  await waitFor(() => expect(document.activeElement).toBe(password));
  expect(screen.getByLabelText('メールアドレス')).toHaveProperty('value', 'naoki@example.jp');
  expect(screen.getByRole('button', { name: '変更を保存' })).toHaveProperty('disabled', true);
  await user.type(password, 'wrong');
  await press('変更を保存');
  expect(await screen.findByText('現在のパスワードが違います')).toBeDefined();
  expect(JSON.stringify(Object.entries(sessionStorage))).not.toContain('wrong');
  await user.clear(password);
  await user.type(password, 'correct horse');
  await press('変更を保存');
  expect(await toastText('status')).toContain('確認メールが送信されました');
  const update_info = { email_before_confirmation: 'naoki@example.jp' };
  expect(given).toEqual([
    { update_info },
    { update_info, current_password: 'wrong' },
    { update_info, current_password: 'correct horse' },
  ]);
  expect(screen.queryByLabelText('現在のパスワード')).toBeNull();
});
