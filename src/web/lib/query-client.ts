import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { ApiFailure, ApiResult } from './api-client.ts';
import { useSession } from './session-store.ts';
import { toast } from './toast.ts';

/** A failed call, where the query library needs something thrown. */
export class ApiError extends Error {
  readonly failure: ApiFailure;

  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

export function unwrap<T>(result: ApiResult<T>): T {
  if (!result.ok) throw new ApiError(result);
  return result.data;
}

// The end of a session is told in its own words, once.
function tell(error: Error, isQuiet: boolean): void {
  if (isQuiet || (error instanceof ApiError && error.failure.status === 401)) return;
  toast('warning', error.message);
}

const isWorthRetrying = ({ status, code }: ApiFailure): boolean => status >= 500 && code !== 'offline';

/** For how long an answer is shown again without asking. */
export const FRESH_MS = 30_000;

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => tell(error, query.meta?.quiet === true) }),
  mutationCache: new MutationCache({ onError: (error) => tell(error, false) }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // Offline a call fails at once and says so; by default the library would keep it, in silence, until the network is back.
      networkMode: 'always',
      refetchOnReconnect: true,
      // What the server has decided stays decided; only a server that could not answer is asked again.
      retry: (failures, error) => failures < 2 && error instanceof ApiError && isWorthRetrying(error.failure),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

// Nothing of one session is seen in another.
useSession.subscribe((now, before) => {
  if (now.token === before.token) return;
  void queryClient.cancelQueries();
  queryClient.clear();
});
