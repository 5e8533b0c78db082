import { useEffect, useRef, useState } from 'react';
import type { ProspectFilter } from '#contract/prospect.ts';
import { draftOf, type FilterDraft, type FilterField, readDraft } from './filter-draft.ts';

const DEBOUNCE_MS = 300;

/**
 * What is typed is shown at once and filters a moment later; while an input method composes, nothing filters. A filter that
 * comes from elsewhere (back button, cleared) replaces what is typed.
 */
export function useFilterDraft(filter: ProspectFilter, onChange: (filter: ProspectFilter) => void) {
  const [draft, setDraft] = useState<FilterDraft>(() => draftOf(filter));
  const latest = useRef({ draft, onChange });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const composing = useRef(false);
  const written = JSON.stringify(filter);
  const committed = useRef(written);

  useEffect(() => {
    latest.current = { draft, onChange };
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (written === committed.current) return;
    committed.current = written;
    clearTimeout(timer.current);
    setDraft(draftOf(JSON.parse(written)));
  }, [written]);

  function commit(): void {
    const next = readDraft(latest.current.draft).filter;
    if (JSON.stringify(next) === committed.current) return;
    committed.current = JSON.stringify(next);
    latest.current.onChange(next);
  }

  function schedule(): void {
    clearTimeout(timer.current);
    if (!composing.current) timer.current = setTimeout(commit, DEBOUNCE_MS);
  }

  return {
    draft,
    faults: readDraft(draft).faults,
    change(field: FilterField, value: string): void {
      setDraft((before) => ({ ...before, [field]: value }));
      schedule();
    },
    clear(): void {
      setDraft(draftOf({}));
      schedule();
    },
    composition: {
      onCompositionStart: () => {
        composing.current = true;
        clearTimeout(timer.current);
      },
      onCompositionEnd: () => {
        composing.current = false;
        schedule();
      },
    },
  };
}
