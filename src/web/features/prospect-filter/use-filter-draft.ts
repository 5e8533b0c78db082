import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ProspectFilter } from '#contract/prospect.ts';
import { useSession } from '#web/lib/session-store.ts';
import { draftOf, type FilterDraft, type FilterField, readDraft } from './filter-draft.ts';
import { setTypedFilter, useFilter } from './filter-state.ts';

const DEBOUNCE_MS = 300;

/** What was typed before a reload or a login, right or wrong, where it belongs to this filter. */
function draftAt(filter: ProspectFilter): FilterDraft {
  const { typed_filter } = useFilter.getState();
  return typed_filter?.of === JSON.stringify(filter) ? typed_filter.fields : draftOf(filter);
}

/**
 * What is typed is shown at once and filters a moment later; while an input method composes, nothing filters. A filter that
 * comes from elsewhere (back button, cleared) replaces what is typed. Each key is kept in the session: a reload or an expired session
 * loses neither a bound that is no number nor what was about to filter.
 */
export function useFilterDraft(filter: ProspectFilter, onChange: (filter: ProspectFilter) => void) {
  const [draft, setDraft] = useState<FilterDraft>(() => draftAt(filter));
  const latest = useRef({ draft, onChange });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const composing = useRef(false);
  const written = JSON.stringify(filter);
  const committed = useRef(written);

  useEffect(() => {
    latest.current = { draft, onChange };
  });
  // What was left before it filtered does so now.
  const takeUp = useEffectEvent(() => {
    if (useFilter.getState().typed_filter?.of !== written) setTypedFilter(null);
    schedule();
  });
  useEffect(() => {
    takeUp();
    return () => clearTimeout(timer.current);
  }, []);
  useEffect(() => {
    if (written === committed.current) return;
    committed.current = written;
    clearTimeout(timer.current);
    setDraft(draftOf(JSON.parse(written)));
    setTypedFilter(null);
  }, [written]);

  function commit(): void {
    // The session has ended meanwhile: what is typed waits for the next one, at the address that it was typed at.
    if (useSession.getState().token === null) return;
    const next = readDraft(latest.current.draft).filter;
    if (next === null || JSON.stringify(next) === committed.current) return;
    committed.current = JSON.stringify(next);
    setTypedFilter({ of: committed.current, fields: latest.current.draft });
    latest.current.onChange(next);
  }

  function schedule(): void {
    clearTimeout(timer.current);
    if (!composing.current) timer.current = setTimeout(commit, DEBOUNCE_MS);
  }

  function type(next: FilterDraft): void {
    latest.current.draft = next;
    setDraft(next);
    setTypedFilter({ of: committed.current, fields: next });
    schedule();
  }

  function endComposition(): void {
    if (!composing.current) return;
    composing.current = false;
    schedule();
  }

  return {
    draft,
    faults: readDraft(draft).faults,
    change: (field: FilterField, value: string): void => type({ ...latest.current.draft, [field]: value }),
    drop: (fields: readonly FilterField[]): void =>
      type({ ...latest.current.draft, ...Object.fromEntries(fields.map((field) => [field, ''])) }),
    clear: (): void => type(draftOf({})),
    composition: {
      onCompositionStart: () => {
        composing.current = true;
        clearTimeout(timer.current);
      },
      onCompositionEnd: endComposition,
      // Not every input method says that it was left in the middle, and until it filters nothing can be sent.
      onBlur: endComposition,
    },
  };
}
