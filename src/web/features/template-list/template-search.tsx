import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { TextField } from '#web/components/text-field.tsx';
import { SEARCH_PAUSE_MS, usePause } from '#web/lib/use-pause.ts';
import styles from './template-list.module.css';
import { TEMPLATE_LIST_MESSAGES as messages } from './words.ts';

interface Props {
  /** The search that the list shows. */
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

/** Shows what is typed at once, and searches after a pause outside of a composition. */
export function TemplateSearch({ search, onSearch }: Props) {
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
      label={messages.search}
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
