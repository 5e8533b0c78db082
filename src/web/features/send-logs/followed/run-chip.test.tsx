import { act, fireEvent, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Run } from '#contract/sending/runs.ts';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { AtAnAddress, renderPart, toastTextNow } from '#test/web/render.tsx';
import { logInAs, run } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { PROSPECT_LIST } from '#web/lib/api/query-keys.ts';
import { useToasts } from '#web/lib/screen/toast.ts';
import { toastRoot } from '#web/lib/screen/toast-root.ts';
import { followOpenRuns, followOwnRun, useFollowedRuns } from './followed-runs-state.ts';
import { RunChip } from './run-chip.tsx';
// Loads the panel before the tests, so that no wait within a test includes it.
import './run-panel.tsx';

const RUN = run(55);
const FINISHED: Run = { ...RUN, queued: 0, sending: 0, sent: 7, failed: 2, unknown: 1, finished: true };
const NOW = Date.parse('2026-11-21T10:00:00+09:00');

/** Renders the two places of the header. */
function Header() {
  const [chipPlace, setChipPlace] = useState<HTMLElement | null>(null);
  const [linePlace, setLinePlace] = useState<HTMLElement | null>(null);
  return (
    <>
      <header ref={setChipPlace} />
      <div ref={setLinePlace} data-testid="line" />
      <button type="button">取り込む</button>
      <RunChip chipPlace={chipPlace} linePlace={linePlace} onTold={told} />
    </>
  );
}

/** Gives the window the width of a phone until the test ends. */
function onPhone(): void {
  const wide = matchMedia;
  vi.stubGlobal('matchMedia', (query: string) => ({ ...wide(query), matches: query.includes('640px') }));
  onTestFinished(() => void vi.stubGlobal('matchMedia', wide));
}

/** Called with the runs whose end a toast has told. */
const told = vi.fn();

const navigate = vi.fn(async () => undefined);

const show = (pathname = '/') =>
  renderPart(
    <AtAnAddress navigate={navigate} location={{ pathname, search: '', hash: '', key: 'default' }}>
      <Header />
    </AtAnAddress>,
  );

/** Follows a run that was started in this tab, with the server's answers in order. */
async function follow(...answers: FakeAnswer[]): Promise<FakeRequest[]> {
  const last = answers.at(-1);
  const requests = fakeApi({
    'GET /send_log/55': () => answers.shift() ?? last ?? 'network',
    'PUT /send_log/55': () => ok({ status: 'updated' }),
  });
  followOwnRun(55);
  show();
  await wait(10);
  return requests;
}
const wait = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));
const second = () => wait(1000);
/** Returns the text of each run in the panel. */
const rows = () => screen.queryAllByRole('region').map(({ textContent }) => textContent);
const chip = () =>
  screen.queryByRole('button', { expanded: false }) ?? screen.queryByRole('button', { expanded: true });
/** Returns the button of a toast. */
const toasted = (name: string) => within(toastRoot.element).getByRole('button', { name });
const popover = () => screen.queryByRole('dialog', { name: '送信の進み具合' });
const pressChip = () => act(async () => chip()?.click());
/** Returns the announcement of runs to screen readers, which is not visible. */
const said = () => screen.getAllByRole('status').find((region) => !region.hasAttribute('aria-atomic'))?.textContent;
const followed = () => useFollowedRuns.getState().followed_runs;

beforeEach(() => {
  told.mockClear();
  vi.useFakeTimers({ now: NOW });
  logInAs();
});

