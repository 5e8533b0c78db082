import { sessionSlice } from '#web/lib/session/session-store.ts';

/** The typed text of the filter's fields: valid or not, applied or not. */
interface TypedFilter {
  /** The filter in the address that the text belongs to, as JSON. */
  readonly of: string;
  /** The filter that `of` has replaced: a reload that began earlier loads its address. */
  readonly replaced?: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface FilterState {
  /** null: the fields show the filter in the address. */
  readonly typed_filter: TypedFilter | null;
  readonly is_filter_open: boolean;
  /** The id of the chosen saved condition. */
  readonly saved_condition: number | null;
}

export const useFilter = sessionSlice<FilterState>(
  ({ typed_filter = null, is_filter_open = false, saved_condition = null }) => ({
    typed_filter,
    // An older client stored null.
    is_filter_open: Boolean(is_filter_open),
    saved_condition,
  }),
);

export function setTypedFilter(typed_filter: TypedFilter | null): void {
  useFilter.setState({ typed_filter });
}

export function setFilterOpen(is_filter_open: boolean): void {
  useFilter.setState({ is_filter_open });
}

/** Sets the chosen condition. @param saved_condition null: none */
export function setSavedCondition(saved_condition: number | null): void {
  useFilter.setState({ saved_condition });
}
