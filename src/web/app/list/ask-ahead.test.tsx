import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs, prospect } from '#test/web/samples.ts';
import { selectSenderGroup } from '#web/features/senders/senders-state.ts';
import { clearSession } from '#web/lib/session/session-store.ts';
import { askForList } from './ask-ahead.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
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
  // The first-steps request repeats after a second, and a slow machine takes longer to show the screen.
  vi.useFakeTimers({ toFake: ['Date'] });
  logInAs();
});
afterEach(() => {
  vi.useRealTimers();
  delete window.answersAhead;
});

test('the screen uses the list and first steps requested ahead, and does not request them again', async () => {
  const requests = serve();
  await renderApp('/?address=%E6%9D%B1%E4%BA%AC&page=2&sort=company_name&order=asc&status=unsent');
  await screen.findByRole('rowheader', { name: '第1商事' });
  expect(lists(requests)).toHaveLength(1);
  expect(asked(requests, '/first_steps')).toHaveLength(1);
});

test('a return to the screen loads the first steps again, however young the last answer is', async () => {
  const requests = serve();
  const { router } = await renderApp('/');
  await screen.findByRole('rowheader', { name: '第1商事' });
  for (const address of ['/nowhere', '/']) await act(() => router.navigate(address));
  await screen.findByRole('rowheader', { name: '第1商事' });
  expect(asked(requests, '/first_steps')).toHaveLength(2);
});

test('the stored calls of the shown list are those that the screen makes when it loads again', async () => {
  const requests = serve();
  await renderApp('/?address=%E6%9D%B1%E4%BA%AC&page=2');
  await screen.findByRole('rowheader', { name: '第1商事' });
  const { state } = JSON.parse(sessionStorage.getItem('kaitaku-session') ?? '') as { state: Remembered };
  expect(state.list_calls.search).toBe('?address=%E6%9D%B1%E4%BA%AC&page=2');
  const made = requests.map(({ path, query }) => (query.size > 0 ? `${path}?${query}` : path));
  expect(made).toEqual(expect.arrayContaining([...state.list_calls.paths]));
});

/** Returns the answers that load-ahead.js leaves for the client; its list has another name than the server's. */
const answersAhead = (token: string) => {
  const query = new URLSearchParams({ sender_group_id: '1', pagenate_count: '50', pagenate_num: '1' });
  const answer = Promise.resolve(Response.json({ rows: [prospect(9)], total: 1 }));
  return { token, answers: { [`/prospect/view?${query}`]: answer } };
};

test('an answer ahead is used once', async () => {
  const requests = serve();
  window.answersAhead = answersAhead('token-1');
  await renderApp('/');
  await screen.findByRole('rowheader', { name: '第9商事' });
  expect([lists(requests).length, window.answersAhead]).toStrictEqual([0, undefined]);
});

test('an answer ahead for another session is not used', async () => {
  const requests = serve();
  window.answersAhead = answersAhead('token-2');
  await renderApp('/');
  await screen.findByRole('rowheader', { name: '第1商事' });
  expect(lists(requests)).toHaveLength(1);
});

test('a failed call ahead is repeated', async () => {
  const requests = serve();
  const { token, answers } = answersAhead('token-1');
  const failed = Object.keys(answers).map((path) => [path, Promise.resolve(null)]);
  window.answersAhead = { token, answers: Object.fromEntries(failed) as Record<string, Promise<null>> };
  await renderApp('/');
  await screen.findByRole('rowheader', { name: '第1商事' });
  expect(lists(requests)).toHaveLength(1);
});

test('the list of the chosen group is requested before the screen has loaded', async () => {
  const requests = serve();
  selectSenderGroup(2);
  await askForList('page=3');
  const [list] = lists(requests);
  expect([list?.query.get('sender_group_id'), list?.query.get('pagenate_num')]).toStrictEqual(['2', '3']);
});

test('another tab or a visitor requests nothing ahead', async () => {
  const requests = serve();
  await askForList('tab=reservations');
  clearSession();
  await askForList('');
  expect(requests).toStrictEqual([]);
});

test('a failed call ahead is reported by the screen', async () => {
  const requests = serve(refused(403, '読めません'));
  await askForList('');
  expect(lists(requests)).toStrictEqual([]);
});
