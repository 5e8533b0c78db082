import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { paste } from '#test/web/paste.ts';
import { renderApp, toastTextNow } from '#test/web/render.tsx';
import { prospect, USER } from '#test/web/samples.ts';
import { setDraft, startSession, useSession } from '#web/lib/session/session-store.ts';

const ASKED = '管理者が、全員に二段階認証を求めています。設定すると、続きから使えます。';
const FIRST = refused(403, '管理者が全員に二段階認証を求めています。', 'two_factor_setup');

const user = userEvent.setup();
let member: Record<string, unknown>;
const isOpen = () => member.two_factor === 1 || member.two_factor_required === 0;
const behind = (answer: unknown) => (): FakeAnswer => (isOpen() ? ok(answer) : FIRST);

/** Opens the screens with a session from before the account asked for a second step. */
async function open(address = '/?address=%E6%9D%B1%E4%BA%AC') {
  startSession('token-1', { ...USER, member: { id: 1, role: 'admin', two_factor: 0, two_factor_required: 0 } });
  fakeApi({
    'GET /account/7': () => ok({ ...USER, member, email_before_confirmation: null, version: 'v1' }),
    'GET /prospect/view': behind({ rows: [prospect(1)], total: 1 }),
    'GET /sender_group/list': behind([{ id: 1, group_name: '営業部' }]),
    'GET /sender/list': behind([]),
    'GET /send_log/view': behind({ rows: [], total: 0 }),
    'GET /reservation/view': behind({ rows: [], total: 0 }),
    'POST /auth/two_factor/start': () => ok({ secret: 'ABCD2345', uri: 'otpauth://totp/x' }),
    'POST /auth/two_factor/confirm': () => {
      member = { ...member, two_factor: 1, recovery_codes_left: 10 };
      return ok({ recovery_codes: ['AAAA-BBBB-CCCC-DDD2'] });
    },
    'POST /auth/logout': () => ok({ status: 'logged-out' }),
  });
  return renderApp(address);
}

beforeEach(() => {
  member = {
    id: 1,
    role: 'admin',
    sender_group_ids: null,
    may_export: 1,
    two_factor: 0,
    recovery_codes_left: 0,
    two_factor_required: 1,
  };
});

it('shows the set-up alone, and after it the screen as it was', async () => {
  const { router } = await open();
  setDraft('account.name', '途中の氏名');
  expect(await screen.findByText(ASKED)).toBeDefined();
  await screen.findByRole('button', { name: '設定する' });
  const header = within(screen.getByRole('banner'));
  expect(header.queryByRole('link', { name: 'アカウント' })).toBeNull();
  expect(header.queryByRole('link', { name: '送信履歴' })).toBeNull();
  expect(header.queryByRole('button', { name: '検索' })).toBeNull();
  expect(header.getByRole('button', { name: 'ログアウト' })).toBeDefined();
  expect(screen.getByRole('button', { name: 'パスワードを変更' })).toBeDefined();
  expect(screen.queryByRole('button', { name: '編集' })).toBeNull();
  expect(toastTextNow('alert')).toBe('');

  await user.click(screen.getByRole('button', { name: '設定する' }));
  await paste(user, await screen.findByLabelText('現在のパスワード'), 'correct horse');
  await user.click(screen.getByRole('button', { name: '次へ' }));
  await user.type(await screen.findByLabelText('認証コード'), '123456');
  await user.click(screen.getByRole('button', { name: 'オンにする' }));
  const stored = await screen.findByLabelText('保管しました');
  // The codes stay in sight, although the screens would work again.
  await act(async () => document.dispatchEvent(new Event('visibilitychange')));
  expect(screen.getByText('AAAA-BBBB-CCCC-DDD2')).toBeDefined();
  await user.click(stored);
  await user.click(screen.getByRole('button', { name: '完了' }));
  expect(await screen.findByRole('rowheader', { name: '第1商事' })).toBeDefined();
  expect(screen.queryByText(ASKED)).toBeNull();
  expect(router.state.location.search).toBe('?address=%E6%9D%B1%E4%BA%AC');
  expect(useSession.getState().drafts).toEqual({ 'account.name': '途中の氏名' });
  expect(header.getByRole('link', { name: 'アカウント' })).toBeDefined();
});

it.each([
  ['another tab has set it up', { two_factor: 1 }],
  ['an admin asks for it no more', { two_factor_required: 0 }],
])('ends as the tab comes into sight, where %s', async (_, change) => {
  await open();
  await screen.findByText(ASKED);
  Object.assign(member, change);
  await act(async () => document.dispatchEvent(new Event('visibilitychange')));
  expect(await screen.findByRole('rowheader', { name: '第1商事' })).toBeDefined();
});

it('is left by a log-out', async () => {
  await open();
  await screen.findByText(ASKED);
  await user.click(screen.getByRole('button', { name: 'ログアウト' }));
  expect(await screen.findByRole('heading', { name: 'ログイン' })).toBeDefined();
  await waitFor(() => expect(screen.queryByText(ASKED)).toBeNull());
});
