import { DEFAULT_PAGE_SIZE } from '#domain/limits.ts';
import { sessionSlice } from '../session/session-store.ts';

/** The paging of lists, under the specification's names. */
interface PagingState {
  /** The number of rows of a page, in every list. */
  readonly pagenate_count: number;
  /** The page of the prospect list that its tab returns to. */
  readonly pagenate_num: number;
}

export const usePaging = sessionSlice<PagingState>(({ pagenate_count = DEFAULT_PAGE_SIZE, pagenate_num = 1 }) => ({
  pagenate_count,
  pagenate_num,
}));

export function goToPage(page: number): void {
  usePaging.setState({ pagenate_num: page });
}

/** Sets the number of rows of a page, and returns to the first page. */
export function setPageSize(size: number): void {
  usePaging.setState({ pagenate_count: size, pagenate_num: 1 });
}
