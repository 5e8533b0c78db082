import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { type FakeRequest, fakeApi, ok } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs, run, target } from '#test/web/samples.ts';
import { useAttackList } from '#web/features/attack-list/attack-list-state.ts';
import { sentenceDay, sentenceTime } from '#web/lib/screen-time.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import './workspace.tsx';
import './routes/attack-list.tsx';
import './routes/send.tsx';

const RUNS = [
  { id: 55, sender_group_id: 4, sent_at: '2026/11/10 10:00:00', subject: 'ご提案' },
  { id: 54, sender_group_id: 4, sent_at: '2026/11/09 10:00:00', subject: '年末のご案内' },
];

/** A server where these runs can be followed up, the youngest before a re-send interval of 20 days. */
const serve = (sent: object = {}): FakeRequest[] =>
  fakeApi({
    'GET /sender_group/list': () =>
      ok([
        { id: 1, group_name: '第一営業部' },
        { id: 4, group_name: '営業部' },
      ]),
    'GET /sender/list': () => ok([]),
    'GET /send_log/55': () => ok(run(55, { targets: 3, sent: 3, queued: 0, sending: 0, finished: true, ...sent })),
    'GET /send_log/55/deliveries': () => ok({ rows: [], total: 0 }),
    'GET /attack_list/preview': () => ok({ rows: [target(1)], matched: 1, eligible: 1, left_out: {} }),
    'GET /attack_list/follow_up_runs': ({ query }) => {
      const wanted = query.get('send_log_id');
      const rows = RUNS.filter(({ id }) => wanted === null || String(id) === wanted);
      return ok({ rows: Number(query.get('days_from_lastday')) >= 20 ? [] : rows });
    },
  });

const select = () => screen.findByLabelText<HTMLSelectElement>('フォローアップ');
const followed = (requests: readonly FakeRequest[]) =>
  requests.filter(({ path }) => path === '/attack_list/preview').map(({ query }) => query.get('follow_up_of'));

beforeEach(() => logInAs());

it('links from a run to the list of its follow-up, in its sender group', async () => {
  const requests = serve();
  const { router } = await renderApp('/sends/55');
  await userEvent.click(await screen.findByRole('link', { name: 'フォローアップ' }));
  const chosen = async () => (await select()).selectedOptions[0]?.textContent;
  await waitFor(async () => expect(await chosen()).toBe(`${sentenceTime('2026/11/10 10:00')}「ご提案」`));
  expect(router.state.location).toMatchObject({ pathname: '/', search: '?tab=attack-list' });
  expect(screen.getByLabelText<HTMLSelectElement>('送信者グループ').selectedOptions[0]?.textContent).toBe('営業部');
  await waitFor(() => expect(followed(requests).at(-1)).toBe('55'));
});

it.each([{ test_send_mode: 1 }, { sent: 0, failed: 3 }])('a run of %j has no follow-up', async (sent) => {
  const requests = serve(sent);
  await renderApp('/sends/55');
  await screen.findByText('ご提案');
  expect(screen.queryByRole('link', { name: 'フォローアップ' })).toBeNull();
  expect(requests.some(({ path }) => path === '/attack_list/follow_up_runs')).toBe(false);
});

it('is chosen in the attack list, and stays chosen when the interval grows beyond it', async () => {
  const requests = serve();
  await renderApp('/?tab=attack-list');
  await userEvent.selectOptions(await select(), `${sentenceTime('2026/11/09 10:00')}「年末のご案内」`);
  await waitFor(() => expect(followed(requests).at(-1)).toBe('54'));
  expect(screen.getByText(/^返信も不達もなかった会社に、/)).toBeDefined();
  const days = screen.getByLabelText('再送信間隔（日）');
  await userEvent.clear(days);
  await userEvent.type(days, '30');
  await waitFor(async () =>
    expect((await select()).selectedOptions[0]?.textContent).toBe(
      `${sentenceTime('2026/11/09 10:00')}「年末のご案内」（${sentenceDay('2026-12-09')}から送れます）`,
    ),
  );
  await userEvent.selectOptions(await select(), '使わない（初回のメール）');
  await waitFor(() => expect(followed(requests).at(-1)).toBeNull());
  expect(useAttackList.getState().attack_list_settings.follow_up).toBeNull();
});
