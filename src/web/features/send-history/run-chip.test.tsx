import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Run } from '#contract/sending.ts';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { AtAnAddress, renderPart, toastTextNow } from '#test/web/render.tsx';
import { logInAs, run } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/query-client.ts';
import { PROSPECT_LIST } from '#web/lib/query-keys.ts';
import { useToasts } from '#web/lib/toast.ts';
import { followOwnRun, useFollowedRuns } from './followed-runs-state.ts';
import { RunDock } from './run-dock.tsx';

const RUN = run(55);
const FINISHED: Run = { ...RUN, queued: 0, sending: 0, sent: 7, failed: 2, unknown: 1, finished: true };
const NOW = Date.parse('2026-11-21T10:00:00+09:00');

const show = () =>
  renderPart(
    <AtAnAddress>
      <RunDock pathOf={(id) => `/sends/${id}`} allPath="/sends" />
    </AtAnAddress>,
  );

/** Follows a run that was started here, with the server's answers in order. */
async function follow(...answers: FakeAnswer[]): Promise<FakeRequest[]> {
  const last = answers.at(-1);
  const requests = fakeApi({ 'GET /send_log/55': () => answers.shift() ?? last ?? 'network' });
  followOwnRun(55);
  show();
  await wait(10);
  return requests;
}
const wait = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));
const second = () => wait(1000);
const strips = () => screen.queryAllByRole('region').map(({ textContent }) => textContent);
/** The announcement of runs to screen readers, which is not visible. */
const said = () => screen.getAllByRole('status').find((region) => !region.hasAttribute('aria-atomic'))?.textContent;
const followed = () => useFollowedRuns.getState().followed_runs;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  logInAs();
});

describe('the strip of a run', () => {
  it('§8.12, 8.13 shows the progress of the run, then its result, until it is closed', async () => {
    const going = { ...RUN, estimated_end_at: '2026/11/21 10:01:30' };
    const requests = await follow(ok(going), ok({ ...going, queued: 0, sending: 1, sent: 9 }), ok(FINISHED));
    const bar = screen.getByRole('progressbar', { name: 'メールを送信中' });
    const told = ['aria-valuenow', 'aria-valuemax', 'aria-valuetext'].map((name) => bar.getAttribute(name));
    expect(told).toStrictEqual(['2', '10', '2 / 10件']);
    expect(strips()).toEqual(['メールを送信中2 / 10件ご提案残り約2分送信の詳細']);
    expect(screen.getByRole('link', { name: '送信の詳細' }).getAttribute('href')).toBe('/sends/55');
    expect(said()).toBe('メールを送信中');
    await second();
    expect(screen.getByText('9 / 10件')).toBeDefined();
    await second();
    expect(toastTextNow('status')).toBe('メールが送信されました送信 7件・失敗 2件・不明 1件');
    await wait(10_000);
    // It sends no more requests, however long it stays.
    expect(strips()).toEqual(['終了送信 7件・失敗 2件・不明 1件ご提案送信結果を見る']);
    expect(said()).toBe('');
    expect(requests.filter(({ path }) => path === '/send_log/55')).toHaveLength(3);
    await act(async () => screen.getByRole('button', { name: 'ご提案の進み具合を閉じる' }).click());
    expect(strips()).toEqual([]);
    expect(followed()).toEqual([]);
  });

  it('reloads the lists when the run has ended', async () => {
    await follow(ok(RUN), ok(FINISHED));
    queryClient.setQueryData([PROSPECT_LIST, {}], { rows: [], total: 0 });
    await second();
    expect(queryClient.getQueryState([PROSPECT_LIST, {}])?.isInvalidated).toBe(true);
  });

  it.each([
    ['marks a test', { test_send_mode: 1 }, 'メールを送信中テスト2 / 10件'],
    ['says why a run waits', { paused_by: 'user', estimated_end_at: '2026/11/21 10:09:00' }, '一時停止中2 / 10件'],
    ['counts hours', { estimated_end_at: '2026/11/21 12:05:00' }, /残り約2時間5分/],
    ['tells of cancelled mails', { ...FINISHED, unknown: 0, cancelled: 1 }, /不明 0件・取消 1件/],
    [
      'calls a run in which nothing was sent no success',
      { ...FINISHED, sent: 0, unknown: 0, failed: 10 },
      /^終了送信 0件・失敗 10件/,
    ],
  ] as const)('%s', async (_what, values, text) => {
    await follow(ok({ ...RUN, ...values }));
    expect(strips()[0]).toMatch(typeof text === 'string' ? new RegExp(`^${text}`) : text);
  });

  const CANCELLED: Run = { ...FINISHED, sent: 4, failed: 0, unknown: 0, cancelled: 6 };
  const leftOut = (count: number) => ({ left_out: count === 0 ? [] : [{ reason: 'inactive', count }] });

  it.each<[string, Run, number, string]>([
    ['that a person stopped ends as stopped, not as sent', CANCELLED, 0, '送信を中止しました（送信済み4通）'],
    ['stopped after companies were left out', CANCELLED, 5, '送信を中止しました（送信済み4通）'],
    ['stopped before its first mail', { ...CANCELLED, sent: 0, cancelled: 10 }, 0, '送信を中止しました（送信済み0通）'],
    [
      'that only left companies out is sent',
      CANCELLED,
      6,
      'メールが送信されました送信 4件・失敗 0件・不明 0件・取消 6件',
    ],
    [
      'in which nothing was sent is no success',
      { ...FINISHED, sent: 0, unknown: 0, failed: 10 },
      0,
      'メールを送信できませんでした送信 0件・失敗 10件・不明 0件',
    ],
  ])('%s, told once', async (_what, ended, count, text) => {
    const answers = [ok(RUN), ok(ended)];
    fakeApi({
      'GET /send_log/55': () => answers.shift() ?? ok(ended),
      'GET /send_log/55/origin': () => ok(leftOut(count)),
    });
    followOwnRun(55);
    show();
    await wait(10);
    await second();
    await wait(10);
    const toasts = useToasts.getState().toasts.map(({ message, times }) => [message.replace('\n', ''), times]);
    expect(toasts).toEqual([[text, 1]]);
    expect(said()).toBe('');
    expect(strips()[0]).toMatch(/^終了/);
  });

  it('that was closed early stays closed, and the end is still reported', async () => {
    await follow(ok(RUN), ok(FINISHED));
    await act(async () => screen.getByRole('button', { name: /閉じる$/ }).click());
    expect(strips()).toEqual([]);
    await second();
    expect(toastTextNow('status')).toMatch(/^メールが送信されました/);
    expect(strips()).toEqual([]);
    expect(followed()).toEqual([]);
  });

  it('continues in silence after a lost answer', async () => {
    await follow('network', ok(FINISHED));
    expect(toastTextNow('alert')).toBe('');
    expect(strips()).toEqual(['メールを送信中送信の詳細']);
    await second();
    expect(toastTextNow('status')).toMatch(/^メールが送信されました/);
  });

  it('disappears if the run does not exist', async () => {
    await follow(refused(404, '見つかりません'));
    expect(followed()).toEqual([]);
    expect(toastTextNow('alert')).toBe('');
  });
});

