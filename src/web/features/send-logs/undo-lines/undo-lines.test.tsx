import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Run } from '#contract/sending/runs.ts';
import { deferred, type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { AtAnAddress, renderPart, toastTextNow } from '#test/web/render.tsx';
import { logInAs, run } from '#test/web/samples.ts';
import { followOpenRuns, useFollowedRuns } from '../followed/followed-runs-state.ts';
import { RunChip } from '../followed/run-chip.tsx';
// Loaded here, so that fake timers do not wait for the file.
import './undo-lines.tsx';

const NOW = Date.parse('2026-11-27T10:00:00+09:00');
const startsAfter = (seconds: number) => `2026/11/27 10:00:${String(seconds).padStart(2, '0')}`;

/** A run of ten mails, of which none has begun. */
const waiting = (id: number, seconds: number, values: Partial<Run> = {}): Run =>
  run(id, { queued: 10, sending: 0, sent: 0, starts_at: startsAfter(seconds), ...values });

/** Renders the two places of the header. */
function Header() {
  const [chipPlace, setChipPlace] = useState<HTMLElement | null>(null);
  const [linePlace, setLinePlace] = useState<HTMLElement | null>(null);
  return (
    <>
      <header ref={setChipPlace} />
      <div ref={setLinePlace} />
      <main id="main" tabIndex={-1} />
      <RunChip chipPlace={chipPlace} linePlace={linePlace} onTold={() => undefined} />
    </>
  );
}

const navigate = vi.fn(async () => undefined);

const renderHeader = () =>
  renderPart(
    <AtAnAddress navigate={navigate}>
      <Header />
    </AtAnAddress>,
  );

/** Serves runs that were started in another tab. The answers may be replaced. */
async function show(runs: Run[], undo: FakeAnswer = 'network') {
  const requests = fakeApi({
    'GET /send_log/view': () => ok({ rows: runs, total: runs.length }),
    ...Object.fromEntries(runs.map(({ id }, n) => [`GET /send_log/${id}`, () => ok(runs[n])])),
    ...Object.fromEntries(runs.map(({ id }) => [`PUT /send_log/${id}`, () => undo])),
  });
  renderHeader();
  await wait(10);
  return requests;
}
const wait = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));
const lines = () => screen.queryAllByRole('region').map((line) => line.querySelector('p')?.textContent);
const chip = () => screen.queryByRole('button', { expanded: false })?.textContent;
const said = () => screen.getAllByRole('status').find((region) => !region.hasAttribute('aria-atomic'))?.textContent;
const takeBack = async () => {
  await act(async () => screen.getByRole('button', { name: '送信を取り消す' }).click());
  await wait(10);
};
const followed = () => useFollowedRuns.getState().followed_runs.map(({ id }) => id);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  logInAs();
});

it('a run that was started elsewhere has its line while it can be taken back, then its chip', async () => {
  const runs = [waiting(55, 30)];
  await show(runs);
  expect([lines(), chip()]).toEqual([['10社に送信します。あと 29秒'], undefined]);
  await wait(2000);
  expect(lines()).toEqual(['10社に送信します。あと 27秒']);
  await wait(27_500);
  expect(lines()).toEqual(['10社に送信します。あと 0秒']);
  runs[0] = waiting(55, 30, { queued: 9, sending: 1 });
  await wait(1000);
  expect([lines(), chip()]).toEqual([[], 'メールを送信中0/10ご提案']);
});

it('is announced once, not each second', async () => {
  await show([waiting(55, 30)]);
  const heard = new Set<string | null | undefined>();
  for (let seconds = 0; seconds < 5; seconds += 1) {
    await wait(1000);
    heard.add(said());
  }
  expect([...heard]).toEqual(['10社に送信します。いまなら、送信を取り消せます']);
});

it('a paused run waits on after its window, and one that a rule defers names its time', async () => {
  await show([waiting(55, 2, { paused_by: 'user' }), waiting(56, 30, { put_off_until: '2026/11/30 09:00:00' })]);
  await wait(3000);
  expect(lines()).toEqual(['送信を待っています', '11/30（月）9:00に10社に送信します']);
});

