import { sessionSlice } from '#web/lib/session-store.ts';

/** The text in the filter's fields, valid or not, applied or not. */
interface TypedFilter {
  /** The filter in the address to which the text belongs, as JSON. */
  readonly of: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface FilterState {
  /** null: the fields show the filter in the address. */
  readonly typed_filter: TypedFilter | null;
  /** null: the width of the screen decides. */
  readonly is_filter_open: boolean | null;
}

export const useFilter = sessionSlice<FilterState>(({ typed_filter = null, is_filter_open = null }) => ({
  typed_filter,
  is_filter_open,
}));

export function setTypedFilter(typed_filter: TypedFilter | null): void {
  useFilter.setState({ typed_filter });
}

export function setFilterOpen(is_filter_open: boolean): void {
  useFilter.setState({ is_filter_open });
}
