import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { SEARCH_PAUSE_MS, usePause } from '#web/lib/screen/use-pause.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { draftOf, type FilterDraft, type FilterField, readDraft } from './filter-draft.ts';
import { setTypedFilter, useFilter } from './filter-state.ts';

/** The pause of typing in ms after which the text filters. */
const PAUSE_MS = 300;

const isReloaded = (): boolean =>
  performance.getEntriesByType('navigation').some((entry) => (entry as PerformanceNavigationTiming).type === 'reload');

/** Returns the text typed before a reload or a login, if it belongs to this filter. */
function typedAt(filter: ProspectFilter): FilterDraft | null {
  const { typed_filter } = useFilter.getState();
  if (typed_filter === null) return null;
  const { of, replaced, fields } = typed_filter;
  const written = JSON.stringify(filter);
  return of === written || (replaced === written && isReloaded()) ? fields : null;
}

/** Keeps the text only for its own address. Called at an unmount, which a reload does not cause. */
function forgetReplaced(): void {
  const { typed_filter } = useFilter.getState();
  if (typed_filter?.replaced !== undefined) setTypedFilter({ of: typed_filter.of, fields: typed_filter.fields });
}

/**
 * Stores the text of the filter's fields, and applies it 300 ms after the last key, a search after 200 ms.
 * Nothing filters during an IME composition. A filter set elsewhere (back button, cleared) replaces the text. Each key
 * is stored in the session, so that a reload or an expired session keeps invalid and unapplied text.
 */
export function useFilterDraft(filter: ProspectFilter, onChange: (filter: ProspectFilter) => void) {
  const [draft, setDraft] = useState<FilterDraft>(() => typedAt(filter) ?? draftOf(filter));
  const latest = useRef({ draft, onChange });
  const { schedule, cancel, setPause, composition } = usePause(commit, PAUSE_MS);
  const written = JSON.stringify(filter);
  const committed = useRef(written);

  useEffect(() => {
    latest.current = { draft, onChange };
  });
  // Applies text that was typed before the mount but not applied.
  const resume = useEffectEvent(() => {
    const fields = typedAt(filter);
    setTypedFilter(fields && { of: written, fields });
    schedule();
  });
  useEffect(() => {
    resume();
    return () => {
      cancel();
      forgetReplaced();
    };
  }, [cancel]);
  useEffect(() => {
    if (written === committed.current) return;
    committed.current = written;
    cancel();
    setDraft(draftOf(JSON.parse(written)));
    setTypedFilter(null);
  }, [written, cancel]);

  function commit(): void {
    // After the end of a session the text waits for the next session at the same address.
    if (useSession.getState().token === null) return;
    const next = readDraft(latest.current.draft).filter;
    if (next === null || JSON.stringify(next) === committed.current) return;
    const replaced = committed.current;
    committed.current = JSON.stringify(next);
    setTypedFilter({ of: committed.current, replaced, fields: latest.current.draft });
    latest.current.onChange(next);
  }

  function type(next: FilterDraft): void {
    latest.current.draft = next;
    setDraft(next);
    setTypedFilter({ of: committed.current, fields: next });
    schedule();
  }

  return {
    draft,
    faults: readDraft(draft).faults,
    change: (field: FilterField, value: string): void => {
      setPause(field === 'search' ? SEARCH_PAUSE_MS : PAUSE_MS);
      type({ ...latest.current.draft, [field]: value });
    },
    drop: (fields: readonly FilterField[]): void =>
      type({ ...latest.current.draft, ...Object.fromEntries(fields.map((field) => [field, ''])) }),
    clear: (): void => type(draftOf({})),
    /** Replaces the text by a filter, which the caller applies. */
    replace: (next: ProspectFilter): void => {
      cancel();
      committed.current = JSON.stringify(next);
      setDraft(draftOf(next));
      setTypedFilter(null);
    },
    composition,
  };
}