it('several runs have three lines, those first that begin first; the others are a chip', async () => {
  await show([waiting(58, 40), waiting(57, 10), waiting(56, 30), waiting(55, 20)]);
  expect(lines()).toEqual([9, 19, 29].map((seconds) => `10社に送信します。あと ${seconds}秒`));
  expect(chip()).toBe('送信待ち0/10ご提案');
});

it('an undo says at once that nothing was sent, and its run is told of no more', async () => {
  const runs = [waiting(55, 30)];
  const requests = await show(runs, ok({ status: 'updated', cancelled: 10, left: 0 }));
  runs[0] = waiting(55, 30, { queued: 0, cancelled: 10, finished: true, undone: 1 });
  await takeBack();
  const puts = requests.filter(({ method }) => method === 'PUT');
  expect(puts.map(({ path, body }) => [path, body])).toEqual([
    ['/send_log/55', { update_info: { state: 'cancelled' } }],
  ]);
  expect(toastTextNow('status')).toBe('送信前に取り消しました。1通も送っていません');
  expect([lines(), chip(), followed()]).toEqual([[], undefined, []]);
  expect(document.activeElement).toBe(screen.getByRole('main'));
});

it('an undo that came late says how many had left', async () => {
  await show([waiting(55, 1)], ok({ status: 'updated', cancelled: 97, left: 3 }));
  await takeBack();
  expect(toastTextNow('status')).toBe('残りの97通を取り消しました。3通はすでに送信しています');
});

const at = { reservation_id: 7, reserved_for: '2026/12/01 11:00:00', reserved_elsewhere: 0 };

it.each([
  ['restored' as const, {}, 'status', '12/1（火）11:00の予約に戻しました'],
  [
    'restored' as const,
    { reserved_elsewhere: 2 },
    'status',
    '12/1（火）11:00の予約に戻しましたほかの予約に入っている2社は、外しました',
  ],
  [
    'missed' as const,
    {},
    'alert',
    '12/1（火）11:00の予約に戻しましたが、このままでは送信されません。日時を選び直してください',
  ],
  [
    'taken' as const,
    { reserved_elsewhere: 2 },
    'alert',
    '12/1（火）11:00には同じテンプレートの予約があるため、戻していません。送信するときは、その予約に会社を追加してください',
  ],
])(
  'an undo of 今すぐ送信 says what became of its reservation, and leads there: %s',
  async (reservation, more, urgency, said) => {
    await show([waiting(55, 30)], ok({ status: 'updated', cancelled: 10, left: 0, reservation, ...at, ...more }));
    await takeBack();
    expect(toastTextNow(urgency as 'status')).toBe(`送信前に取り消しました。1通も送っていません${said}予約を見る`);
    await act(async () => screen.getByRole('button', { name: '予約を見る' }).click());
    expect(navigate).toHaveBeenLastCalledWith('/reservations/7');
  },
);

it('an undo that was refused says why, and the line stays', async () => {
  await show([waiting(55, 30)], refused(409, 'この送信はすでに終わっています。', 'run_finished'));
  await takeBack();
  expect(toastTextNow('alert')).toBe('この送信はすでに終わっています');
  expect([lines().length, followed()]).toEqual([1, [55]]);
});

it('the other tabs are told of an undo in the same words', async () => {
  const runs = [waiting(55, 30)];
  await show(runs);
  runs[0] = waiting(55, 30, { queued: 0, cancelled: 10, finished: true, undone: 1 });
  await wait(1100);
  expect(toastTextNow('status')).toBe('送信前に取り消しました。1通も送っていません');
});

it('a reloaded tab shows no chip before it is known that a run can be taken back', async () => {
  const { answer, resolve } = deferred();
  fakeApi({ 'GET /send_log/55': () => answer });
  followOpenRuns([55]);
  renderHeader();
  await wait(10);
  expect([chip(), lines(), said()]).toEqual([undefined, [], '']);
  await act(async () => resolve(ok(waiting(55, 30))));
  await wait(10);
  expect([chip(), lines()]).toEqual([undefined, ['10社に送信します。あと 29秒']]);
});
