import { act } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Run } from '#contract/sending/runs.ts';
import { type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { AtAnAddress, renderPart } from '#test/web/render.tsx';
import { logInAs, run } from '#test/web/samples.ts';
import { useToasts } from '#web/lib/screen/toast.ts';
import { RunFollower } from './run-follower.tsx';

const RUN = run(55);
const FINISHED: Run = { ...RUN, queued: 0, sending: 0, sent: 7, failed: 2, unknown: 1, finished: true };

const wait = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));
/** The last announcement to screen readers. */
let said = '';
const told = () => useToasts.getState().toasts.map(({ message, times }) => [message.replace('\n', ''), times]);

/** Follows a run that ends after a second, with the server's answers about its origin. */
async function endAs(ended: Run, origin: () => FakeAnswer) {
  const answers = [ok(RUN)];
  const requests = fakeApi({
    'GET /send_log/55': () => answers.shift() ?? ok(ended),
    'GET /send_log/55/origin': origin,
  });
  const announce = (text: string) => {
    said = text;
  };
  renderPart(
    <AtAnAddress>
      <RunFollower
        followed={{ id: 55, hasEnded: false, isOwn: true }}
        canBeTakenBack={false}
        isHeld={false}
        isInPage={false}
        onTold={() => undefined}
        onAnnounce={announce}
      />
    </AtAnAddress>,
  );
  await wait(10);
  expect(said).toBe('メールを送信中');
  await wait(1000);
  return { asked: () => requests.filter(({ path }) => path.endsWith('/origin')).length };
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00+09:00') });
  logInAs();
});

describe('the end of a run is reported once:', () => {
  const CANCELLED: Run = { ...FINISHED, sent: 4, failed: 0, unknown: 0, cancelled: 6 };
  const leftOut = (count: number) => ({ left_out: count === 0 ? [] : [{ reason: 'inactive', count }] });

  it.each<[string, Run, number, string]>([
    ['that a person stopped ends as stopped, not as sent', CANCELLED, 0, '送信を中止しました（送信済み4通）'],
    ['stopped after companies were left out', CANCELLED, 5, '送信を中止しました（送信済み4通）'],
    ['stopped before its first mail', { ...CANCELLED, sent: 0, cancelled: 10 }, 0, '送信を中止しました（送信済み0通）'],
    [
      'that was taken back before its first mail says so',
      { ...CANCELLED, sent: 0, cancelled: 10, starts_at: '2026/11/21 10:00:10', undone: 1 },
      0,
      '送信前に取り消しました。1通も送っていません',
    ],
    [
      'that only left companies out is sent',
      CANCELLED,
      6,
      'メールが送信されました送信 4通・失敗 0通・不明 0通・取り消し 6通',
    ],
    [
      'in which nothing was sent is no success',
      { ...FINISHED, sent: 0, unknown: 0, failed: 10 },
      0,
      'メールを送信できませんでした送信 0通・失敗 10通・不明 0通',
    ],
  ])('%s', async (_what, ended, count, text) => {
    await endAs(ended, () => ok(leftOut(count)));
    expect(told()).toEqual([[text, 1]]);
    expect(said).toBe('');
  });

  it('the origin is requested again while the server cannot answer, and nothing is reported before', async () => {
    const answers: FakeAnswer[] = [refused(503, ''), 'network', refused(500, '')];
    const { asked } = await endAs(CANCELLED, () => answers.shift() ?? ok(leftOut(0)));
    expect(told()).toEqual([]);
    await wait(10_000);
    expect([asked(), told()]).toEqual([4, [['送信を中止しました（送信済み4通）', 1]]]);
  });

  it.each<[string, FakeAnswer, number]>([
    ['is refused', refused(403, ''), 1],
    ['does not come for half a minute', 'network', 6],
  ])('the counts alone, not that it was sent, where the answer %s', async (_what, answer, times) => {
    const { asked } = await endAs(CANCELLED, () => answer);
    await wait(60_000);
    expect(useToasts.getState().toasts.map(({ type }) => type)).toEqual(['info']);
    expect(told()).toEqual([['送信が終わりました送信 4通・失敗 0通・不明 0通・取り消し 6通', 1]]);
    expect(asked()).toBe(times);
  });
});
