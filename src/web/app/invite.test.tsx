import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { DAY_MS, HOUR_MS } from '#domain/time-units.ts';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { paste } from '#test/web/paste.ts';
import { alertIn, renderApp, toastText } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { startSession, useSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/members.tsx';
import '#web/features/members/invite-dialog.tsx';

const GROUPS = [
  { id: 4, group_name: '首都圏営業部', active: 1 },
  { id: 6, group_name: '西日本営業部', active: 1 },
];
const invitation = (id: number, email: string, more: object = {}) => ({
  id,
  email,
  role: 'sales',
  sender_group_ids: null,
  state: 'waiting',
  mail_state: 'sent',
  invited_by: '田中 直樹',
  expires_at: formatSecond(Date.now() + 5.5 * DAY_MS),
  created_at: '2099/11/13 12:00:00',
  ...more,
});

let invitations: object[];
let requests: FakeRequest[];
/** The answers to changes, in order; then they succeed. */
let next: FakeAnswer[];

async function open() {
  startSession('token-1', { ...USER, member: { id: 1, role: 'admin', sender_group_ids: null, may_export: 1 } });
  requests = fakeApi({
    'GET /member/list': () => ok([]),
    'GET /invitation/list': () => ok(invitations),
    'GET /sender_group/list': () => ok(GROUPS),
    'POST /invitation': () => next.shift() ?? ok({ status: 'added', invited: 2, skipped: [] }),
    'POST /invitation/9/send': () => next.shift() ?? ok({ status: 'sent' }),
    'PUT /invitation/9': () => next.shift() ?? ok({ status: 'updated' }),
  });
  return renderApp('/settings/members');
}

const user = userEvent.setup();
const press = async (name: string | RegExp) => user.click(await screen.findByRole('button', { name }));
async function openDialog(): Promise<void> {
  await press('メンバーを招待');
  await screen.findByRole('dialog');
}
const made = (path: string) => requests.filter((request) => request.method !== 'GET' && request.path === path);
const bodies = () => made('/invitation').map(({ body }) => (body as { add_info: object }).add_info);
const field = () => screen.getByLabelText<HTMLTextAreaElement>('メールアドレス（必須）');

async function invite(emails: string): Promise<void> {
  await user.clear(field());
  await paste(user, field(), emails);
  await press('招待');
}

beforeEach(() => {
  invitations = [];
  next = [];
});

it('invites each line once, and closes', async () => {
  await open();
  await openDialog();
  await invite(' a@example.jp \n\nb@example.jp\n');
  expect(await toastText('status')).toBe('2人に招待のメールを送ります');
  expect(bodies()).toEqual([{ emails: ['a@example.jp', 'b@example.jp'], role: 'sales', sender_group_ids: null }]);
  expect(made('/invitation')[0]?.headers.get('Idempotency-Key')).toMatch(/^[\w-]{36}$/);
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('invites with a role, or into chosen groups', async () => {
  await open();
  await openDialog();
  const role = within(screen.getByRole('dialog')).getByLabelText('役割');
  await user.selectOptions(role, 'viewer');
  expect(screen.queryByLabelText('選ぶ')).toBeNull();
  await user.selectOptions(role, 'sales');
  await user.click(screen.getByLabelText('選ぶ'));
  await invite('a@example.jp');
  expect(await screen.findByText('送信者グループを1つ以上選んでください')).toBeDefined();
  await user.click(screen.getByLabelText('西日本営業部'));
  await press('招待');
  await waitFor(() => expect(bodies()).toEqual([{ emails: ['a@example.jp'], role: 'sales', sender_group_ids: [6] }]));
});

it('refuses no address and 21 of them before it asks the server', async () => {
  await open();
  await openDialog();
  await press('招待');
  expect(await screen.findByText('メールアドレスを入力してください')).toBeDefined();
  await invite(Array.from({ length: 21 }, (_, n) => `m${n}@example.jp`).join('\n'));
  expect(await screen.findByText('一度に招待できるのは20人までです')).toBeDefined();
  expect(document.activeElement).toBe(field());
  expect(bodies()).toEqual([]);
});

it('lists who was not invited with the reason, and keeps what can be corrected', async () => {
  await open();
  await openDialog();
  const skipped = ['already_member', 'stopped', 'already_invited', 'repeated', 'invalid'].map((reason) => ({
    email: reason === 'invalid' ? '山田' : `${reason}@example.jp`,
    reason,
  }));
  next = [ok({ status: 'added', invited: 1, skipped })];
  await invite('a@example.jp\n山田');
  const told = await alertIn(within(screen.getByRole('dialog')));
  expect(
    within(told)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual([
    'already_member@example.jp：すでにメンバーです',
    'stopped@example.jp：利用を停止している人です（一覧の「もう一度利用する」で戻せます）',
    'already_invited@example.jp：すでに招待しています（一覧の「もう一度送る」で送り直せます）',
    'repeated@example.jp：同じアドレスが重なっています',
    '山田：メールアドレスの形ではありません',
  ]);
  expect(told.textContent).toContain('1人に招待のメールを送ります');
  expect(field().value).toBe('山田');
});

it('keeps all that was typed if nobody was invited, and asks with a new key', async () => {
  await open();
  await openDialog();
  const answer = ok({ status: 'added', invited: 0, skipped: [{ email: 'a@example.jp', reason: 'already_invited' }] });
  next = [answer, answer];
  await invite('a@example.jp');
  expect(await screen.findByText('招待した人はいません')).toBeDefined();
  expect(field().value).toBe('a@example.jp');
  await press('招待');
  await waitFor(() => expect(bodies()).toHaveLength(2));
  const [first, second] = made('/invitation').map(({ headers }) => headers.get('Idempotency-Key'));
  expect(second).not.toBe(first);
});

it('shows a refusal in the dialog, keeps what was typed, and repeats with the same key', async () => {
  await open();
  await openDialog();
  const full = 'メンバーと招待中の人は、合わせて200人までです。使わない招待を取り消してください';
  const path = 'add_info.emails.1';
  next = [
    refused(409, `${full}。`, 'too_many_members'),
    { status: 400, body: { code: 'invalid_input', message: '誤り', details: [{ path, message: '長すぎます' }] } },
  ];
  await invite('a@example.jp\nb@example.jp');
  expect((await alertIn(within(screen.getByRole('dialog')))).textContent).toBe(full);
  await press('招待');
  expect(await screen.findByText('長すぎます')).toBeDefined();
  expect(field().value).toBe('a@example.jp\nb@example.jp');
  const [first, second] = made('/invitation').map(({ headers }) => headers.get('Idempotency-Key'));
  expect(second).toBe(first);
});

it('asks before typed addresses are lost', async () => {
  await open();
  await openDialog();
  await paste(user, field(), 'a@example.jp');
  await press('キャンセル');
  await press('編集を続ける');
  expect(field().value).toBe('a@example.jp');
  await press('キャンセル');
  await press('破棄');
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('says that a caught mail needs a mailbox, and leads there', async () => {
  invitations = [invitation(9, 'a@example.jp', { mail_state: 'caught' })];
  await open();
  const list = await screen.findByRole('region', { name: '招待中 1人' });
  expect(within(list).getByText('届きません')).toBeDefined();
  expect(within(list).getByText('招待メールを送るには、メールボックスをつないでください。')).toBeDefined();
  const link = within(list).getByRole('link', { name: 'メールボックスをつなぐ' });
  expect(link.getAttribute('href')).toBe('/settings/mailboxes');
  await act(async () =>
    useSession.setState(({ current_user }) => ({ current_user: current_user && { ...current_user, is_demo: 1 } })),
  );
  // The demo may have none.
  expect(within(list).getByText('届きません')).toBeDefined();
  expect(within(list).queryByText(/メールボックスをつないで/)).toBeNull();
});

it('lists open invitations with what keeps them from being used, each address once', async () => {
  invitations = [
    invitation(9, 'a@example.jp', { mail_state: 'failed' }),
    invitation(8, 'b@example.jp', { expires_at: formatSecond(Date.now() + 1.5 * HOUR_MS) }),
    invitation(7, 'c@example.jp', { state: 'expired', role: 'viewer' }),
    invitation(6, 'd@example.jp', { state: 'accepted' }),
    invitation(5, 'e@example.jp', { state: 'cancelled' }),
    invitation(4, 'A@example.jp', { state: 'expired' }),
    invitation(3, 'd@example.jp', { state: 'expired' }),
    invitation(2, 'f@example.jp', { sender_group_ids: [4, 6] }),
  ];
  await open();
  const list = await screen.findByRole('region', { name: '招待中 3人（ほかに期限切れ 1人）' });
  const rows = within(list).getAllByRole('row').slice(1);
  expect(
    rows.map((row) =>
      [...row.children]
        .slice(0, 4)
        .map(({ textContent }) => textContent)
        .join(' '),
    ),
  ).toEqual([
    'a@example.jp 営業 すべて 送信できませんでした',
    'b@example.jp 営業 すべて あと2時間',
    'c@example.jp 閲覧のみ – 期限切れ',
    'f@example.jp 営業 首都圏営業部、西日本営業部 あと6日',
  ]);
});

it('sends an invitation again, and says why it does not', async () => {
  invitations = [invitation(9, 'a@example.jp')];
  await open();
  next = [refused(503, 'メールを送信できませんでした。', 'mail_not_sent')];
  await press('a@example.jpにもう一度送る');
  expect(await toastText('alert')).toBe('メールを送信できませんでした');
  await press('a@example.jpにもう一度送る');
  expect(await toastText('status')).toBe('a@example.jpに招待のメールを送りました');
  expect(made('/invitation/9/send')).toHaveLength(2);
});

it('cancels an invitation, which then leaves the list', async () => {
  invitations = [invitation(9, 'a@example.jp')];
  await open();
  await press('a@example.jpの招待の操作');
  invitations = [];
  await press('招待を取り消す');
  expect(await toastText('status')).toBe('a@example.jpの招待を取り消しました');
  expect(made('/invitation/9').map(({ body }) => body)).toEqual([{ update_info: { active: 0 } }]);
  await waitFor(() => expect(screen.queryByText('a@example.jp')).toBeNull());
});
