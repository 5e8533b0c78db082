import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Run } from '#contract/sending/runs.ts';
import type { AnswerOf } from './call.ts';
import { readEvents } from './event-stream.ts';
import { NOTICE_LIST, SEND_LOG, SEND_LOG_LIST, UNREAD_NOTICES } from './query-keys.ts';

/**
 * Receives the progress of runs by server-sent events, over one connection for all screens.
 * Only a visible tab connects, because a browser opens at most six HTTP/1.1 connections to a server. Without a
 * connection the screens poll.
 */

const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000];

/** Whether the stream is open. Screens then poll seldom, for changes that it may have missed. */
let live = false;
let screens = 0;
let leaving: AbortController | null = null;

export const isLive = (): boolean => live;

/** Updates the runs on screen from the stream while the component is mounted. */
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
      await untilVisible(left.signal);
      if (left.signal.aborted) return;
      const heard = await listen(client, left.signal);
      if (live) {
        live = false;
        // The screens then poll often again.
        void client.invalidateQueries({ queryKey: [SEND_LOG] });
      }
      if (heard) failures = 0;
      await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] as number, left.signal);
    }
  };
  void keepListening();
  return left;
}

/** Reads the stream until it ends or the tab is hidden. @returns whether any data arrived */
async function listen(client: QueryClient, left: AbortSignal): Promise<boolean> {
  const hidden = new AbortController();
  const stopWhenHidden = () => document.visibilityState === 'hidden' && hidden.abort();
  document.addEventListener('visibilitychange', stopWhenHidden);
  try {
    return await readEvents('followSendLogs', {}, AbortSignal.any([left, hidden.signal]), {
      onData: () => {
        live = true;
      },
      onEvent: (name, data) => {
        if (name === 'run') applyRun(client, JSON.parse(data));
        else if (name === 'notices') applyUnread(client, JSON.parse(data));
      },
    });
  } finally {
    document.removeEventListener('visibilitychange', stopWhenHidden);
  }
}

/** Resolves when the tab is visible, or when `left` aborts. */
const untilVisible = (left: AbortSignal): Promise<void> =>
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

function applyUnread(client: QueryClient, unread: AnswerOf<'countUnreadNotices'>): void {
  client.setQueryData([UNREAD_NOTICES], unread);
  void client.invalidateQueries({ queryKey: [NOTICE_LIST] });
}

function applyRun(client: QueryClient, run: Run): void {
  // A pending answer may be older, and after the end of a run no further event corrects it.
  void client.cancelQueries({ queryKey: [SEND_LOG, run.id], exact: true });
  client.setQueryData([SEND_LOG, run.id], run);
  client.setQueriesData<AnswerOf<'viewSendLogs'>>({ queryKey: [SEND_LOG_LIST] }, (page) => {
    if (page === undefined) return page;
    // A run that is not on this page may be a new one.
    if (!page.rows.some(({ id }) => id === run.id)) void client.invalidateQueries({ queryKey: [SEND_LOG_LIST] });
    return { ...page, rows: page.rows.map((row) => (row.id === run.id ? { ...row, ...run } : row)) };
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
