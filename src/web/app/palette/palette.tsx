import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ComboboxList, useCombobox } from '#web/components/combobox.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import { templatePath } from '#web/lib/address/paths.ts';
import { templateEditorUrl } from '#web/lib/page-settings.ts';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { templateChoices } from '#web/lib/templates.ts';
import { PALETTE_MESSAGES } from '../words.ts';
import styles from './palette.module.css';
import { matchingItems, type PaletteItem, SCREEN_ITEMS } from './palette-items.ts';
import { useCompanyItems } from './use-company-items.ts';

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

/** Returns the templates by name and subject. One that another service edits has no screen here. */
function useTemplateItems(): readonly PaletteItem[] {
  const { data = [] } = useQuery(templateChoices);
  return data.flatMap(({ id, name, subject, sendgrid_template_id }) => {
    const to = templatePath(id);
    if (templateEditorUrl({ template_id: id, sendgrid_template_id }, to) !== to) return [];
    return { group: 'templates', label: name, note: subject, to };
  });
}
