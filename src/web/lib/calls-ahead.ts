import { sessionSlice } from './session-store.ts';

/**
 * The calls of the list that is shown. When its address is loaded again, `src/web/list-ahead.js` makes them beside the
 * files of the list, and callApi takes their answers (`window.answersAhead`).
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

const useCallsAhead = sessionSlice<CallsAhead>(({ list_calls = null }) => ({ list_calls }));

export const rememberListCalls = (search: string, paths: readonly string[]): void =>
  useCallsAhead.setState({ list_calls: { search, paths } });
