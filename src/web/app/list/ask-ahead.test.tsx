import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs, prospect } from '#test/web/samples.ts';
import { selectSenderGroup } from '#web/features/senders/senders-state.ts';
import { clearSession } from '#web/lib/session/session-store.ts';
import { askForList } from './ask-ahead.ts';
// Loaded here, not within a test that waits for them.
import '../workspace.tsx';
import '../routes/attack-list.tsx';

const GROUPS = ok([
  { id: 1, group_name: '営業部' },
  { id: 2, group_name: '関西営業部' },
]);

const serve = (groups: FakeAnswer = GROUPS): FakeRequest[] =>
  fakeApi({
    'GET /sender_group/list': () => groups,
    'GET /sender/list': () => ok([]),
    'GET /first_steps': () => ok({ dismissed: 1, sample_companies: 0 }),
    'GET /prospect/view': () => ok({ rows: [prospect(1)], total: 170 }),
  });

const asked = (requests: readonly FakeRequest[], wanted: string) => requests.filter(({ path }) => path === wanted);
const lists = (requests: readonly FakeRequest[]) => asked(requests, '/prospect/view');

interface Remembered {
  readonly list_calls: { readonly search: string; readonly paths: readonly string[] };
}

beforeEach(() => {
  // First steps are asked for again after a second, which a slow machine needs for the screen.
  vi.useFakeTimers({ toFake: ['Date'] });
  logInAs();
});
afterEach(() => {
  vi.useRealTimers();
  delete window.answersAhead;
});

test('the screen shows the list and the first steps that were asked for ahead, and does not ask again', async () => {
  const requests = serve();
  await renderApp('/?address=%E6%9D%B1%E4%BA%AC&page=2&sort=company_name&order=asc&status=unsent');
  await screen.findByRole('rowheader', { name: '第1商事' });
  expect(lists(requests)).toHaveLength(1);
  expect(asked(requests, '/first_steps')).toHaveLength(1);
});

test('whoever comes back to the screen sees first steps of this moment, however young the answer is', async () => {
  const requests = serve();
  const { router } = await renderApp('/');
  await screen.findByRole('rowheader', { name: '第1商事' });
  for (const address of ['/nowhere', '/']) await act(() => router.navigate(address));
  await screen.findByRole('rowheader', { name: '第1商事' });
  expect(asked(requests, '/first_steps')).toHaveLength(2);
});

test('the calls of the list that was shown are those that the screen makes when it is loaded again', async () => {
  const requests = serve();
  await renderApp('/?address=%E6%9D%B1%E4%BA%AC&page=2');
  await screen.findByRole('rowheader', { name: '第1商事' });
  const { state } = JSON.parse(sessionStorage.getItem('kaitaku-session') ?? '') as { state: Remembered };
  expect(state.list_calls.search).toBe('?address=%E6%9D%B1%E4%BA%AC&page=2');
  const made = requests.map(({ path, query }) => (query.size > 0 ? `${path}?${query}` : path));
  expect(made).toEqual(expect.arrayContaining([...state.list_calls.paths]));
});

/** Returns what list-ahead.js leaves for the client: the list of another name than the server's. */
const answersAhead = (token: string) => {
  const query = new URLSearchParams({ sender_group_id: '1', pagenate_count: '50', pagenate_num: '1' });
  const answer = Promise.resolve(Response.json({ rows: [prospect(9)], total: 1 }));
  return { token, answers: { [`/prospect/view?${query}`]: answer } };
};

test('an answer that came beside the files is taken, once', async () => {
  const requests = serve();
  window.answersAhead = answersAhead('token-1');
  await renderApp('/');
  await screen.findByRole('rowheader', { name: '第9商事' });
  expect([lists(requests).length, window.answersAhead]).toStrictEqual([0, undefined]);
});

test('an answer to another session is not taken', async () => {
  const requests = serve();
  window.answersAhead = answersAhead('token-2');
  await renderApp('/');
  await screen.findByRole('rowheader', { name: '第1商事' });
  expect(lists(requests)).toHaveLength(1);
});

test('a call ahead that failed is made again', async () => {
  const requests = serve();
  const { token, answers } = answersAhead('token-1');
  const failed = Object.keys(answers).map((path) => [path, Promise.resolve(null)]);
  window.answersAhead = { token, answers: Object.fromEntries(failed) as Record<string, Promise<null>> };
  await renderApp('/');
  await screen.findByRole('rowheader', { name: '第1商事' });
  expect(lists(requests)).toHaveLength(1);
});

test('the list of the chosen group is asked for without the screen', async () => {
  const requests = serve();
  selectSenderGroup(2);
  await askForList('page=3');
  const [list] = lists(requests);
  expect([list?.query.get('sender_group_id'), list?.query.get('pagenate_num')]).toStrictEqual(['2', '3']);
});

test('another tab asks for nothing ahead, nor does a visitor', async () => {
  const requests = serve();
  await askForList('tab=reservations');
  clearSession();
  await askForList('');
  expect(requests).toStrictEqual([]);
});

test('a fault is left to the screen', async () => {
  const requests = serve(refused(403, '読めません'));
  await askForList('');
  expect(lists(requests)).toStrictEqual([]);
});
