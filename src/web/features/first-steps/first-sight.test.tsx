import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, onTestFinished } from 'vitest';
import { deferred, type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { FIRST_STEPS } from '#web/lib/api/query-keys.ts';
import { type CurrentUser, startSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/list/first-day-bar.tsx';
import '#web/app/routes/attack-list.tsx';
import '#web/app/list/attack-list-tab.tsx';
import './first-sight.tsx';

const STEPS = {
  legal_profile_ready: 0,
  sender_confirmed: 0,
  companies_imported: 0,
  template_edited: 0,
  test_sent: 0,
  mail_sent: 0,
};
const SENDER = { id: 2, email: 'hana@example.jp', template_id: 12, is_asked: 0 };
const EMPTY = { dismissed: 0, sample_companies: 0, is_empty: 1, steps: STEPS, companies: 0, sender: SENDER };

/** Opens a screen with an answer to `GET /first_steps`. */
async function open(first: FakeAnswer | Promise<FakeAnswer>, path = '/', user: Partial<CurrentUser> = {}) {
  startSession('token-1', { ...USER, ...user });
  let answer = first;
  fakeApi({
    'GET /sender_group/list': () => ok([{ id: 1, group_name: '営業部' }]),
    'GET /sender/list': () => ok([{ id: 2, subject: 'ご提案', template_id: 12 }]),
    'GET /prospect/view': () => ok({ rows: [], total: 0 }),
    'GET /reservation/list': () => ok([]),
    'GET /attack_list/preview': () => refused(403, '読めません。'),
    'GET /first_steps': () => answer,
    'POST /prospect/samples': () => {
      answer = ok({ ...EMPTY, is_empty: 0, sample_companies: 10 });
      return ok({ status: 'added', companies: 10 });
    },
    'POST /prospect/samples/remove': () => {
      answer = ok(EMPTY);
      return ok({ status: 'removed', companies: 10 });
    },
  });
  const view = await renderApp(path);
  const change = (next: FakeAnswer) => {
    answer = next;
  };
  return { ...view, change };
}

const WELCOME = 'ようこそ、田中 直樹さん。あと10分ほどで、最初のメールを送れます。';
const steps = () => within(screen.getByRole('main')).findByRole('region', { name: 'はじめかた' });
const isList = () => screen.findByRole('tab', { name: '見込み客リスト' });
const hasSight = () => within(screen.getByRole('main')).queryByRole('region', { name: 'はじめかた' }) !== null;
const reload = () => act(() => queryClient.invalidateQueries({ queryKey: [FIRST_STEPS] }));

it('stands in place of the list of a new account, with one filled button and links to the other steps', async () => {
  await open(ok(EMPTY));
  const sight = within(await steps());
  expect(sight.getByRole('heading', { name: WELCOME })).toBeDefined();
  expect(sight.getByText('0 / 6 完了')).toBeDefined();
  const links = sight.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]);
  expect(links).toEqual([
    ['入力する', '/settings/legal'],
    ['2差出人を確認未完了', '/settings/groups'],
    ['3見込み客を取り込む未完了', '/imports/new'],
    ['4文面を整える未完了', '/template/12'],
    ['5自分に送ってみる未完了', '/template/12'],
    ['6はじめての送信未完了', '/?tab=attack-list'],
  ]);
  expect(document.querySelectorAll('[data-filled]')).toHaveLength(1);
  expect(screen.getAllByRole('region', { name: 'はじめかた' })).toHaveLength(1);
  expect(screen.getByRole('heading', { level: 1, name: '見込み客' })).toBeDefined();
  expect(screen.queryByRole('tab')).toBeNull();
});

it.each([
  [' 　', 'ようこそ。あと10分ほどで、最初のメールを送れます。'],
  ['', 'ようこそ。あと10分ほどで、最初のメールを送れます。'],
  [USER.name, WELCOME],
])('greets a member called “%s”', async (name, welcome) => {
  await open(ok(EMPTY), '/', { name });
  expect(within(await steps()).getByRole('heading', { name: welcome })).toBeDefined();
});

it('counts the steps once one is done, and offers the next in place', async () => {
  const done = { legal_profile_ready: 1, sender_confirmed: 1 };
  await open(ok({ ...EMPTY, steps: { ...STEPS, ...done } }));
  const sight = within(await steps());
  expect(sight.getByRole('heading', { name: 'はじめかた' })).toBeDefined();
  expect(sight.getByText('2 / 6 完了')).toBeDefined();
  expect(sight.getByLabelText('ファイルを選ぶ')).toBeDefined();
  expect(sight.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
    '法定表示を入力完了',
    '差出人を確認完了',
    '4文面を整える未完了',
    '5自分に送ってみる未完了',
    '6はじめての送信未完了',
  ]);
});

