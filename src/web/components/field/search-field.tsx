import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { SEARCH_PAUSE_MS, usePause } from '#web/lib/screen/use-pause.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { CloseButton } from '../dialog/close-button.tsx';
import { Field } from './field.tsx';
import styles from './search-field.module.css';

interface Props {
  /** The placeholder. */
  readonly label: string;
  /** The search that the list shows. */
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

/** Shows typed text at once, and searches when typing pauses outside of an IME composition. */
export function SearchField({ label, search, onSearch }: Props) {
  const [typed, setTyped] = useState(search);
  const latest = useRef({ typed, onSearch });
  const applied = useRef(search);
  const input = useRef<HTMLInputElement>(null);
  const { schedule, cancel, composition } = usePause(apply, SEARCH_PAUSE_MS);

  useEffect(() => {
    latest.current = { typed, onSearch };
  });
  useEffect(() => cancel, [cancel]);
  // A search changed elsewhere (back button, cleared filters) replaces the text before the next key.
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

  function clear(): void {
    cancel();
    setTyped('');
    latest.current.typed = '';
    apply();
    input.current?.focus();
  }

  return (
    <Field label={label} hidesLabel>
      {(control) => (
        <span className={styles.box}>
          <IconSearch size={16} aria-hidden />
          <input
            ref={input}
            type="search"
            {...control}
            placeholder={label}
            maxLength={MAX_SEARCH_LENGTH}
            autoComplete="off"
            enterKeyHint="search"
            value={typed}
            onChange={({ target: { value } }) => {
              setTyped(value);
              schedule();
            }}
            {...composition}
          />
          {typed === '' ? null : <CloseButton name={COMMON_MESSAGES.actions.clearSearch} onPress={clear} />}
        </span>
      )}
    </Field>
  );
}
