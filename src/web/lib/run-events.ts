import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CallAnswer } from '#contract/call.ts';
import type { viewSendLogs } from '#contract/send-history.ts';
import type { Run } from '#contract/sending.ts';
import { openStream } from './api-client.ts';
import { SEND_LOG, SEND_LOG_LIST } from './query-keys.ts';

/**
 * The progress of runs by server-sent events, while some screen wants it: one connection, however many screens. Only a tab in
 * sight has one, because a browser opens six connections to a server by HTTP/1.1. Screens poll while there is none.
 */

const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000];
/** The server beats every 15 s; one that is silent for longer is gone. */
const SILENCE_MS = 40_000;

/** Whether the server tells; then asking is needed no more but for what may have been missed. */
let live = false;
let screens = 0;
let leaving: AbortController | null = null;

export const isLive = (): boolean => live;

/** Keeps the runs on screen at what the server tells, while the component is there and wants it. */
export function useRunEvents(wanted = true): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!wanted) return;
    screens += 1;
    leaving ??= follow(client);
    return () => {
      screens -= 1;
      if (screens > 0) return;
      leaving?.abort();
      leaving = null;
    };
  }, [client, wanted]);
}

function follow(client: QueryClient): AbortController {
  const left = new AbortController();
  const keepListening = async () => {
    for (let failures = 0; ; failures += 1) {
      await untilInSight(left.signal);
      if (left.signal.aborted) return;
      const heard = await listen(client, left.signal);
      if (live) {
        live = false;
        // What was asked for seldom is asked for often again.
        void client.invalidateQueries({ queryKey: [SEND_LOG] });
      }
      if (heard) failures = 0;
      await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] as number, left.signal);
    }
  };
  void keepListening();
  return left;
}

/** Listens until the answer ends. @returns whether anything was heard */
async function listen(client: QueryClient, left: AbortSignal): Promise<boolean> {
  const silence = new AbortController();
  const stopOutOfSight = () => document.visibilityState === 'hidden' && silence.abort();
  document.addEventListener('visibilitychange', stopOutOfSight);
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  let heard = false;
  try {
    const over = AbortSignal.any([left, silence.signal]);
    const body = await openStream('/send_log/events', over);
    if (body === null) return false;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    over.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return heard;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      heard = true;
      live = true;
      const events = (rest + value).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) tell(client, event);
    }
  } catch {
    return heard;
  } finally {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', stopOutOfSight);
  }
}

/** Resolves when the tab is in sight, or nobody wants to listen any more. */
const untilInSight = (left: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const check = () => {
      if (document.visibilityState === 'hidden' && !left.aborted) return;
      document.removeEventListener('visibilitychange', check);
      left.removeEventListener('abort', check);
      done();
    };
    document.addEventListener('visibilitychange', check);
    left.addEventListener('abort', check);
    check();
  });

function tell(client: QueryClient, event: string): void {
  const [, data] = /^event: run\ndata: (.*)$/.exec(event) ?? [];
  if (data === undefined) return;
  const run = JSON.parse(data) as Run;
  client.setQueryData([SEND_LOG, run.id], run);
  client.setQueriesData<CallAnswer<typeof viewSendLogs>>({ queryKey: [SEND_LOG_LIST] }, (page) => {
    if (page === undefined) return page;
    // A run that is not on this page may belong on the first one.
    if (!page.rows.some(({ id }) => id === run.id)) void client.invalidateQueries({ queryKey: [SEND_LOG_LIST] });
    return { ...page, rows: page.rows.map((row) => (row.id === run.id ? run : row)) };
  });
}

const pause = (ms: number, left: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, ms);
    left.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });
