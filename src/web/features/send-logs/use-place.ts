import { SHOWN_STATES } from '#domain/sending/delivery-state.ts';
import { cleanTerms, readPage } from '#web/lib/list-params.ts';
import { useSearchParams } from '#web/lib/router/use-router.ts';
import { changedSearch, pageChange } from '#web/lib/search-params.ts';
import type { State } from './view-deliveries.ts';

interface Place {
  readonly page: number;
  /** undefined: all mails. */
  readonly state?: State | undefined;
  /** Words of the company name; undefined: any. */
  readonly search?: string | undefined;
}

/** Reads and writes the page and the state of the history in the address, for reloads and the back button. */
export function usePlace(): Place & { readonly goTo: (place: Place) => void } {
  const [search, setSearch] = useSearchParams();
  const state = search.get('state');
  const words = cleanTerms(search.get('search') ?? '').trim();
  return {
    page: readPage(search),
    state: SHOWN_STATES.find((known) => known === state),
    search: words === '' ? undefined : words,
    goTo: (next) =>
      setSearch(
        (before) => changedSearch(before, { ...pageChange(next.page), state: next.state, search: next.search }),
        { replace: true },
      ),
  };
}
