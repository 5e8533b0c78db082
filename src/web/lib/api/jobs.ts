import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Job } from '#contract/account/jobs.ts';
import { call } from './call.ts';
import { readEvents } from './event-stream.ts';
import { unwrap } from './query-client.ts';
import { JOB } from './query-keys.ts';

/** Follows jobs, which workers do after the request: closing the browser stops nothing. */

const POLL_MS = 1500;

const job = (id: number) =>
  queryOptions({
    queryKey: [JOB, id] as const,
    queryFn: async ({ signal }): Promise<Job> =>
      unwrap(await call('getJob', { params: { id: String(id) } }, { signal })),
    meta: { quiet: true },
  });

/**
 * Follows a job until it ends.
 *
 * @param byEvents by server-sent events, or polling if they fail; false: only by polling, because browsers open at
 * most six HTTP/1.1 connections to a server
 * @returns undefined until it has loaded
 */
export function useJob(id: number, byEvents: boolean): Job | undefined {
  const client = useQueryClient();
  const [isLive, setLive] = useState(false);
  const { data } = useQuery({
    ...job(id),
    refetchInterval: ({ state }) => (isLive || hasEnded(state.data) ? false : POLL_MS),
  });
  useEffect(() => {
    if (!byEvents) return;
    const left = new AbortController();
    const follow = async () => {
      await readEvents('followJob', { params: { id: String(id) } }, left.signal, {
        onData: () => setLive(true),
        onEvent: (name, text) => {
          if (name === 'job') client.setQueryData(job(id).queryKey, JSON.parse(text) as Job);
        },
      });
      if (!left.signal.aborted) setLive(false);
    };
    void follow();
    return () => left.abort();
  }, [client, id, byEvents]);
  return data;
}

const hasEnded = (now: Job | undefined): boolean => now !== undefined && now.finished_at !== null;

export const stopJob = (id: number) => call('cancelJob', { params: { id: String(id) } });
