import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { Field } from '#web/components/field.tsx';
import { useDebounced } from '#web/lib/use-debounced.ts';
import styles from './company-picker.module.css';
import { type Company, companiesFound } from './find-companies.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

const messages = TEMPLATE_MESSAGES.preview;

interface Props {
  /** null: the sample. */
  readonly company: Company | null;
  readonly onPick: (company: Company | null) => void;
}

/** Chooses the company of the preview by its name: a combobox over the list of companies. */
export function CompanyPicker({ company, onPick }: Props) {
  const listId = useId();
  /** What is typed; null: the list is closed. */
  const [query, setQuery] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const isOpen = query !== null;
  const { choices, note } = useChoices(query);
  const optionId = (place: number) => `${listId}-${place}`;

  function pick(choice: Company | null): void {
    onPick(choice);
    setQuery(null);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!isOpen) open();
      else if (choices.length > 0) setActive((active + step + choices.length) % choices.length);
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      const choice = choices[active];
      if (choice !== undefined) pick(choice);
    } else if (event.key === 'Escape' && isOpen) setQuery(null);
  }

  function open(): void {
    setQuery('');
    setActive(0);
  }

  return (
    <div className={styles.picker}>
      <Field label={messages.company}>
        {(control) => (
          <input
            {...control}
            type="text"
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && active < choices.length ? optionId(active) : undefined}
            autoComplete="off"
            maxLength={MAX_SEARCH_LENGTH}
            placeholder={isOpen ? messages.find : undefined}
            value={query ?? company?.name ?? messages.sample}
            onFocus={open}
            // A choice leaves the focus here.
            onClick={() => isOpen || open()}
            onBlur={() => setQuery(null)}
            onKeyDown={onKeyDown}
            onChange={(event) => {
              setQuery(event.target.value);
              setActive(0);
            }}
          />
        )}
      </Field>
      <div className={styles.list} hidden={!isOpen}>
        <div id={listId} role="listbox" aria-label={messages.company}>
          {choices.map((choice, place) => (
            <Choice
              key={choice?.id ?? 0}
              id={optionId(place)}
              company={choice}
              isActive={place === active}
              onPick={() => pick(choice)}
            />
          ))}
        </div>
        <p className={styles.note} role="status">
          {note}
        </p>
      </div>
    </div>
  );
}

/** Returns the choices for the typed text, and a note. The sample is a choice until something is typed. */
function useChoices(query: string | null) {
  const search = useDebounced(query ?? '');
  const { data, isError, isPlaceholderData } = useQuery({ ...companiesFound(search), enabled: query !== null });
  const isTyped = query !== null && query.trim() !== '';
  const choices: readonly (Company | null)[] = [...(isTyped ? [] : [null]), ...(data ?? [])];
  const isNoneFound = isTyped && search === query && !isPlaceholderData && data?.length === 0;
  return { choices, note: isError ? messages.findFailed : isNoneFound ? messages.notFound : null };
}

interface ChoiceProps {
  readonly id: string;
  readonly company: Company | null;
  readonly isActive: boolean;
  readonly onPick: () => void;
}

function Choice({ id, company, isActive, onPick }: ChoiceProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the combobox has focus and keys
    <div
      id={id}
      ref={(option) => {
        if (isActive) option?.scrollIntoView({ block: 'nearest' });
      }}
      role="option"
      className={styles.option}
      aria-selected={isActive}
      // The focus stays in the combobox.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
    >
      <span>{company?.name ?? messages.sample}</span>
      {company === null ? null : <span className={styles.note}>{company.address}</span>}
    </div>
  );
}
