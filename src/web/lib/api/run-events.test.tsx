import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Run } from '#contract/sending/runs.ts';
import { deferred, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { logInAs } from '#test/web/samples.ts';
import { sendLog } from '../data/send-log.ts';
import { useSession } from '../session/session-store.ts';
import { queryClient } from './query-client.ts';
import { SEND_LOG } from './query-keys.ts';
import { useRunEvents } from './run-events.ts';

const RUN = { id: 55, sent: 0, finished: false } as Run;

function Screen() {
  useRunEvents();
  const { data } = useQuery(sendLog(55));
  return <p>{data === undefined ? '…' : `${data.sent}件`}</p>;
}

const show = (screens = 1) =>
  render(
    <QueryClientProvider client={queryClient}>
      {Array.from({ length: screens }, (_, n) => `screen ${n}`).map((key) => (
        <Screen key={key} />
      ))}
    </QueryClientProvider>,
  );

/** Makes a fake server whose events the test sends. */
function events() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const encode = (text: string) => new TextEncoder().encode(text);
  const answer = () =>
    new Response(
      new ReadableStream({
        start: (opened) => {
          controller = opened;
          opened.enqueue(encode(': \n\n'));
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
  return {
    answer,
    send: (text: string) => act(async () => controller?.enqueue(encode(text))),
    run: (values: Partial<Run>) => `event: run\ndata: ${JSON.stringify({ ...RUN, ...values })}\n\n`,
    end: () => act(async () => controller?.close()),
  };
}

const wait = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));
const asked = (requests: FakeRequest[], path: string) => requests.filter((request) => request.path === path);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  logInAs();
});

describe('the progress of runs', () => {
  it('is shown as streamed, with the session’s token, and polled seldom', async () => {
    const server = events();
    const requests = fakeApi({ 'GET /send_log/events': server.answer, 'GET /send_log/55': () => ok(RUN) });
    show();
    await wait(10);
    expect(asked(requests, '/send_log/events')[0]?.headers.get('Authorization')).toBe('Bearer token-1');
    const before = asked(requests, '/send_log/55').length;
    const text = server.run({ sent: 7 });
    // An event may arrive in pieces.
    await server.send(text.slice(0, 30));
    await server.send(text.slice(30));
    await wait(10);
    expect(screen.getByText('7件')).toBeDefined();
    await wait(8000);
    expect(asked(requests, '/send_log/55').length).toBeLessThanOrEqual(before + 1);
  });

  it('is not overwritten by an older pending answer when the stream has sent the end', async () => {
    const server = events();
    const older = deferred();
    fakeApi({ 'GET /send_log/events': server.answer, 'GET /send_log/55': () => older.answer });
    show();
    await wait(10);
    await server.send(server.run({ sent: 9, finished: true }));
    older.resolve(ok(RUN));
    await wait(10);
    expect(screen.getByText('9件')).toBeDefined();
  });

  it('does not drop another pending answer about the run', async () => {
    const server = events();
    const origin = Promise.withResolvers<string>();
    fakeApi({ 'GET /send_log/events': server.answer, 'GET /send_log/55': () => ok(RUN) });
    show();
    await wait(10);
    const asking = queryClient.fetchQuery({ queryKey: [SEND_LOG, 55, 'origin'], queryFn: () => origin.promise });
    await server.send(server.run({ sent: 7 }));
    origin.resolve('the list');
    expect(await asking).toBe('the list');
  });

  it('uses one connection for all screens, and none without screens', async () => {
    const server = events();
    const requests = fakeApi({ 'GET /send_log/events': server.answer, 'GET /send_log/55': () => ok(RUN) });
    const { unmount } = show(3);
    await wait(10);
    expect(asked(requests, '/send_log/events')).toHaveLength(1);
    unmount();
    await wait(120_000);
    expect(asked(requests, '/send_log/events')).toHaveLength(1);
  });

  it('has no connection while its tab is hidden, and is polled seldom there', async () => {
    const sight = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    const turn = (state: DocumentVisibilityState) => {
      sight.mockReturnValue(state);
      return act(async () => void document.dispatchEvent(new Event('visibilitychange')));
    };
    const server = events();
    const requests = fakeApi({ 'GET /send_log/events': server.answer, 'GET /send_log/55': () => ok(RUN) });
    const left = vi.spyOn(ReadableStreamDefaultReader.prototype, 'cancel').mockResolvedValue(undefined);
    show();
    await wait(25_000);
    expect(asked(requests, '/send_log/events')).toHaveLength(0);
    expect(asked(requests, '/send_log/55')).toHaveLength(3);
    await turn('visible');
    await wait(10);
    expect(asked(requests, '/send_log/events')).toHaveLength(1);
    expect(left).not.toHaveBeenCalled();
    await turn('hidden');
    await wait(10);
    expect(left).toHaveBeenCalledOnce();
  });

  it('is polled every second without a stream, which is retried with growing delays', async () => {
    const requests = fakeApi({ 'GET /send_log/events': () => 'network', 'GET /send_log/55': () => ok(RUN) });
    show();
    await wait(10_000);
    expect(asked(requests, '/send_log/55').length).toBeGreaterThanOrEqual(9);
    // Requests at 0, 1, 3 and 8 seconds.
    expect(asked(requests, '/send_log/events')).toHaveLength(4);
  });

  it('is polled at once when the stream ends, and streamed again', async () => {
    const server = events();
    const requests = fakeApi({ 'GET /send_log/events': server.answer, 'GET /send_log/55': () => ok(RUN) });
    show();
    await wait(10);
    const before = asked(requests, '/send_log/55').length;
    await server.end();
    await wait(10);
    expect(asked(requests, '/send_log/55').length).toBeGreaterThan(before);
    await wait(1000);
    expect(asked(requests, '/send_log/events')).toHaveLength(2);
    await server.send(server.run({ sent: 9 }));
    await wait(10);
    expect(screen.getByText('9件')).toBeDefined();
  });

  it('of an ended session is not streamed: the session ends here too', async () => {
    const requests = fakeApi({
      'GET /send_log/events': () => refused(401, 'ログインの有効期限が切れました。'),
      'GET /send_log/55': () => ok({ ...RUN, finished: true }),
    });
    show();
    await wait(10);
    expect(useSession.getState()).toMatchObject({ token: null, message: expect.stringContaining('有効期限') });
    await wait(120_000);
    expect(asked(requests, '/send_log/events')).toHaveLength(1);
  });

  it('is polled when the stream has fallen silent', async () => {
    const requests = fakeApi({
      'GET /send_log/events': ({ headers }) =>
        new Response(
          new ReadableStream({
            start: (opened) => opened.enqueue(new TextEncoder().encode(`: ${headers.get('Accept')}\n\n`)),
          }),
        ),
      'GET /send_log/55': () => ok(RUN),
    });
    show();
    await wait(30_000);
    expect(asked(requests, '/send_log/events')).toHaveLength(1);
    await wait(12_000);
    expect(asked(requests, '/send_log/events')).toHaveLength(2);
  });
});
