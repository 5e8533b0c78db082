import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs, USER } from '#test/web/samples.ts';
import { updateAttackListSettings, useAttackList } from '#web/features/attack-list/attack-list-state.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { FIRST_STEPS } from '#web/lib/api/query-keys.ts';
import { useSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/attack-list.tsx';
import '#web/app/list/first-day-bar.tsx';

const NONE = {
  legal_profile_ready: 0,
  sender_confirmed: 0,
  companies_imported: 0,
  template_edited: 0,
  test_sent: 0,
  mail_sent: 0,
};

interface Answer {
  readonly dismissed?: 0 | 1;
  readonly steps: Partial<typeof NONE>;
  readonly is_asked?: 0 | 1;
}

interface Team {
  readonly members?: readonly { readonly active: 0 | 1 }[];
  readonly role?: Role;
}

async function open(first: Answer, path = '/', { members = [], role = 'admin' }: Team = {}) {
  const answerOf = ({ dismissed = 0, steps, is_asked = 0 }: Answer) => ({
    dismissed,
    sample_companies: 0,
    steps: { ...NONE, ...steps },
    companies: 289,
    sender: { id: 2, email: 'hana@example.jp', template_id: 12, is_asked },
  });
  let answer = answerOf(first);
  const change = (next: Answer) => {
    answer = answerOf(next);
  };
  logInAs();
  const member = { id: 1, role, sender_group_ids: null };
  useSession.setState({ current_user: { ...USER, member } });
  const requests = fakeApi({
    'GET /sender_group/list': () => ok([{ id: 1, group_name: '営業部' }]),
    'GET /sender/list': () => ok([{ id: 2, subject: 'ご提案', template_id: 12 }]),
    'GET /prospect/view': () => ok({ rows: [], total: 0 }),
    'GET /reservation/list': () => ok([]),
    'GET /attack_list/preview': () => refused(403, '読めません。'),
    'GET /first_steps': () => ok(answer),
    'GET /member/list': () => ok(members),
    'POST /sender/2/confirmation': () => {
      change({ ...first, is_asked: 1 });
      return ok({ status: 'sent' });
    },
    'POST /prospect/samples': () => {
      answer = { ...answer, sample_companies: 10 };
      return ok({ status: 'added', companies: 10 });
    },
    'POST /prospect/samples/remove': () => {
      answer = { ...answer, sample_companies: 0 };
      return ok({ status: 'removed', companies: 10 });
    },
    'PUT /first_steps': () => {
      answer = { ...answer, dismissed: 1 };
      return ok({ status: 'updated' });
    },
  });
  const view = await renderApp(path);
  return { ...view, requests, change };
}

const asked = (requests: readonly FakeRequest[]) => requests.filter(({ path }) => path === '/first_steps').length;
const bar = () => screen.findByRole('region', { name: 'はじめかた' });
const inBar = async () => within(await bar());
const reload = () => act(() => queryClient.invalidateQueries({ queryKey: [FIRST_STEPS] }));

it('ticks the steps that the facts show, and offers the first of the others', async () => {
  await open({ steps: { sender_confirmed: 1, template_edited: 1 } });
  expect((await inBar()).getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    '法定表示を入力次の手順',
    '差出人完了',
    '見込み客未完了',
    '文面完了',
    'テスト未完了',
    '送信未完了',
  ]);
  expect((await inBar()).getByText('2 / 6 完了')).toBeDefined();
  const links = (await inBar()).getAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([['入力する', '/settings/legal']]);
});

it.each([
  ['one member', [{ active: 1 }], '/settings/members'],
  ['one who is not stopped', [{ active: 1 }, { active: 0 }], '/settings/members'],
  ['two members', [{ active: 1 }, { active: 1 }], undefined],
] as const)('leads to the invitations below the steps of an account of %s', async (_, members, to) => {
  const { requests } = await open({ steps: {} }, '/', { members });
  await bar();
  await waitFor(() => expect(requests.some(({ path }) => path === '/member/list')).toBe(true));
  const link = () => screen.queryByRole('link', { name: 'メンバーを招待' })?.getAttribute('href') ?? undefined;
  await waitFor(() => expect(link()).toBe(to));
});

it.each(['sales', 'viewer'] as const)('is for admins only: %s', async (role) => {
  const { requests } = await open({ steps: {} }, '/', { role });
  await screen.findByRole('tab', { name: '見込み客リスト' });
  expect(screen.queryByRole('region', { name: 'はじめかた' })).toBeNull();
  expect(requests.some(({ path }) => path === '/member/list')).toBe(false);
});

it('shows what was completed on a screen, and the next step', async () => {
  const { change } = await open({ steps: { legal_profile_ready: 1, sender_confirmed: 1 } });
  expect((await inBar()).getByLabelText('ファイルを選ぶ')).toBeDefined();
  change({ steps: { legal_profile_ready: 1, sender_confirmed: 1, companies_imported: 1 } });
  await reload();
  expect((await inBar()).getByText('289社を取り込みました')).toBeDefined();
  expect((await inBar()).getByRole('link', { name: '次：文面を整える' }).getAttribute('href')).toBe('/template/12');
});

it('requests the confirmation mail of the sender in place, and says so', async () => {
  await open({ steps: { legal_profile_ready: 1 } });
  await userEvent.click((await inBar()).getByRole('button', { name: '確認メールを送る' }));
  await (await inBar()).findByText(/^確認メールをhana@example.jpに送りました/);
  expect((await inBar()).getByRole('button', { name: 'もう一度送る' })).toBeDefined();
});

