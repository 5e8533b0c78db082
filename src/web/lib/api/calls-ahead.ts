import { sessionSlice } from '../session/session-store.ts';

/**
 * The calls of the shown list. When its address loads again, `src/web/load-ahead.js` makes them while the list's files
 * load, and `call` takes their answers.
 */
interface CallsAhead {
  readonly list_calls: ListCalls | null;
}

interface ListCalls {
  /** The query of the address. */
  readonly search: string;
  /** Paths and queries below the API's base path. */
  readonly paths: readonly string[];
}

declare global {
  interface Window {
    /** The answers that `load-ahead.js` has requested: promises by path; null: the server could not be reached. */
    answersAhead?: { readonly token: string; readonly answers: Record<string, Promise<Response | null>> };
  }
}

const useCallsAhead = sessionSlice<CallsAhead>(({ list_calls = null }) => ({ list_calls }));

export const rememberListCalls = (search: string, paths: readonly string[]): void =>
  useCallsAhead.setState({ list_calls: { search, paths } });

/** Returns an answer ahead to this session's call, and removes it. @param path as in `paths` */
export function takeAnswerAhead(path: string, token: string | null): Promise<Response | null> | undefined {
  const { answersAhead: asked } = window;
  if (asked === undefined || asked.token !== token) return;
  const answer = asked.answers[path];
  delete asked.answers[path];
  return answer;
}

/** Removes answers that no call has taken: they would be outdated for a later call. */
export function dropAnswersAhead(): void {
  delete window.answersAhead;
}
