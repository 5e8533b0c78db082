import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { fakeApi, ok } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { RunResultsPart } from './run-results.tsx';

const slot = (minute: number, sent: number) => ({
  at: `2026/11/20 09:0${minute}:00`,
  sent,
  failed: 0,
  unknown: 0,
  replied: 0,
  refused: 0,
});

beforeEach(() => logInAs());

it('counts only when it is opened, and once more when the run has ended', async () => {
  let times = [slot(0, 5)];
  const requests = fakeApi({ 'GET /send_log/3/results': () => ok({ step_minutes: 1, times }) });
  const { rerender } = renderPart(<RunResultsPart run={{ id: 3, finished: false }} />);
  expect(requests).toHaveLength(0);
  await userEvent.click(screen.getByText('時間ごとの結果'));
  await screen.findByText(/合わせて5通/);
  times = [slot(0, 5), slot(3, 7)];
  rerender(<RunResultsPart run={{ id: 3, finished: true }} />);
  await screen.findByText(/合わせて12通/);
  expect(requests).toHaveLength(2);
});

it('leaves gaps for the minutes without mails', async () => {
  vi.setSystemTime(new Date('2026-11-20T12:00:00+09:00'));
  onTestFinished(() => void vi.useRealTimers());
  fakeApi({ 'GET /send_log/3/results': () => ok({ step_minutes: 1, times: [slot(0, 5), slot(3, 7)] }) });
  renderPart(<RunResultsPart run={{ id: 3, finished: true }} />);
  await userEvent.click(screen.getByText('時間ごとの結果'));
  const chart = await screen.findByRole('img', { name: '時間ごとの送信' });
  expect([...chart.querySelectorAll('[title]')].map((bar) => bar.getAttribute('title'))).toStrictEqual([
    '11/20（金）09:00：送信済み5、届かなかった0、不明0',
    '11/20（金）09:01：送信済み0、届かなかった0、不明0',
    '11/20（金）09:02：送信済み0、届かなかった0、不明0',
    '11/20（金）09:03：送信済み7、届かなかった0、不明0',
  ]);
});

it('says that no mail has an outcome yet', async () => {
  fakeApi({ 'GET /send_log/3/results': () => ok({ step_minutes: 1, times: [] }) });
  renderPart(<RunResultsPart run={{ id: 3, finished: false }} />);
  await userEvent.click(screen.getByText('時間ごとの結果'));
  await screen.findByText('送信が終わったメールはまだありません');
});