it.each<[string, object, string]>([
  ['a company', { is_empty: 0 }, '/'],
  ['samples alone', { is_empty: 0, sample_companies: 10 }, '/'],
  ['hidden first steps', { dismissed: 1 }, '/'],
  ['a mail that was sent', { steps: { ...STEPS, mail_sent: 1 } }, '/'],
  ['an older server', { is_empty: undefined }, '/'],
  ['a filter', {}, '/?address=%E6%9D%B1%E4%BA%AC'],
  ['another tab', {}, '/?tab=attack-list'],
])('does not stand with %s', async (_, answer, path) => {
  await open(ok({ ...EMPTY, ...answer }), path);
  await isList();
  await waitFor(() => expect(queryClient.getQueryData([FIRST_STEPS])).toBeDefined());
  expect(hasSight()).toBe(false);
});

it('makes room for the list at the press of its button, until the end of the session', async () => {
  const { router } = await open(ok(EMPTY));
  await userEvent.click(within(await steps()).getByRole('button', { name: '見込み客リストを開く' }));
  await isList();
  expect(await screen.findByRole('region', { name: 'はじめかた' })).toBeDefined();
  expect(hasSight()).toBe(false);
  await act(() => router.navigate('/nowhere'));
  await act(() => router.navigate('/'));
  await isList();
  expect(hasSight()).toBe(false);
});

it('does not take the place of a list whose last parameter was removed on the screen', async () => {
  await open(ok(EMPTY), '/?tab=reservations');
  await userEvent.click(await isList());
  await screen.findByText('見込み客がまだ登録されていません');
  expect(hasSight()).toBe(false);
});

it('gives way to the sample companies, and comes back when they are removed', async () => {
  await open(ok(EMPTY));
  await userEvent.click(within(await steps()).getByRole('button', { name: '見本の会社を入れる' }));
  await isList();
  await userEvent.click(await screen.findByRole('button', { name: '見本の会社を消す' }));
  await steps();
});

it('leaves the list where the answer fails, also when a later one says that it is empty', async () => {
  const { change } = await open(refused(403, '読めません。'));
  await isList();
  change(ok(EMPTY));
  await reload();
  expect(await screen.findByRole('region', { name: 'はじめかた' })).toBeDefined();
  expect(hasSight()).toBe(false);
  expect(await isList()).toBeDefined();
});

it('leaves the list where the answer takes 10 s', async () => {
  const { answer, resolve } = deferred();
  await open(answer);
  const isAwaiting = () => document.querySelector('[data-awaiting]') !== null;
  expect(isAwaiting()).toBe(true);
  await waitFor(() => expect(isAwaiting()).toBe(false), { timeout: 10_000 });
  await isList();
  await act(async () => resolve(ok(EMPTY)));
  expect(await screen.findByRole('region', { name: 'はじめかた' })).toBeDefined();
  expect(hasSight()).toBe(false);
});

it('leads to the mailboxes in place of a confirmation mail where a catcher keeps the mails', async () => {
  document.head.insertAdjacentHTML('beforeend', '<meta name="mail-catcher" content="yes">');
  onTestFinished(() => document.head.querySelector('meta[name="mail-catcher"]')?.remove());
  await open(ok({ ...EMPTY, steps: { ...STEPS, legal_profile_ready: 1 }, sender: { ...SENDER, is_asked: 1 } }));
  const sight = within(await steps());
  expect(sight.getByText('メールボックスをつなぐ')).toBeDefined();
  expect(sight.getByText(/^ふだんお使いのメールアドレスをつなぎます。/)).toBeDefined();
  expect(sight.getByRole('link', { name: 'つなぐ' }).getAttribute('href')).toBe('/settings/mailboxes');
  expect(sight.queryByRole('button', { name: /送る/ })).toBeNull();
});

it('leads the demo to no mailbox: it may have none', async () => {
  document.head.insertAdjacentHTML('beforeend', '<meta name="mail-catcher" content="yes">');
  onTestFinished(() => document.head.querySelector('meta[name="mail-catcher"]')?.remove());
  await open(ok({ ...EMPTY, steps: { ...STEPS, legal_profile_ready: 1 } }), '/', { is_demo: 1 });
  const sight = within(await steps());
  expect(sight.getByText('差出人を確認')).toBeDefined();
  expect(sight.queryByText('メールボックスをつなぐ')).toBeNull();
});