it('ends with the first real mail, on the screen that showed the bar', async () => {
  const before = { ...NONE, legal_profile_ready: 1, sender_confirmed: 1, companies_imported: 1, template_edited: 1 };
  const { change } = await open({ steps: { ...before, test_sent: 1 } });
  expect((await inBar()).getByRole('link', { name: 'アタックリストを開く' })).toBeDefined();
  change({ steps: { ...before, test_sent: 1, mail_sent: 1 } });
  await reload();
  expect((await inBar()).getByText('はじめての送信が終わりました')).toBeDefined();
  expect((await inBar()).getByRole('link', { name: '結果を見る' }).getAttribute('href')).toBe('/sends');
});

const READY = {
  legal_profile_ready: 1,
  sender_confirmed: 1,
  companies_imported: 1,
  template_edited: 1,
  test_sent: 1,
} as const;
const settings = () => useAttackList.getState().attack_list_settings;
const ATTACK_TAB = '/?tab=attack-list&address=%E6%9D%B1%E4%BA%AC';
const sentenceOf = (modes: string) => `準備ができました。${modes}をオフにすると、会社に送れます。`;

it('turns off both modes of the attack list as its last step, changes no filter and sends nothing', async () => {
  const { requests, router } = await open({ steps: READY }, ATTACK_TAB);
  expect((await inBar()).getByText(sentenceOf('「テストモード」と「予約モード」'))).toBeDefined();
  expect((await inBar()).queryByRole('link', { name: 'アタックリストを開く' })).toBeNull();
  await userEvent.click((await inBar()).getByRole('button', { name: 'オフにする' }));
  expect(settings()).toMatchObject({ is_test_mode: false, is_reservation_mode: false });
  expect((await inBar()).queryByRole('button', { name: 'オフにする' })).toBeNull();
  expect((await inBar()).queryByRole('link', { name: 'アタックリストを開く' })).toBeNull();
  expect(router.state.location.search).toBe('?tab=attack-list&address=%E6%9D%B1%E4%BA%AC');
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it.each([
  ['is_test_mode', '「予約モード」'],
  ['is_reservation_mode', '「テストモード」'],
] as const)('names only the mode that is on: %s is off', async (off, name) => {
  const { requests } = await open({ steps: READY }, ATTACK_TAB);
  act(() => updateAttackListSettings({ [off]: false }));
  expect((await inBar()).getByText(sentenceOf(name))).toBeDefined();
  await userEvent.click((await inBar()).getByRole('button', { name: 'オフにする' }));
  expect(settings()).toMatchObject({ is_test_mode: false, is_reservation_mode: false });
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it.each(['/', '/?tab=reservations', '/nowhere'])(
  'offers to turn the modes off only on the attack tab: %s',
  async (path) => {
    await open({ steps: READY }, path);
    await (await inBar()).findByRole('link', { name: 'アタックリストを開く' });
    expect((await inBar()).queryByRole('button', { name: 'オフにする' })).toBeNull();
  },
);

it('turns off no mode before the last step', async () => {
  await open({ steps: { ...READY, test_sent: 0 } }, ATTACK_TAB);
  await (await inBar()).findByText('4 / 6 完了');
  expect((await inBar()).queryByRole('button', { name: 'オフにする' })).toBeNull();
});

it('of a finished account is not shown', async () => {
  await open({ steps: { mail_sent: 1 } });
  await screen.findByText('見込み客がまだ登録されていません');
  await waitFor(() => expect(queryClient.getQueryData([FIRST_STEPS])).toBeDefined());
  await act(async () => void (await import('#web/app/list/first-day-bar.tsx')));
  expect(screen.queryByRole('region', { name: 'はじめかた' })).toBeNull();
});

it('is shown folded on other screens, and sends one request in a session', async () => {
  const { requests, router } = await open({ steps: {} }, '/nowhere');
  await (await inBar()).findByText('次：法定表示を入力');
  expect((await inBar()).queryByRole('list')).toBeNull();
  expect(asked(requests)).toBe(1);
  await act(() => router.navigate('/elsewhere'));
  await bar();
  expect(asked(requests)).toBe(1);
  await userEvent.click((await inBar()).getByRole('button', { name: 'はじめかたを開く' }));
  expect((await inBar()).getAllByRole('listitem')).toHaveLength(6);
});

it('is hidden until the account screen shows it again', async () => {
  const { requests } = await open({ steps: {} });
  await userEvent.click((await inBar()).getByRole('button', { name: 'あとで' }));
  expect(await toastText('status')).toContain('アカウント画面の「はじめかたを表示」');
  await waitFor(() => expect(screen.queryByRole('region', { name: 'はじめかた' })).toBeNull());
  const put = requests.find(({ method }) => method === 'PUT');
  expect(put?.body).toEqual({ update_info: { dismissed: 1 } });
});

it('sample companies fill an empty list, and are removed by one action', async () => {
  await open({ dismissed: 1, steps: {} });
  await userEvent.click(await screen.findByRole('button', { name: '見本の会社を入れる' }));
  expect(await toastText('status')).toContain('見本の会社10社を入れました');
  await screen.findByText('見本の会社が10社入っています。テスト送信はできますが、実際の送信からは外れます。');
  await userEvent.click(screen.getByRole('button', { name: '見本の会社を消す' }));
  await waitFor(() => expect(screen.queryByText(/^見本の会社が10社/)).toBeNull());
});
