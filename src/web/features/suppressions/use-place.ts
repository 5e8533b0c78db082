import { useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { changedSearch, cleanTerms, pageChange, readPage } from '#web/lib/list-params.ts';
import type { Suppression, SuppressionFilter } from './suppression-query.ts';
import { SUPPRESSION_MESSAGES } from './words.ts';

const { classes, sources } = SUPPRESSION_MESSAGES;

const isClass = (text: string | null): text is Suppression['class'] => text !== null && Object.hasOwn(classes, text);
const isSource = (text: string | null): text is Suppression['source'] => text !== null && Object.hasOwn(sources, text);

/** Reads and writes the page and the filter of the list in the address, for reloads and the back button. */
export function usePlace() {
  const [params, setParams] = useSearchParams();
  const type = params.get('class');
  const source = params.get('source');
  const search = cleanTerms(params.get('search') ?? '').trim();
  const filter: SuppressionFilter = {
    ...(search !== '' && { search }),
    ...(isClass(type) && { class: type }),
    ...(isSource(source) && { source }),
  };
  // The second of two changes in a row builds on the first, before the address has changed.
  const latest = useRef(params);
  useEffect(() => {
    latest.current = params;
  }, [params]);

  function change(values: Record<string, string | number | undefined>): void {
    latest.current = changedSearch(latest.current, values);
    setParams(latest.current, { replace: true });
  }

  return {
    page: readPage(params),
    filter,
    goToPage: (page: number) => change(pageChange(page)),
    /** Another filter starts at its first page. */
    setFilter: (values: Partial<Record<keyof SuppressionFilter, string | undefined>>) =>
      change({ ...values, page: undefined }),
  };
}
