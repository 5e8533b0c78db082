import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { deferred, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { alertIn, renderApp, toastText } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { reloadMailboxes } from '#web/lib/data/mailboxes.ts';
import { startSession, useSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/mailboxes.tsx';
import './mailbox-dialog.tsx';

const mailbox = (id: number, name: string, more: object = {}) => ({
  id,
  kind: 'smtp',
  name,
  address: `m${id}@example.jp`,
  owner_id: 1,
  owner: name,
  is_mine: 0,
  may_change: 1,
  smtp_host: 'mail.example.jp',
  smtp_port: 587,
  security: 'starttls',
  username: `m${id}@example.jp`,
  imap_host: 'mail.example.jp',
  reads_replies: 1,
  takes_refusals: 0,
  other_from: [] as string[],
  ids: 'kept',
  state: 'ok',
  checked_at: '2026/11/29 09:00:00',
  paused_until: null,
  why: null,
  last_fault: null,
  read_at: '2099/11/29 09:00:00',
  read_fault: null,
  per_day: 500,
  per_minute: 30,
  used_today: 38,
  senders: [],
  version: 4,
  ...more,
});
const SUZUKI = mailbox(2, '鈴木 彩');
const LOST = mailbox(3, '伊藤 翼', {
  state: 'reconnect',
  last_fault: '535 5.7.8 Error',
  per_day: 1500,
  used_today: 0,
});
const SHARED = mailbox(5, '営業部', {
  owner_id: null,
  owner: null,
  reads_replies: 0,
  imap_host: null,
  used_today: 1200,
});
const OFF = mailbox(6, '旧窓口', { state: 'off' });
const LIMITED = mailbox(7, '木村 健太', {
  paused_until: '2099/11/30 09:00:00',
  why: 'limited',
  last_fault: '550 5.4.5 Daily limit',
  read_fault: 'サーバーに接続できません。',
});

let rows: object[];
let profiles: object[];
let requests: FakeRequest[];
/** The answers to changes and checks, in order. Then they succeed. */
let next: (FakeAnswer | Promise<FakeAnswer>)[];

const STEPS = ['host', 'connect', 'tls', 'login', 'from', 'imap', 'test_mail', 'message_id'];
/** Returns the answer of a check: each step before a fault is ok, those after it are skipped. */
function checked(state: string, fault: Record<string, string> = {}): FakeAnswer {
  const [[bad, text] = []] = Object.entries(fault);
  const at = bad === undefined ? STEPS.length : STEPS.indexOf(bad);
  const stateOf = (place: number) => (place < at ? 'ok' : place === at ? 'bad' : 'skipped');
  const steps = STEPS.map((step, place) => ({
    step,
    state: stateOf(place),
    text: place === at ? text : '確かめた文。',
  }));
  return ok({ state, steps, version: 9 });
}
const FINE = checked('ok');

const changed = (id: number) => next.shift() ?? ok({ status: 'updated', id, version: 5 });
const check = () => next.shift() ?? FINE;

async function open(role: Role = 'admin', path = '/settings/mailboxes', is_demo: 0 | 1 = 0) {
  startSession('token-1', { ...USER, member: { id: 1, role, sender_group_ids: null, may_export: 1 }, is_demo });
  requests = fakeApi({
    'GET /mailbox/list': () => ok(rows),
    'GET /sender_group/list': () => ok([]),
    'GET /sender_profile/list': () => ok(profiles),
    // Below the list. Its tests stand with those of the consents (web/app/mailbox-consent.test.tsx).
    'GET /oauth_app/google': () =>
      ok({ registration: null, redirect_uri: 'https://a.example/', log_in: null, mailboxes: 0, version: 'v' }),
    'GET /sender/list': () => ok([]),
    'POST /mailbox': () => next.shift() ?? ok({ status: 'added', id: 8, version: 1 }),
    'PUT /mailbox/8': () => changed(8),
    'POST /mailbox/8/check': check,
    ...Object.fromEntries(
      [2, 3, 5, 6, 7].flatMap((id) => [
        [`PUT /mailbox/${id}`, () => changed(id)],
        [`POST /mailbox/${id}/check`, check],
      ]),
    ),
    'PUT /sender_profile/4': () => next.shift() ?? ok({ status: 'updated', id: 4, version: 'v2', is_confirmed: 1 }),
  });
  const app = await renderApp(path);
  await waitFor(() => expect(document.querySelector('[data-loading]')).toBeNull());
  return app;
}

const user = userEvent.setup();
const press = async (name: string | RegExp, part: Pick<typeof screen, 'findByRole'> = screen) =>
  user.click(await part.findByRole('button', { name }));
const dialog = async () => within(await screen.findByRole('dialog'));
const rowOf = (text: string) => within(screen.getByText(text).closest('tr') as HTMLElement);
const changes = () =>
  requests
    .filter(({ method, path }) => method !== 'GET' && /mailbox|profile/.test(path))
    .map(({ method, path, body }) => [`${method} ${path}`, body]);
const shownIn = async (label: string | RegExp) => ((await dialog()).getByLabelText(label) as HTMLInputElement).value;
async function fill(label: string | RegExp, text: string): Promise<void> {
  const field = (await dialog()).getByLabelText(label);
  await user.clear(field);
  await user.type(field, text);
}
const faultOf = async (label: string | RegExp) => {
  const field = (await dialog()).getByLabelText(label);
  const ids = (field.getAttribute('aria-describedby') ?? '').split(' ');
  return ids
    .filter((id) => id.endsWith('-fault'))
    .map((id) => document.getElementById(id)?.textContent)
    .join('');
};

beforeEach(() => {
  rows = [SUZUKI, LOST, SHARED, OFF, LIMITED];
  profiles = [];
  next = [];
});

describe('the list of mailboxes', () => {
  it('shows kind, use, reading and state of each, and what it lacks', async () => {
    await open();
    const cells = (text: string) =>
      rowOf(text)
        .getAllByRole('gridcell')
        .slice(0, 4)
        .map(({ textContent }) => textContent);
    expect(cells('鈴木 彩')).toEqual(['m2@example.jpメールサーバー', '38 / 500通', '読んでいます', '接続済み']);
    expect(cells('伊藤 翼')).toEqual([
      'm3@example.jpメールサーバー',
      '0 / 1,500通',
      '止まっています',
      'つなぎ直しが必要',
    ]);
    expect(cells('営業部（共有）')).toEqual(['m5@example.jpメールサーバー', '1,200 / 500通', '読みません', '接続済み']);
    expect(cells('旧窓口')).toEqual(['m6@example.jpメールサーバー', '38 / 500通', '読みません', '切断']);
    expect(cells('木村 健太')).toEqual([
      'm7@example.jpメールサーバー',
      '38 / 500通',
      '止まっています',
      '2099/11/30 9:00に再開',
    ]);
    const buttons = (text: string) =>
      rowOf(text)
        .getAllByRole('button')
        .map((button) => button.getAttribute('aria-label') ?? button.textContent);
    expect(buttons('鈴木 彩')).toEqual(['鈴木 彩を編集', '鈴木 彩の操作']);
    expect(buttons('伊藤 翼')).toEqual(['伊藤 翼をつなぎ直す', '伊藤 翼の操作']);
    expect(buttons('旧窓口')).toEqual(['旧窓口をつなぎ直す']);
  });

  it('offers the consent again where a mailbox of a provider was never connected, else a check', async () => {
    const unchecked = { state: 'unchecked', checked_at: null };
    rows = [mailbox(2, '鈴木 彩', unchecked), mailbox(3, '伊藤 翼', { ...unchecked, kind: 'google' })];
    await open();
    const first = (text: string) => rowOf(text).getAllByRole('button')[0]?.getAttribute('aria-label');
    expect([first('鈴木 彩'), first('伊藤 翼')]).toEqual(['鈴木 彩の接続を確かめる', '伊藤 翼をつなぎ直す']);
    await press('伊藤 翼をつなぎ直す');
    expect((await dialog()).getByRole('button', { name: 'Googleでサインイン' })).toBeDefined();
  });

  it('has no button for a viewer, and for 営業 only at the own mailboxes', async () => {
    rows = [{ ...SUZUKI, may_change: 0 }];
    await open('viewer');
    const main = () => within(screen.getByRole('main'));
    expect(main().queryByRole('button')).toBeNull();
    expect(main().queryByRole('columnheader', { name: '操作' })).toBeNull();
  });

  it('offers 営業 what concerns the own mailboxes only', async () => {
    rows = [{ ...SUZUKI, may_change: 0 }, LOST];
    await open('sales');
    expect(rowOf('鈴木 彩').queryByRole('button')).toBeNull();
    expect(rowOf('伊藤 翼').getByRole('button', { name: '伊藤 翼をつなぎ直す' })).toBeDefined();
    await press('メールボックスを追加');
    expect((await dialog()).queryByLabelText('共有のメールボックスにする')).toBeNull();
  });

  it('fills the button that mends a lost mailbox, else the one that adds a mailbox', async () => {
    const filled = () => [...document.querySelectorAll('main button[data-filled]')].map((b) => b.textContent);
    await open();
    expect(filled()).toEqual(['つなぎ直す']);
    rows = [SUZUKI];
    await act(() => reloadMailboxes(queryClient));
    await waitFor(() => expect(filled()).toEqual(['メールボックスを追加']));
  });

  it('leads to the first mailbox', async () => {
    rows = [];
    await open();
    await screen.findByText('メールボックスはまだありません');
    // The only one, which is filled.
    const add = screen.getByRole('button', { name: 'メールボックスを追加' });
    expect(add.dataset.filled).toBeDefined();
    await user.click(add);
    expect((await dialog()).getByRole('heading', { name: 'メールボックスの追加' })).toBeDefined();
  });

  it('offers a viewer nothing where there is none', async () => {
    rows = [];
    await open('viewer');
    await screen.findByText('メールボックスはまだありません');
    expect(screen.queryByRole('button', { name: 'メールボックスを追加' })).toBeNull();
  });

  it.each([0, 1] as const)('offers one to an account, and none to the demo, whose mails stay (%i)', async (is_demo) => {
    document.head.insertAdjacentHTML('beforeend', '<meta name="mail-catcher" content="yes">');
    onTestFinished(() => document.head.querySelector('meta[name="mail-catcher"]')?.remove());
    rows = [];
    await open('admin', '/settings/mailboxes', is_demo);
    await screen.findByText('メールボックスはまだありません');
    const offered = is_demo === 0;
    const strip = screen.getByText('メールは外部に送られません（サーバー未設定）').closest('p') as HTMLElement;
    expect(within(strip).queryByRole('link') !== null).toBe(offered);
    expect(screen.queryAllByRole('button', { name: 'メールボックスを追加' }).length > 0).toBe(offered);
    expect(screen.queryByText(/^お試しのアカウントのメールは、.*外部には送られません。/) === null).toBe(offered);
    await waitFor(() => expect(requests.some(({ path }) => path === '/oauth_app/google')).toBe(offered));
  });
});

describe('a new mailbox', () => {
  const PASSWORD = 'パスワード（必須）';

  async function fillServer(): Promise<void> {
    await press('メールボックスを追加');
    await fill('SMTPサーバー（必須）', 'mail.example.jp');
    await fill(PASSWORD, 'himitsu');
  }

  it('begins with the own address, adds the mailbox without its password, then stores that and checks', async () => {
    profiles = [{ id: 4, email: 'Tanaka@example.com', person_in_charge: '田中 直樹', mailbox_id: null, version: 'v1' }];
    await open();
    await fillServer();
    expect(await shownIn('メールアドレス（必須）')).toBe('tanaka@example.com');
    const waiting = deferred();
    next = [ok({ status: 'added', id: 8, version: 1 }), ok({ status: 'updated', id: 8, version: 2 }), waiting.answer];
    await press('接続を確かめる');
    expect(await (await dialog()).findAllByText(/確認中…/)).toHaveLength(8);
    waiting.resolve(FINE);
    await screen.findByText('つながりました');
    expect(changes()).toEqual([
      [
        'POST /mailbox',
        {
          add_info: {
            kind: 'smtp',
            name: '田中 直樹',
            address: 'tanaka@example.com',
            smtp_host: 'mail.example.jp',
            smtp_port: 587,
            security: 'starttls',
            username: 'tanaka@example.com',
            reads_replies: 0,
          },
        },
      ],
      ['PUT /mailbox/8', { version: 1, update_info: { password: 'himitsu' } }],
      ['POST /mailbox/8/check', {}],
    ]);
    requests.length = 0;
    expect((await dialog()).getByLabelText<HTMLInputElement>('この人の送信者に使う（田中 直樹）').checked).toBe(true);
    await press('完了');
    expect(await toastText('status')).toBe('メールは「田中 直樹」から送信されます');
    expect(changes()).toEqual([['PUT /sender_profile/4', { version: 'v1', update_info: { mailbox_id: 8 } }]]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('keeps all that was typed at a fault, shows it at its field, and then changes what it has added', async () => {
    await open();
    await fillServer();
    await user.selectOptions((await dialog()).getByLabelText('ポート'), '465（TLS）');
    next = [
      ok({ status: 'added', id: 8, version: 1 }),
      ok({ status: 'updated', id: 8, version: 2 }),
      checked('unchecked', { login: 'ユーザー名かパスワードが違います。' }),
    ];
    await press('接続を確かめる');
    await waitFor(async () => expect(await faultOf(PASSWORD)).toBe('ユーザー名かパスワードが違います'));
    await waitFor(async () => expect(document.activeElement).toBe((await dialog()).getByLabelText(PASSWORD)));
    expect(await shownIn('SMTPサーバー（必須）')).toBe('mail.example.jp');
    expect(await shownIn('ポート')).toBe('465/tls');
    expect(await shownIn(PASSWORD)).toBe('himitsu');
    const steps = within((await dialog()).getByRole('list', { name: '確認の結果' })).getAllByRole('listitem');
    expect(steps.map(({ dataset }) => dataset.state)).toEqual([
      'ok',
      'ok',
      'ok',
      'bad',
      'skipped',
      'skipped',
      'skipped',
      'skipped',
    ]);
    requests.length = 0;
    next = [ok({ status: 'updated', id: 8, version: 10 }), FINE];
    await fill(PASSWORD, 'himitsu2');
    expect(await faultOf(PASSWORD)).toBe('');
    await press('接続を確かめる');
    await screen.findByText('つながりました');
    expect(changes()).toEqual([
      ['PUT /mailbox/8', { version: 9, update_info: { password: 'himitsu2' } }],
      ['POST /mailbox/8/check', {}],
    ]);
  });

  it('puts no password into the drafts of the browser', async () => {
    await open();
    await fillServer();
    const { drafts } = useSession.getState();
    expect(Object.keys(drafts)).toEqual(['mailbox.new']);
    expect(JSON.stringify(drafts)).not.toContain('himitsu');
    await press('キャンセル');
    await press('破棄');
    expect(useSession.getState().drafts).toEqual({});
  });

  it.each([
    [400, 'invalid_host', '社内のサーバーには、管理者の設定（MAIL_HOSTS_ALLOWED）が必要です。', 'SMTPサーバー（必須）'],
    [409, 'address_taken', 'このアドレスのメールボックスが、すでにあります。', 'メールアドレス（必須）'],
  ])('shows %s %s at its field', async (status, code, message, label) => {
    await open();
    await fillServer();
    next = [refused(status, message, code)];
    await press('接続を確かめる');
    await waitFor(async () => expect(await faultOf(label)).toBe(message.replace(/。$/, '')));
    expect(changes()).toHaveLength(1);
  });

  it('says above the form what concerns no field', async () => {
    await open();
    await fillServer();
    next = [refused(409, 'お試しのアカウントでは、メールボックスをつなげません。', 'not_in_demo')];
    await press('接続を確かめる');
    expect((await alertIn(await dialog())).textContent).toContain('お試しのアカウントでは');
  });

  it('asks for what is missing before any call', async () => {
    await open();
    await press('メールボックスを追加');
    await user.click((await dialog()).getByLabelText('返信を読む'));
    await press('接続を確かめる');
    expect(await faultOf('SMTPサーバー（必須）')).toBe('SMTPサーバーを入力してください');
    expect(await faultOf(PASSWORD)).toBe('パスワードを入力してください');
    expect(await faultOf('IMAPサーバー（必須）')).toBe('IMAPサーバーを入力してください');
    expect(changes()).toEqual([]);
  });

  it('reads only with the consent, from the server of the mails unless another is named', async () => {
    await open();
    await fillServer();
    expect((await dialog()).getByText(/^受信トレイのうち、Kaitakuから送ったメールへの返信と/)).toBeDefined();
    await user.click((await dialog()).getByLabelText('返信を読む'));
    expect(await shownIn('IMAPサーバー（必須）')).toBe('mail.example.jp');
    await press('接続を確かめる');
    await screen.findByText('つながりました');
    expect(changes()[0]).toMatchObject([
      'POST /mailbox',
      { add_info: { reads_replies: 1, imap_host: 'mail.example.jp' } },
    ]);
  });

  it('asks before mails that wait leave by it too', async () => {
    profiles = [{ id: 4, email: 'tanaka@example.com', person_in_charge: '田中 直樹', mailbox_id: null, version: 'v1' }];
    await open();
    await fillServer();
    await press('接続を確かめる');
    await screen.findByText('つながりました');
    requests.length = 0;
    next = [refused(409, 'まだ送信していない3通も、新しいメールボックスから送信します。', 'has_open_mails')];
    await press('完了');
    expect((await alertIn(await dialog())).textContent).toBe(
      'まだ送信していない3通も、新しいメールボックスから送信します。よければ、もう一度「完了」を押してください。',
    );
    await press('完了');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(changes()[1]).toEqual([
      'PUT /sender_profile/4',
      { version: 'v1', confirmed: 1, update_info: { mailbox_id: 8 } },
    ]);
  });

  it('leaves the senders alone where that is not ticked', async () => {
    profiles = [{ id: 4, email: 'tanaka@example.com', person_in_charge: '田中 直樹', mailbox_id: null, version: 'v1' }];
    await open();
    await fillServer();
    await press('接続を確かめる');
    await user.click(await screen.findByLabelText('この人の送信者に使う（田中 直樹）'));
    await press('完了');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(changes().some(([call]) => call === 'PUT /sender_profile/4')).toBe(false);
  });
});

describe('a mailbox that is edited', () => {
  it('saves its limits and its name without a check', async () => {
    await open();
    await press('鈴木 彩を編集');
    await fill('1日の上限（通）', '1,000');
    await press('保存');
    expect(await toastText('status')).toBe('メールボックス「鈴木 彩」を保存しました');
    expect(changes()).toEqual([['PUT /mailbox/2', { version: 4, update_info: { per_day: 1000 } }]]);
  });

  it('refuses limits above those of its kind', async () => {
    rows = [mailbox(2, '鈴木 彩', { kind: 'google' })];
    await open();
    await press('鈴木 彩を編集');
    expect((await dialog()).queryByLabelText('SMTPサーバー（必須）')).toBeNull();
    await fill('1日の上限（通）', '1501');
    await fill('1分あたりの上限（通）', '61');
    await press('保存');
    expect(await faultOf('1日の上限（通）')).toBe('1〜1,500の整数で入力してください');
    expect(await faultOf('1分あたりの上限（通）')).toBe('1〜60の整数で入力してください');
    expect(changes()).toEqual([]);
  });

  it('says that another server must be checked, asks for the password again, and checks', async () => {
    await open();
    await press('鈴木 彩を編集');
    await fill('SMTPサーバー（必須）', 'smtp.example.jp');
    expect((await dialog()).getByText(/^アドレスやサーバーを変えると/)).toBeDefined();
    await press('保存して確かめる');
    expect(await faultOf('パスワード（必須）')).toBe('パスワードを入力してください');
    await fill('パスワード（必須）', 'himitsu');
    await press('保存して確かめる');
    await screen.findByText('つながりました');
    expect(changes()).toEqual([
      [
        'PUT /mailbox/2',
        {
          version: 4,
          update_info: { smtp_host: 'smtp.example.jp', imap_host: 'smtp.example.jp', password: 'himitsu' },
        },
      ],
      ['POST /mailbox/2/check', {}],
    ]);
  });

  it('shows at its field why reading cannot be switched off', async () => {
    await open();
    await press('鈴木 彩を編集');
    await user.click((await dialog()).getByLabelText('返信を読む'));
    const message = '送ったメールが、このメールボックスを配信停止の宛先にしています。返信の受信は、止められません。';
    next = [
      {
        status: 409,
        body: { code: 'reads_refusals', message, details: [{ path: 'update_info.reads_replies', message }] },
      },
    ];
    await press('保存');
    await (await dialog()).findByText(message.replace(/。$/, ''));
    const tick = (await dialog()).getByLabelText<HTMLInputElement>('返信を読む');
    expect([tick.checked, tick.getAttribute('aria-invalid')]).toEqual([false, 'true']);
    expect(changes()).toEqual([['PUT /mailbox/2', { version: 4, update_info: { reads_replies: 0 } }]]);
  });

  it('is shared by an admin', async () => {
    await open();
    await press('鈴木 彩を編集');
    await user.click((await dialog()).getByLabelText('共有のメールボックスにする'));
    await press('保存');
    await toastText('status');
    expect(changes()).toEqual([['PUT /mailbox/2', { version: 4, update_info: { is_shared: 1 } }]]);
  });

  it('proves another address by a check, and says at the field why it cannot be used', async () => {
    await open();
    await press('鈴木 彩を編集');
    await press('確かめて追加');
    expect(await faultOf('追加するアドレス')).toBe('追加するアドレスを入力してください');
    next = [checked('ok', { from: 'eigyo@example.jp から送る権限がありません。' }), FINE];
    await fill('追加するアドレス', 'eigyo@example.jp');
    await user.keyboard('{Enter}');
    await waitFor(async () =>
      expect(await faultOf('追加するアドレス')).toBe('eigyo@example.jp から送る権限がありません'),
    );
    expect(await shownIn('追加するアドレス')).toBe('eigyo@example.jp');
    rows = [{ ...SUZUKI, other_from: ['eigyo@example.jp'] }];
    await press('確かめて追加');
    expect(await toastText('status')).toBe('eigyo@example.jpを差出人に使えるようになりました');
    expect(await (await dialog()).findByText('eigyo@example.jp')).toBeDefined();
    expect(changes()).toEqual(Array(2).fill(['POST /mailbox/2/check', { from: 'eigyo@example.jp' }]));
  });

  it('says what a further address needs where no inbox is known in which a mail could prove it', async () => {
    await open();
    await press('営業部を編集');
    expect((await dialog()).getByText(/「返信を読む」にチェックを入れて保存してください。$/)).toBeDefined();
    expect((await dialog()).queryByLabelText('追加するアドレス')).toBeNull();
  });

  it('takes another address away after a question, with what was typed in the form kept', async () => {
    rows = [{ ...SUZUKI, other_from: ['eigyo@example.jp', 'info@example.jp'] }];
    await open();
    await press('鈴木 彩を編集');
    await fill('名前（必須）', '鈴木');
    await press('eigyo@example.jpを外す');
    const consequence = '外すと、eigyo@example.jpから送る予定のメールは取り消されます。';
    expect((await dialog()).getByText(consequence)).toBeDefined();
    await press('eigyo@example.jpを外す');
    expect((await dialog()).queryByText(consequence)).toBeNull();
    await press('eigyo@example.jpを外す');
    expect(changes()).toEqual([]);
    rows = [{ ...SUZUKI, other_from: ['info@example.jp'], version: 5 }];
    await press('このアドレスを外す');
    expect(await toastText('status')).toBe('eigyo@example.jpを差出人に使わなくなりました');
    await waitFor(async () => expect((await dialog()).queryByText('eigyo@example.jp')).toBeNull());
    expect((await dialog()).getByText('info@example.jp')).toBeDefined();
    expect(await shownIn('名前（必須）')).toBe('鈴木');
    await press('保存');
    await waitFor(() =>
      expect(changes()).toEqual([
        ['PUT /mailbox/2', { version: 4, update_info: { remove_from: 'eigyo@example.jp' } }],
        ['PUT /mailbox/2', { version: 5, update_info: { name: '鈴木' } }],
      ]),
    );
  });

  it('shows why it waits, with the answer of its server', async () => {
    await open();
    await press('木村 健太を編集');
    expect(
      (await dialog()).getByText('サーバーの送信の上限に達したため、2099/11/30（月）9:00まで送信を待っています。'),
    ).toBeDefined();
    expect((await dialog()).getByText('サーバーの応答：550 5.4.5 Daily limit')).toBeDefined();
    expect((await dialog()).getByText('返信を受信できていません：サーバーに接続できません。')).toBeDefined();
  });

  it('shows what another member has saved meanwhile, and keeps what was typed', async () => {
    await open();
    await press('鈴木 彩を編集');
    await fill('名前（必須）', '鈴木');
    rows = [{ ...SUZUKI, name: '鈴木 彩香', version: 5 }];
    next = [refused(409, '佐藤 花子さんが11/29 9:00に変更しました。', 'mailbox_changed')];
    await press('保存');
    expect((await alertIn(await dialog())).textContent).toContain('鈴木 彩香');
    expect(await shownIn('名前（必須）')).toBe('鈴木');
  });
});

describe('a lost mailbox', () => {
  it('is connected again by a new password', async () => {
    await open();
    await press('伊藤 翼をつなぎ直す');
    expect((await dialog()).getByText(/^ログインできなくなりました。/)).toBeDefined();
    expect((await dialog()).getByText('サーバーの応答：535 5.7.8 Error')).toBeDefined();
    expect(document.activeElement).toBe((await dialog()).getByLabelText('パスワード（必須）'));
    await press('接続を確かめる');
    expect(await faultOf('パスワード（必須）')).toBe('パスワードを入力してください');
    await fill('パスワード（必須）', 'new');
    await press('接続を確かめる');
    await screen.findByText('つながりました');
    expect(changes()).toEqual([
      ['PUT /mailbox/3', { version: 4, update_info: { password: 'new' } }],
      ['POST /mailbox/3/check', {}],
    ]);
  });

  it('is named by the strip of each screen, whose link opens the dialog', async () => {
    await open('sales', '/settings/members');
    const strip = (await screen.findByText('伊藤 翼の接続が切れました')).closest('p') as HTMLElement;
    await user.click(within(strip).getByRole('link', { name: 'つなぎ直す' }));
    expect((await dialog()).getByRole('heading', { name: 'メールボックスのつなぎ直し' })).toBeDefined();
  });

  it('opens no dialog for who may not change it', async () => {
    rows = [{ ...LOST, may_change: 0 }];
    await open('sales', '/settings/mailboxes?reconnect=3');
    await screen.findByText('つなぎ直しが必要');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.queryByText(/の接続が切れました$/)).toBeNull();
  });
});

describe('the acts of the menu', () => {
  async function choose(entry: string): Promise<void> {
    await press('鈴木 彩の操作');
    await press(entry);
  }

  it('checks a mailbox once as it is, and again at a press', async () => {
    await open();
    next = [checked('ok', { connect: 'mail.example.jp のポート587に接続できません。' })];
    await choose('確かめる');
    await (await dialog()).findByText('mail.example.jp のポート587に接続できません。');
    await press('もう一度確かめる');
    await waitFor(async () => expect((await dialog()).queryByRole('button', { name: 'もう一度確かめる' })).toBeNull());
    expect(changes()).toEqual(Array(2).fill(['POST /mailbox/2/check', {}]));
  });

  it('says why there is no check', async () => {
    await open();
    next = [refused(429, 'メールボックスを確かめた回数が上限に達しました。', 'too_many_checks')];
    await choose('確かめる');
    expect((await alertIn(await dialog())).textContent).toBe('メールボックスを確かめた回数が上限に達しました');
  });

  it('disconnects it, after another question where mails wait', async () => {
    await open();
    const message = 'このメールボックスから送る予定の1,200通と予約2件は、送信されません。';
    next = [refused(409, message, 'has_open_mails')];
    await choose('切断');
    expect((await dialog()).getByText(/^「鈴木 彩（m\d@example\.jp）」を切断しますか？$/)).toBeDefined();
    await press('切断', await dialog());
    expect((await alertIn(await dialog())).textContent).toBe(message);
    await press('切断', await dialog());
    expect(await toastText('status')).toBe('メールボックス「鈴木 彩」を切断しました');
    expect(changes()).toEqual([
      ['PUT /mailbox/2', { version: 4, update_info: { active: 0 } }],
      ['PUT /mailbox/2', { version: 4, confirmed: 1, update_info: { active: 0 } }],
    ]);
  });
});
