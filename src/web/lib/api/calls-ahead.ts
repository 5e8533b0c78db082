import { sessionSlice } from '../session/session-store.ts';

/**
 * The calls of the list that is shown. When its address is loaded again, `src/web/list-ahead.js` makes them beside the
 * files of the list, and `call` takes their answers.
 */
interface CallsAhead {
  readonly list_calls: ListCalls | null;
}

interface ListCalls {
  /** The query of the address. */
  readonly search: string;
  /** Paths and queries below the API's base. */
  readonly paths: readonly string[];
}

declare global {
  interface Window {
    /** What `list-ahead.js` has asked for: promises of answers by path; null: the server could not be reached. */
    answersAhead?: { readonly token: string; readonly answers: Record<string, Promise<Response | null>> };
  }
}

const useCallsAhead = sessionSlice<CallsAhead>(({ list_calls = null }) => ({ list_calls }));

export const rememberListCalls = (search: string, paths: readonly string[]): void =>
  useCallsAhead.setState({ list_calls: { search, paths } });

/** Returns the answer ahead to a call of this session, once. @param path as `paths` has it */
export function takeAnswerAhead(path: string, token: string | null): Promise<Response | null> | undefined {
  const { answersAhead: asked } = window;
  if (asked === undefined || asked.token !== token) return;
  const answer = asked.answers[path];
  delete asked.answers[path];
  return answer;
}

/** Drops the answers that nobody took: a later call would find them outdated. */
export function dropAnswersAhead(): void {
  delete window.answersAhead;
}
