import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { toast } from '../screen/toast.ts';
import { useSession } from '../session/session-store.ts';
import type { ApiFailure, ApiResult } from './call.ts';
import { forgetRefusals, useRefusals } from './refusals.ts';

/** How a query reports its errors. */
interface QueryMeta extends Record<string, unknown> {
  /** Shows no toast. */
  readonly quiet?: boolean;
  /** The screen shows the reason in place of the data. A toast shows it only while older data are on screen. */
  readonly shownInPlace?: boolean;
}

/** For queries whose failure the screen explains in place of their data. */
export const SHOWN_IN_PLACE: QueryMeta = { shownInPlace: true };

/** How a mutation reports its errors. */
export interface MutationMeta extends Record<string, unknown> {
  /** Whether the screen itself shows an error, so that no toast repeats it. */
  readonly showsItself?: (error: Error) => boolean;
}

/** A failed call as an error, for the query library. */
export class ApiError extends Error {
  readonly failure: ApiFailure;

  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Whether a call failed with this status. */
export const hasStatus = (error: Error | null, status: number): boolean =>
  error instanceof ApiError && error.failure.status === status;

/** Whether a call was refused with this code. */
export const hasCode = (error: Error | null, code: string): boolean =>
  error instanceof ApiError && error.failure.code === code;

/** Returns the data of a call. Throws ApiError if it failed. */
export function unwrap<T>(result: ApiResult<T>): T {
  if (!result.ok) throw new ApiError(result);
  return result.data;
}

/** A page of a list, and the number of rows on all its pages. */
export interface ListPage<Rows> {
  readonly rows: Rows;
  readonly total: number;
}

/** Returns the page that a call read by `limit` and `offset`. Throws ApiError if it failed. */
export function unwrapPage<Rows>(result: ApiResult<Rows>): ListPage<Rows> {
  if (!result.ok) throw new ApiError(result);
  return { rows: result.data, total: result.total ?? 0 };
}

/** Shows an error as a toast, except the end of a session and what a page in place of the screen says. */
export function showError(error: Error, isQuiet: boolean): void {
  if (isQuiet || hasStatus(error, 401) || useRefusals.getState().instead !== '') return;
  toast('warning', error.message);
}

/** Whether a call failed because the server could not answer. Retrying a refusal is useless. */
export const isWorthRetrying = (error: Error): boolean =>
  error instanceof ApiError && error.failure.status >= 500 && error.failure.code !== 'offline';

/** The age in ms up to which an answer is shown without another request. */
export const FRESH_MS = 30_000;

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      const { quiet, shownInPlace } = (query.meta ?? {}) as QueryMeta;
      showError(error, quiet === true || (shownInPlace === true && query.state.data === undefined));
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      const { showsItself } = (mutation.meta ?? {}) as MutationMeta;
      showError(error, showsItself?.(error) === true);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // Without a network a call fails at once with a message. By default the library would hold it back.
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (failures, error) => failures < 2 && isWorthRetrying(error),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

// A session must not see the data of another.
useSession.subscribe((now, before) => {
  if (now.token === before.token) return;
  void queryClient.cancelQueries();
  queryClient.clear();
  forgetRefusals();
});