describe('the runs of an account', () => {
  const serve = (runs: Run[]) =>
    fakeApi({
      'GET /send_log/view': () => ok({ rows: runs, total: runs.length }),
      ...Object.fromEntries(runs.map(({ id }, n) => [`GET /send_log/${id}`, () => ok(runs[n])])),
    });
  const ids = (...all: number[]) => all.map((id) => run(id, { subject: `件名${id}` }));

  it('that were started elsewhere are found, and their end is told once too', async () => {
    const runs = [RUN, { ...FINISHED, id: 54 }];
    serve(runs);
    show();
    await wait(10);
    expect(strips()).toHaveLength(1);
    runs[0] = FINISHED;
    await second();
    expect(toastTextNow('status')).toBe('メールが送信されました送信 7件・失敗 2件・不明 1件');
    expect(said()).toBe('');
    expect(strips()).toHaveLength(1);
  });

  it('have at most three strips, the newest first, and a link to the others', async () => {
    serve(ids(58, 57, 56, 55));
    show();
    await wait(10);
    expect(screen.getAllByTitle(/^件名/).map(({ textContent }) => textContent)).toEqual(['件名58', '件名57', '件名56']);
    expect(screen.getByRole('link', { name: 'ほかに1件の送信があります' }).getAttribute('href')).toBe('/sends');
  });

  it('have one strip on a phone, whose buttons they would cover', async () => {
    const wide = matchMedia;
    vi.stubGlobal('matchMedia', (query: string) => ({ ...wide(query), matches: query.includes('640px') }));
    serve(ids(58, 57, 56));
    show();
    await wait(10);
    expect(screen.getAllByTitle(/^件名/).map(({ textContent }) => textContent)).toEqual(['件名58']);
    expect(screen.getByRole('link', { name: 'ほかに2件の送信があります' })).toBeDefined();
    vi.stubGlobal('matchMedia', wide);
  });

  it('make room for a new one when they have ended', async () => {
    const runs = ids(56, 55).map((it) => ({ ...it, finished: true }));
    serve(runs);
    followOwnRun(55);
    show();
    await wait(10);
    expect(strips()).toHaveLength(1);
    act(() => followOwnRun(56));
    expect(followed().map(({ id }) => id)).toEqual([56]);
    await wait(10);
  });

  it('survive a reload', async () => {
    await follow(ok(RUN));
    const { state } = JSON.parse(sessionStorage.getItem('kaitaku-session') ?? '{}');
    expect(state.followed_runs).toEqual([{ id: 55, isClosed: false, hasEnded: false }]);
  });
});
