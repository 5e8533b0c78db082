import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { SEARCH_PAUSE_MS, usePause } from '#web/lib/use-pause.ts';
import styles from './search-field.module.css';
import { TextField } from './text-field.tsx';

interface Props {
  readonly label: string;
  /** The search that the list shows. */
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

/** Shows what is typed at once, and searches after a pause outside of a composition. */
export function SearchField({ label, search, onSearch }: Props) {
  const [typed, setTyped] = useState(search);
  const latest = useRef({ typed, onSearch });
  const applied = useRef(search);
  const { schedule, cancel, composition } = usePause(apply, SEARCH_PAUSE_MS);

  useEffect(() => {
    latest.current = { typed, onSearch };
  });
  useEffect(() => cancel, [cancel]);
  // A search from elsewhere (back button, cleared) replaces the text, before anything else can be typed.
  useLayoutEffect(() => {
    if (search === applied.current) return;
    applied.current = search;
    cancel();
    setTyped(search);
  }, [search, cancel]);

  function apply(): void {
    applied.current = latest.current.typed;
    latest.current.onSearch(latest.current.typed);
  }

  return (
    <TextField
      type="search"
      label={label}
      className={styles.search}
      maxLength={MAX_SEARCH_LENGTH}
      autoComplete="off"
      value={typed}
      onChange={(next) => {
        setTyped(next);
        schedule();
      }}
      {...composition}
    />
  );
}
