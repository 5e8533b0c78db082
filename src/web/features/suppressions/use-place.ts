import { cleanTerms, readPage } from '#web/lib/list-params.ts';
import { pageChange } from '#web/lib/search-params.ts';
import { useSearchChanges } from '#web/lib/use-search-changes.ts';
import type { Suppression, SuppressionFilter } from './suppression-query.ts';
import { SUPPRESSION_MESSAGES } from './words.ts';

const { classes, sources } = SUPPRESSION_MESSAGES;

const isClass = (text: string | null): text is Suppression['class'] => text !== null && Object.hasOwn(classes, text);
const isSource = (text: string | null): text is Suppression['source'] => text !== null && Object.hasOwn(sources, text);

/** Reads and writes the page and the filter of the list in the address, for reloads and the back button. */
export function usePlace() {
  const { params, change } = useSearchChanges();
  const type = params.get('class');
  const source = params.get('source');
  const search = cleanTerms(params.get('search') ?? '').trim();
  const filter: SuppressionFilter = {
    ...(search !== '' && { search }),
    ...(isClass(type) && { class: type }),
    ...(isSource(source) && { source }),
  };

  return {
    page: readPage(params),
    filter,
    goToPage: (page: number) => change(pageChange(page)),
    /** Another filter starts at its first page. */
    setFilter: (values: Partial<Record<keyof SuppressionFilter, string | undefined>>) =>
      change({ ...values, page: undefined }),
  };
}
