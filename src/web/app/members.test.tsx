import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { accountRuleWith, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { alertIn, renderApp, theirChanges, toastText } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { startSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/members.tsx';
import '#web/features/members/member-dialogs.tsx';

const member = (id: number, name: string, more: object = {}) => ({
  id,
  name,
  email: `m${id}@example.jp`,
  role: 'sales',
  sender_group_ids: null as number[] | null,
  active: 1,
  is_me: 0,
  version: 'v1',
  last_login_at: '2099/11/26 18:40:00',
  two_factor: 0,
  reservations: 0,
  ...more,
});
const ME = member(1, '田中 直樹', { role: 'admin', is_me: 1 });
const SUZUKI = member(2, '鈴木 彩', { sender_group_ids: [4] });
const KIMURA = member(3, '木村 健太', { role: 'viewer', last_login_at: null });
const SATO = member(5, '佐藤 花子', { active: 0 });
const GROUPS = [
  { id: 4, group_name: '首都圏営業部', active: 1 },
  { id: 6, group_name: '西日本営業部', active: 1 },
  { id: 8, group_name: '旧営業部', active: 0 },
];
let members: object[];
let rule: Parameters<typeof accountRuleWith>[0];
let requests: FakeRequest[];
/** The answers to changes, in order; then they succeed. */
let next: FakeAnswer[];

const changed = (): FakeAnswer => next.shift() ?? ok({ status: 'updated', version: 'v2', sessions_ended: 1 });
const put = (path: string) => requests.filter((request) => request.method !== 'GET' && request.path === path);
const bodies = (path: string) => put(path).map(({ body }) => body);
const conflict = (code: string, message: string, details?: object): FakeAnswer => ({
  status: 409,
  body: { code, message, ...(details && { details }) },
});

async function open(role: Role = 'admin') {
  startSession('token-1', { ...USER, member: { id: 1, role, sender_group_ids: null, may_export: 1 } });
  requests = fakeApi({
    'GET /member/list': () => ok(members),
    'GET /invitation/list': () => ok([]),
    'GET /sender_group/list': () => ok(GROUPS),
    'GET /sender_profile/list': () => ok([{ email: 'M2@example.jp' }, { email: 'other@example.jp' }]),
    'GET /sender/list': () => ok([]),
    'PUT /member/2': changed,
    'PUT /member/5': changed,
    'POST /member/2/password_reset': () => next.shift() ?? ok({ status: 'sent' }),
    'PUT /account_rule': ({ body }) => {
      rule = (body as { update_info: typeof rule }).update_info;
      return ok({ status: 'updated' });
    },
    'GET /account_rule': () => ok(accountRuleWith(rule)),
  });
  const app = await renderApp('/settings/members');
  await screen.findByText('鈴木 彩');
  return app;
}

const user = userEvent.setup();
const press = async (name: string | RegExp, within_: Pick<typeof screen, 'findByRole'> = screen) =>
  user.click(await within_.findByRole('button', { name }));
const dialog = async () => within(await screen.findByRole('dialog'));
async function choose(entry: string, name = '鈴木 彩'): Promise<void> {
  await press(`${name}の操作`);
  await press(entry);
}
const rowOf = (text: string) => within(screen.getByText(text).closest('tr') as HTMLElement);

beforeEach(() => {
  members = [ME, SUZUKI, KIMURA, SATO];
  next = [];
  rule = {};
});

describe('the list of members', () => {
  it('shows role, groups, last log-in and state of each, and no menu at oneself', async () => {
    await open();
    const cells = (text: string) =>
      rowOf(text)
        .getAllByRole('gridcell')
        .map(({ textContent }) => textContent);
    expect(cells('鈴木 彩').slice(0, 6)).toEqual([
      'm2@example.jp',
      '営業',
      '首都圏営業部',
      '未設定',
      '2099/11/26（木）18:40',
      '有効',
    ]);
    expect(cells('木村 健太').slice(1, 5)).toEqual(['閲覧のみ', '–', '未設定', 'まだありません']);
    expect(cells('佐藤 花子')[5]).toBe('利用停止');
    expect(screen.getByText('3人（ほかに利用停止 1人）')).toBeDefined();
    expect(rowOf('田中 直樹（自分）').queryByRole('button')).toBeNull();
  });

  it.each(['sales', 'viewer'] as const)('is seen by %s without buttons, log-ins and calls of admins', async (role) => {
    members = members.map((row) => ({
      ...row,
      last_login_at: undefined,
      two_factor: undefined,
      reservations: undefined,
    }));
    await open(role);
    const main = within(screen.getByRole('main'));
    expect(main.queryByRole('columnheader', { name: '最終ログイン' })).toBeNull();
    expect(main.queryByRole('button', { name: /の操作$|招待/ })).toBeNull();
    expect(main.queryByRole('checkbox')).toBeNull();
    expect(main.getByText('役割でできること')).toBeDefined();
    expect(requests.map(({ path }) => path)).not.toContain('/invitation/list');
  });

  it('sends the mail for a new password, and says why it does not', async () => {
    await open();
    next = [refused(429, '送信回数が上限に達しました。', 'too_many_mails')];
    await choose('パスワードの再設定を送る');
    expect(await toastText('alert')).toBe('送信回数が上限に達しました');
    await choose('パスワードの再設定を送る');
    expect(await toastText('status')).toBe('m2@example.jpにパスワードの再設定のメールを送りました');
    expect(put('/member/2/password_reset')).toHaveLength(2);
  });

  it('says what each role may do, and who may export', async () => {
    await open();
    const mayOf = (act: string) =>
      rowOf(act)
        .getAllByRole('cell', { hidden: true })
        .map(({ textContent }) => textContent);
    expect(mayOf('会社・送信履歴・返信・レポートを見る')).toEqual(['○', '○', '○']);
    expect(mayOf('送信・予約・送り直し')).toEqual(['○', '○', '–']);
    expect(mayOf('メンバーの招待・役割・利用の停止')).toEqual(['○', '–', '–']);
    expect(mayOf('書き出し')).toEqual(['○', '○', '–']);
    await user.click(screen.getByLabelText('書き出しを管理者だけにする'));
    await waitFor(() => expect(mayOf('書き出し')).toEqual(['○', '–', '–']));
  });

  it('lets only admins export, at once', async () => {
    await open();
    await user.click(await screen.findByLabelText('書き出しを管理者だけにする'));
    expect(bodies('/account_rule')).toEqual([{ update_info: { export_needs_admin: 1 } }]);
    expect(await screen.findByText('保存済み')).toBeDefined();
  });
});

describe('role and groups', () => {
  it('makes an admin of a member, without groups', async () => {
    await open();
    await choose('役割を変更');
    await user.selectOptions((await dialog()).getByLabelText('役割'), '管理者');
    expect(screen.queryByLabelText('選ぶ')).toBeNull();
    await press('保存');
    expect(await toastText('status')).toBe('鈴木 彩さんの役割を変更しました');
    expect(bodies('/member/2')).toEqual([{ version: 'v1', update_info: { role: 'admin', sender_group_ids: null } }]);
  });

  it('binds a member to the ticked groups, of which there must be one', async () => {
    await open();
    await choose('送信者グループを変更');
    expect(screen.queryByLabelText('旧営業部（無効）')).toBeNull();
    await user.click(screen.getByLabelText('首都圏営業部'));
    await press('保存');
    expect(await screen.findByText('送信者グループを1つ以上選んでください')).toBeDefined();
    expect(document.activeElement).toBe(screen.getByLabelText('首都圏営業部'));
    await user.click(screen.getByLabelText('西日本営業部'));
    await press('保存');
    await waitFor(() =>
      expect(bodies('/member/2')).toEqual([{ version: 'v1', update_info: { role: 'sales', sender_group_ids: [6] } }]),
    );
  });

  it('offers no groups for a role that acts in all or in none', async () => {
    await open();
    await press('木村 健太の操作');
    expect(screen.queryByRole('button', { name: '送信者グループを変更' })).toBeNull();
  });

  it('shows what another admin has saved meanwhile, and saves over it with the new version', async () => {
    await open();
    await choose('役割を変更');
    await user.selectOptions((await dialog()).getByLabelText('役割'), '管理者');
    members = [ME, { ...SUZUKI, role: 'viewer', sender_group_ids: null, version: 'v7' }];
    next = [conflict('member_changed', 'ほかの人が変更しました。')];
    await press('保存');
    expect(within(await theirChanges()).getByText('閲覧のみ')).toBeDefined();
    expect((await dialog()).getByLabelText<HTMLSelectElement>('役割').value).toBe('admin');
    await press('保存');
    await waitFor(() => expect(bodies('/member/2')).toHaveLength(2));
    expect(bodies('/member/2')[1]).toMatchObject({ version: 'v7', update_info: { role: 'admin' } });
  });

  it('keeps role and groups together beside the other admin', async () => {
    await open();
    await choose('送信者グループを変更');
    await user.click(screen.getByLabelText('西日本営業部'));
    members = [ME, { ...SUZUKI, role: 'viewer', sender_group_ids: null, version: 'v7' }];
    next = [conflict('member_changed', 'ほかの人が変更しました。')];
    await press('保存');
    await theirChanges();
    await press('保存');
    await waitFor(() => expect(bodies('/member/2')).toHaveLength(2));
    expect(bodies('/member/2')[1]).toEqual({
      version: 'v7',
      update_info: { role: 'sales', sender_group_ids: [4, 6] },
    });
  });

  it('says at the role that nobody else is an admin', async () => {
    await open();
    const message = '最後の管理者のため、変更できません。先にほかの人を管理者にしてください';
    next = [conflict('last_admin', `${message}。`)];
    await choose('役割を変更');
    await user.selectOptions((await dialog()).getByLabelText('役割'), '閲覧のみ');
    await press('保存');
    const role = (await dialog()).getByLabelText('役割');
    await waitFor(() => expect(role.getAttribute('aria-invalid')).toBe('true'));
    expect((await dialog()).getByText(message)).toBeDefined();
  });
});

describe('a lost telephone', () => {
  it('loses its second step by a dialog that says what ends; nobody without one has the entry', async () => {
    members = [{ ...ME, two_factor: 1 }, { ...SUZUKI, two_factor: 1 }, KIMURA, { ...SATO, two_factor: 1 }];
    await open();
    expect(rowOf('鈴木 彩').getByText('オン')).toBeDefined();
    for (const name of ['木村 健太', '佐藤 花子']) {
      await press(`${name}の操作`);
      expect(screen.queryByRole('button', { name: '二段階認証を外す' })).toBeNull();
      await user.keyboard('{Escape}');
    }
    await choose('二段階認証を外す');
    const form = await dialog();
    expect(form.getByText('鈴木 彩さんの二段階認証を外しますか？')).toBeDefined();
    expect(form.getByText(/すべての端末からログアウト.*メールでお知らせします。$/)).toBeDefined();
    await press('二段階認証を外す', form);
    expect(await toastText('status')).toBe('鈴木 彩さんの二段階認証を外しました');
    expect(bodies('/member/2')).toEqual([{ version: 'v1', update_info: { two_factor: 0 } }]);
  });

  it('asks the password where the log-in is old, at the same button', async () => {
    members = [ME, { ...SUZUKI, two_factor: 1 }];
    await open();
    const message = '現在のパスワードが違います';
    const details = [{ path: 'current_password', message }];
    const needed = refused(400, 'もう一度ログインしてから、変更してください。', 'password_needed');
    next = [needed, { status: 400, body: { code: 'wrong_password', message, details } }];
    await choose('二段階認証を外す');
    const form = await dialog();
    await press('二段階認証を外す', form);
    const field = await form.findByLabelText<HTMLInputElement>('現在のパスワード');
    await user.type(field, 'my');
    await press('二段階認証を外す', form);
    await form.findByText(message);
    expect(field.value).toBe('my');
    await user.type(field, ' password');
    await press('二段階認証を外す', form);
    expect(await toastText('status')).toBe('鈴木 彩さんの二段階認証を外しました');
    const body = { version: 'v1', update_info: { two_factor: 0 } };
    const proofs = [{}, { current_password: 'my' }, { current_password: 'my password' }];
    expect(bodies('/member/2')).toEqual(proofs.map((proof) => ({ ...body, ...proof })));
  });
});

describe('a stop', () => {
  it('hands the reservations over to oneself, or to a colleague who may have them', async () => {
    members = [ME, { ...SUZUKI, reservations: 2 }, KIMURA, SATO, member(6, '伊藤 翼')];
    await open();
    await choose('利用を停止');
    const select = await screen.findByLabelText<HTMLSelectElement>('引き継ぎ先（予約 2件）');
    expect([...select.options].map(({ text }) => text)).toEqual(['田中 直樹（自分）', '伊藤 翼']);
    expect(select.value).toBe('1');
    const refusal = 'この人は、「首都圏営業部」では操作できないため、引き継げません';
    next = [
      {
        status: 400,
        body: { code: 'invalid_input', message: '誤り', details: [{ path: 'hand_over_to', message: refusal }] },
      },
    ];
    await user.selectOptions(select, '伊藤 翼');
    await press('利用を停止', await dialog());
    expect(await screen.findByText(refusal)).toBeDefined();
    expect(select.value).toBe('6');
    await user.selectOptions(select, '田中 直樹（自分）');
    await press('利用を停止', await dialog());
    expect(await toastText('status')).toBe('鈴木 彩さんの利用を停止しました');
    expect(bodies('/member/2')).toEqual(
      [6, 1].map((hand_over_to) => ({ version: 'v1', update_info: { active: 0 }, hand_over_to })),
    );
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('asks for a colleague when a reservation came after the list had loaded', async () => {
    await open();
    await choose('利用を停止');
    expect(screen.queryByLabelText(/^引き継ぎ先/)).toBeNull();
    const message = 'まだ送信していない予約が1件あります。引き継ぐ人を選んでください';
    next = [conflict('hand_over_needed', `${message}。`, [{ path: 'reservations', message: '1' }])];
    await press('利用を停止', await dialog());
    expect((await alertIn(await dialog())).textContent).toBe(message);
    expect(await screen.findByLabelText('引き継ぎ先（予約 1件）')).toBeDefined();
    await press('利用を停止', await dialog());
    await waitFor(() => expect(bodies('/member/2')[1]).toMatchObject({ hand_over_to: 1 }));
  });

  it('asks before mails that wait for the member’s mailboxes stay unsent', async () => {
    await open();
    await choose('利用を停止');
    const message = 'この人のメールボックスから送る予定の3通と予約1件は、送信されません';
    const details = [
      { path: 'mails', message: '3' },
      { path: 'reservations', message: '1' },
    ];
    next = [conflict('has_open_mails', `${message}。`, details)];
    await press('利用を停止', await dialog());
    expect((await alertIn(await dialog())).textContent).toBe(message);
    await press('利用を停止', await dialog());
    expect(await toastText('status')).toBe('鈴木 彩さんの利用を停止しました');
    const body = { version: 'v1', update_info: { active: 0 } };
    expect(bodies('/member/2')).toEqual([body, { ...body, confirmed: 1 }]);
  });

  it('says that mails leave with the address, and links to the senders', async () => {
    await open();
    await choose('利用を停止');
    expect(await screen.findByText(/^m2@example.jpを差出人にしているものが1件あります。/)).toBeDefined();
    const link = (await dialog()).getByRole('link', { name: '差出人を見る' });
    expect(link.getAttribute('href')).toBe('/settings/groups');
  });

  it('is taken back by an act that asks first', async () => {
    await open();
    await choose('もう一度利用する', '佐藤 花子');
    expect(bodies('/member/5')).toEqual([]);
    await press('もう一度利用する', await dialog());
    expect(await toastText('status')).toBe('佐藤 花子さんが、もう一度利用できるようになりました');
    expect(bodies('/member/5')).toEqual([{ version: 'v1', update_info: { active: 1 } }]);
  });
});
