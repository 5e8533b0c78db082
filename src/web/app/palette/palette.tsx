import { useRef, useState } from 'react';
import { ComboboxList, useCombobox } from '#web/components/combobox.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { PALETTE_MESSAGES } from '../words.ts';
import styles from './palette.module.css';
import { matchingItems, SCREEN_ITEMS } from './palette-items.ts';
import { useCompanyItems } from './use-company-items.ts';
import { useTemplateItems } from './use-template-items.ts';

/** Finds a screen, a template or a company by its name, and opens it. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const composing = useRef(false);
  const [searched, setSearched] = useState('');
  const companies = useCompanyItems(searched);
  const items = [...matchingItems([...SCREEN_ITEMS, ...useTemplateItems()], query), ...companies.items];

  const box = useCombobox({
    items,
    isOpen: true,
    onPick: ({ to }) => {
      onClose();
      void navigate(to);
    },
  });

  return (
    <Dialog title={PALETTE_MESSAGES.title} size={560} onClose={onClose}>
      <input
        type="text"
        {...box.input}
        className={styles.query}
        aria-label={PALETTE_MESSAGES.find}
        placeholder={PALETTE_MESSAGES.find}
        spellCheck={false}
        data-autofocus
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          box.restart();
          if (!composing.current) setSearched(event.target.value);
        }}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={(event) => {
          composing.current = false;
          setSearched(event.currentTarget.value);
        }}
      />
      <ComboboxList
        box={box}
        label={PALETTE_MESSAGES.title}
        className={styles.list}
        optionClassName={styles.option}
        keyOf={({ to, label }) => `${to} ${label}`}
        groupOf={({ group }) => group}
        renderItem={({ label, note, group }) => (
          <>
            <span className={styles.label}>{label}</span>
            {note === undefined ? null : <span className={styles.note}>{note}</span>}
            <span className={styles.group}>{PALETTE_MESSAGES.groups[group]}</span>
          </>
        )}
      />
      <p className={styles.hint} role="status">
        {items.length === 0 && !companies.isSearching ? PALETTE_MESSAGES.none : PALETTE_MESSAGES.help}
      </p>
    </Dialog>
  );
}
