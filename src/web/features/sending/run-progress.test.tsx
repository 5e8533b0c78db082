import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Run } from '#contract/sending.ts';
import { type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderPart, toldNow } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { addRunningSendLog, useSession } from '#web/lib/session-store.ts';
import { RunProgress } from './run-progress.tsx';

const onFinished = vi.fn();
const RUN: Run = {
  id: 55,
  test_send_mode: 0,
  sent_at: '2026/11/21 10:00:00',
  group_name: '営業部',
  subject: 'ご提案',
  targets: 10,
  queued: 6,
  sending: 2,
  sent: 2,
  failed: 0,
  unknown: 0,
  cancelled: 0,
  finished: false,
  paused_by: null,
  transport_paused_until: null,
  put_off_until: null,
  estimated_end_at: null,
};
const FINISHED: Run = { ...RUN, queued: 0, sending: 0, sent: 7, failed: 2, unknown: 1, finished: true };

async function follow(...answers: FakeAnswer[]) {
  const last = answers.at(-1);
  const requests = fakeApi({ 'GET /send_log/55': () => answers.shift() ?? last ?? 'network' });
  addRunningSendLog(55);
  renderPart(<RunProgress id={55} onFinished={onFinished} />);
  await act(async () => vi.advanceTimersByTimeAsync(10));
  return requests;
}
const second = () => act(async () => vi.advanceTimersByTimeAsync(1000));
const toastText = (role: 'status' | 'alert') => screen.queryByRole(role)?.textContent;

beforeEach(() => {
  onFinished.mockClear();
  vi.useFakeTimers();
  logInAs();
});

describe('the progress of a run', () => {
  it('is asked for every second until the run has ended, then told', async () => {
    const requests = await follow(ok(RUN), ok({ ...RUN, queued: 0, sending: 1, sent: 9 }), ok(FINISHED));
    const bar = screen.getByRole('progressbar', { name: 'メールを送信中' });
    const told = ['aria-valuenow', 'aria-valuemax', 'aria-valuetext'].map((name) => bar.getAttribute(name));
    expect(told).toStrictEqual(['2', '10', '2 / 10件']);
    expect(screen.getByText('2 / 10件')).toBeDefined();
    await second();
    expect(screen.getByText('9 / 10件')).toBeDefined();
    expect(onFinished).not.toHaveBeenCalled();
    await second();
    expect(toastText('status')).toBe('メールが送信されました送信 7件・失敗 2件・不明 1件');
    expect(onFinished).toHaveBeenCalledOnce();
    expect(useSession.getState().running_send_logs).toEqual([]);
    await second();
    expect(requests).toHaveLength(3);
  });

  it('marks a test', async () => {
    await follow(ok({ ...RUN, test_send_mode: 1 }));
    expect(screen.getByText('テスト送信')).toBeDefined();
  });

  it('tells of cancelled mails', async () => {
    await follow(ok({ ...FINISHED, unknown: 0, cancelled: 1 }));
    expect(toastText('status')).toContain('送信 7件・失敗 2件・不明 0件・取消 1件');
  });

  it('calls a run in which nothing was sent no success', async () => {
    await follow(ok({ ...FINISHED, sent: 0, unknown: 0, failed: 10 }));
    expect(toastText('alert')).toBe('メールを送信できませんでした送信 0件・失敗 10件・不明 0件');
  });

  it('goes on in silence after a lost answer', async () => {
    await follow('network', ok(FINISHED));
    expect(toldNow('alert')).toBe('');
    expect(useSession.getState().running_send_logs).toEqual([55]);
    await second();
    expect(toastText('status')).toMatch(/^メールが送信されました/);
  });

  it('gives up a run that is not there', async () => {
    await follow(refused(404, '見つかりません'));
    expect(useSession.getState().running_send_logs).toEqual([]);
    expect(onFinished).toHaveBeenCalledOnce();
    expect(toldNow('alert')).toBe('');
  });
});
