import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { ComboboxList, useCombobox } from '#web/components/choice/combobox.tsx';
import field from '#web/components/field/field.module.css';
import { useDebounced } from '#web/lib/screen/use-debounced.ts';
import styles from './company-picker.module.css';
import { type Company, companiesFound } from './find-companies.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

const messages = TEMPLATE_MESSAGES.preview;

interface Props {
  /** null: the sample company. */
  readonly company: Company | null;
  readonly onPick: (company: Company | null) => void;
}

/** Chooses the company of the preview by name, in a combobox over the list of companies. */
export function CompanyPicker({ company, onPick }: Props) {
  /** The typed text; null: the list is closed. */
  const [query, setQuery] = useState<string | null>(null);
  const isOpen = query !== null;
  const { choices, note } = useChoices(query);
  const close = () => setQuery(null);
  const open = () => type('');
  const box = useCombobox({
    items: choices,
    isOpen,
    onPick: (choice) => {
      onPick(choice);
      close();
    },
    onOpen: open,
    onClose: close,
  });

  function type(text: string): void {
    setQuery(text);
    box.restart();
  }

  return (
    <div className={styles.picker}>
      <input
        type="text"
        className={field.control}
        aria-label={messages.company}
        {...box.input}
        maxLength={MAX_SEARCH_LENGTH}
        placeholder={isOpen ? messages.find : undefined}
        value={query ?? company?.name ?? messages.sample}
        onFocus={open}
        // After a choice the field keeps the focus, so a click has to open the list.
        onClick={() => isOpen || open()}
        onBlur={close}
        onChange={(event) => type(event.target.value)}
      />
      <div className={styles.list} hidden={!isOpen}>
        <ComboboxList
          box={box}
          label={messages.company}
          optionClassName={styles.option}
          keyOf={(choice) => choice?.id ?? 0}
          renderItem={(choice) => (
            <>
              <span>{choice?.name ?? messages.sample}</span>
              {choice === null ? null : <span className="note">{choice.address}</span>}
            </>
          )}
        />
        <p className="note" role="status">
          {note}
        </p>
      </div>
    </div>
  );
}

/** Returns the choices for the typed text, and a note. The sample is offered until something is typed. */
function useChoices(query: string | null) {
  const search = useDebounced(query ?? '');
  const { data, isError, isPlaceholderData } = useQuery({ ...companiesFound(search), enabled: query !== null });
  const isTyped = query !== null && query.trim() !== '';
  const choices: readonly (Company | null)[] = [...(isTyped ? [] : [null]), ...(data ?? [])];
  const isNoneFound = isTyped && search === query && !isPlaceholderData && data?.length === 0;
  return { choices, note: isError ? messages.findFailed : isNoneFound ? messages.notFound : null };
}
