import { QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeApi, ok } from '#test/web/fake-api.ts';
import { logInAs } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/query-client.ts';
import { useOrderRules } from './use-order-rules.ts';

const CLOSED = { open: 0, reason: '土曜日', closes_at: null, next_open_at: '2026/11/30 09:00:00', left_today: null };
const OPEN = { ...CLOSED, open: 1, reason: null, left_today: 22 };
const HELD = 'いまは送信時間外です（土曜日）。11/30（月）09:00から送信します';

it.each([
  ['holds while it is closed', 'hold', CLOSED, true, [HELD]],
  ['asks while it is closed', 'warn', CLOSED, false, []],
  [
    'has less left today',
    'warn',
    OPEN,
    false,
    ['グループで今日送れるのは、あと22通です。ほかの78通は、次の日の送信時間から送信します'],
  ],
  [
    'has nothing left today',
    'hold',
    { ...OPEN, left_today: 0 },
    false,
    ['グループの今日の上限まで送りました。次の日の送信時間から送信します'],
  ],
  ['has enough left today', 'hold', { ...OPEN, left_today: 100 }, false, []],
])('a group that %s', async (_what, outside, now, isHeld, texts) => {
  logInAs();
  const requests = fakeApi({ 'GET /sending_rules/4': () => ok({ outside, now }) });
  const wrapper = ({ children }: { children: React.ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(() => useOrderRules(4, 100), { wrapper });
  await waitFor(() => expect([requests.length, queryClient.isFetching()]).toEqual([1, 0]));
  await waitFor(() =>
    expect([result.current.isHeld, result.current.checks.map(({ text }) => text)]).toEqual([isHeld, texts]),
  );
});