describe('the run that was started here', () => {
  it('§8.12, 8.13 opens the panel in the page; its end is told once, and its panel goes with the toast', async () => {
    const going = { ...RUN, estimated_end_at: '2026/11/21 10:01:30' };
    const requests = await follow(ok(going), ok({ ...going, queued: 0, sending: 1, sent: 9 }), ok(FINISHED));
    const bar = screen.getByRole('progressbar', { name: 'メールを送信中' });
    const values = ['aria-valuenow', 'aria-valuemax', 'aria-valuetext'].map((name) => bar.getAttribute(name));
    expect(values).toStrictEqual(['2', '10', '2 / 10通']);
    expect(rows()).toEqual(['2 / 10通メールを送信中ご提案残り約2分一時停止送信の詳細']);
    expect(screen.getByTestId('line').contains(bar)).toBe(true);
    expect(screen.getByRole('link', { name: '送信の詳細' }).getAttribute('href')).toBe('/sends/55');
    expect(chip()).toBeNull();
    expect(said()).toBe('メールを送信中');
    await second();
    expect(screen.getByText('9 / 10通')).toBeDefined();
    await second();
    expect(toastTextNow('status')).toBe('メールが送信されました送信 7通・失敗 2通・不明 1通送信の詳細');
    expect(rows()).toEqual(['終了ご提案送信結果を見る']);
    expect(said()).toBe('');
    await act(async () => toasted('送信の詳細').click());
    expect(navigate).toHaveBeenCalledWith('/sends/55');
    expect(told).toHaveBeenCalledExactlyOnceWith(55);
    await wait(4000);
    expect([chip(), rows(), followed()]).toEqual([null, [], []]);
    // The panel sends no more requests, however long it is shown.
    expect(requests.filter(({ path }) => path === '/send_log/55')).toHaveLength(3);
  });

  it('has no chip any more once its toast tells the end', async () => {
    await follow(ok(RUN), ok(FINISHED));
    await act(async () => screen.getByRole('button', { name: '送信の進み具合を閉じる' }).click());
    await wait(10);
    expect(chip()).not.toBeNull();
    await second();
    expect(toastTextNow('status')).toMatch(/^メールが送信されました/);
    expect([chip(), followed()]).toEqual([null, []]);
  });

  it.each<[string, Partial<Run>, DocumentVisibilityState]>([
    ['of a test', { test_send_mode: 1 }, 'visible'],
    ['that was taken back', { sent: 0, failed: 0, unknown: 0, cancelled: 10, undone: 1 }, 'visible'],
    ['in a tab that nobody sees', {}, 'hidden'],
  ])('leaves the bell alone at an end %s', async (_what, values, visibility) => {
    await follow(ok({ ...RUN, ...values }), ok({ ...FINISHED, ...values }));
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(visibility);
    await wait(11_000);
    expect([useToasts.getState().toasts.length, followed()]).toEqual([1, []]);
    expect(told).not.toHaveBeenCalled();
  });

  it('becomes a chip when × closes the panel, and the chip gets the focus', async () => {
    await follow(ok(RUN));
    await act(async () => screen.getByRole('button', { name: '送信の進み具合を閉じる' }).click());
    await wait(10);
    expect([rows(), document.activeElement]).toEqual([[], chip()]);
  });

  it.each<[string, () => unknown]>([
    ['a click', () => screen.getByRole('button', { name: '取り込む' }).click()],
    ['an entry', () => fireEvent.input(screen.getByRole('button', { name: '取り込む' }))],
  ])('closes its panel after %s elsewhere, not by one in it', async (_what, actElsewhere) => {
    await follow(ok(RUN));
    await act(async () => screen.getByRole('progressbar').click());
    expect(rows()).toHaveLength(1);
    // Only after the click: otherwise the page would move away under the press.
    fireEvent.pointerDown(screen.getByRole('button', { name: '取り込む' }));
    expect(rows()).toHaveLength(1);
    await act(async () => actElsewhere());
    expect(rows()).toEqual([]);
    expect(chip()).not.toBeNull();
  });

  it('can be paused in the panel, which stays while its dialog is open', async () => {
    const requests = await follow(ok(RUN));
    await act(async () => screen.getByRole('button', { name: '一時停止' }).click());
    const dialog = within(screen.getByRole('dialog', { name: '送信の一時停止' }));
    await act(async () => dialog.getByRole('button', { name: '一時停止' }).click());
    await wait(10);
    const puts = requests.filter(({ method }) => method === 'PUT');
    expect(puts.map(({ path, body }) => [path, body])).toEqual([
      ['/send_log/55', { update_info: { state: 'paused' } }],
    ]);
    expect(rows()).toHaveLength(1);
  });

  it('is one line under the header on a phone, and only there', async () => {
    onPhone();
    await follow(ok(RUN));
    expect(chip()).toBeNull();
    await act(async () => screen.getByRole('button', { name: '送信の進み具合を閉じる' }).click());
    await wait(10);
    expect(screen.getByTestId('line').contains(chip())).toBe(true);
    expect(document.activeElement).toBe(chip());
  });

  it.each([
    ['/sends/55', false],
    ['/sends/5', true],
  ])('has its line on a phone at %s: %s', async (pathname, isThere) => {
    onPhone();
    fakeApi({ 'GET /send_log/55': () => ok(RUN) });
    followOpenRuns([55]);
    show(pathname);
    await wait(10);
    expect(chip() !== null).toBe(isThere);
  });

  it('reloads the lists when the run has ended', async () => {
    await follow(ok(RUN), ok(FINISHED));
    queryClient.setQueryData([PROSPECT_LIST, {}], { rows: [], total: 0 });
    await second();
    expect(queryClient.getQueryState([PROSPECT_LIST, {}])?.isInvalidated).toBe(true);
  });

  it('is announced from the top dialog, because the page below is silent', async () => {
    await follow(ok(RUN));
    const region = screen.getByText('メールを送信中', { selector: '[role=status]' });
    expect(region.parentElement).toBe(toastRoot.element);
  });

  it.each([
    ['marks a test', { test_send_mode: 1 }, /^2 \/ 10通メールを送信中テストご提案/],
    [
      'says why a run waits',
      { paused_by: 'user', estimated_end_at: '2026/11/21 10:09:00' },
      /^2 \/ 10通一時停止中ご提案再開/,
    ],
    [
      'says until when and why its mails are put off',
      { put_off_until: '2026/11/24 09:00:00', put_off_reason: '勤労感謝の日', put_off_by: 'hours' },
      /送信時間待ちご提案11\/24（火）9:00まで待っています（勤労感謝の日）一時停止/,
    ],
    ['counts hours', { estimated_end_at: '2026/11/21 12:05:00' }, /残り約2時間5分/],
  ] as const)('%s', async (_what, values, text) => {
    await follow(ok({ ...RUN, ...values }));
    expect(rows()[0]).toMatch(text);
  });

  it('continues without a message after a lost answer', async () => {
    await follow('network', ok(FINISHED));
    expect(toastTextNow('alert')).toBe('');
    expect(rows()).toEqual(['メールを送信中送信の詳細']);
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

  it('that were started elsewhere are shown only as a chip, and the bell alone tells their end', async () => {
    const runs = [RUN, { ...FINISHED, id: 54 }];
    serve(runs);
    show();
    await wait(10);
    expect([chip()?.textContent, rows()]).toEqual(['メールを送信中2/10ご提案', []]);
    runs[0] = FINISHED;
    await second();
    expect([toastTextNow('status'), chip(), said()]).toEqual(['', null, '']);
    expect(told).not.toHaveBeenCalled();
  });

  it('are one chip with their number; its panel shows three, open ones first, and a link to the others', async () => {
    const runs = ids(58, 57, 56, 55);
    serve(runs);
    show();
    await wait(10);
    expect(chip()?.textContent).toBe('4つの送信');
    await pressChip();
    const shown = () => screen.getAllByTitle(/^件名/).map(({ textContent }) => textContent);
    expect(shown()).toEqual(['件名58', '件名57', '件名56']);
    runs[0] = { ...FINISHED, id: 58, subject: '件名58' };
    await second();
    expect(shown()).toEqual(['件名57', '件名56', '件名55']);
    expect(screen.getByRole('link', { name: 'ほかに1つの送信があります' }).getAttribute('href')).toBe('/sends');
  });

  it.each<[string, () => void]>([
    ['Escape', () => fireEvent.keyDown(screen.getByRole('progressbar'), { key: 'Escape' })],
    ['×', () => screen.getByRole('button', { name: '閉じる' }).click()],
    ['a press elsewhere', () => fireEvent.pointerDown(screen.getByRole('button', { name: '取り込む' }))],
    ['the focus elsewhere', () => screen.getByRole('button', { name: '取り込む' }).focus()],
    ['the chip', () => chip()?.click()],
  ])('have a panel over the page that %s closes', async (_what, leave) => {
    serve([RUN]);
    show();
    await wait(10);
    await pressChip();
    expect([popover()?.contains(document.activeElement), rows().length]).toEqual([true, 1]);
    expect(screen.getByTestId('line').textContent).toBe('');
    await act(async () => leave());
    expect(popover()).toBeNull();
  });

  it('stay in the panel after their end while it has the focus', async () => {
    const runs = [RUN];
    serve(runs);
    show();
    await wait(10);
    await pressChip();
    act(() => screen.getByRole('link', { name: '送信の詳細' }).focus());
    runs[0] = FINISHED;
    await wait(15_000);
    expect(rows()).toEqual(['終了ご提案送信結果を見る']);
    await act(async () => screen.getByRole('button', { name: '取り込む' }).focus());
    await wait(10_000);
    expect(chip()).toBeNull();
  });

  it('are not in the panel in the page, which shows only the one started here', async () => {
    serve(ids(56, 55));
    followOpenRuns([55]);
    followOwnRun(56);
    show();
    await wait(10);
    expect(screen.getAllByTitle(/^件名/).map(({ textContent }) => textContent)).toEqual(['件名56']);
    expect(chip()?.textContent).toBe('メールを送信中2/10件名55');
  });

  it('are removed for a new one when they have ended', async () => {
    serve(ids(56, 55).map((it) => ({ ...it, finished: true })));
    followOwnRun(55);
    show();
    await wait(10);
    expect(rows()).toHaveLength(1);
    act(() => followOwnRun(56));
    expect(followed().map(({ id }) => id)).toEqual([56]);
    await wait(10);
  });

  it('survive a reload', async () => {
    await follow(ok(RUN));
    const { state } = JSON.parse(sessionStorage.getItem('kaitaku-session') ?? '{}');
    expect(state.followed_runs).toEqual([{ id: 55, hasEnded: false, isOwn: true, hasBegun: true }]);
  });
});
