import { useSearchParams } from 'react-router';
import { SHOWN_STATES } from '#domain/delivery-state.ts';
import { changedSearch } from '#web/lib/list-params.ts';
import type { State } from './view-deliveries.ts';

interface Place {
  readonly page: number;
  /** undefined: all mails. */
  readonly state?: State | undefined;
}

/** As far as the server counts. */
const PAGE = /^[1-9]\d{0,5}$/;

/** Where the reader of the history is: in the address, so that a reload and the way back lead there. */
export function usePlace(): Place & { readonly goTo: (place: Place) => void } {
  const [search, setSearch] = useSearchParams();
  const page = search.get('page') ?? '';
  const state = search.get('state');
  return {
    page: PAGE.test(page) ? Number(page) : 1,
    state: SHOWN_STATES.find((known) => known === state),
    goTo: ({ page: next, state: wanted }) =>
      setSearch((before) => changedSearch(before, { page: next === 1 ? undefined : next, state: wanted }), {
        replace: true,
      }),
  };
}
