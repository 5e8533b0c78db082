import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { Dialog } from '#web/components/dialog.tsx';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { PALETTE_MESSAGES } from '../words.ts';
import styles from './palette.module.css';
import { matchingItems, type PaletteItem, SCREEN_ITEMS } from './palette-items.ts';
import { useCompanyItems } from './use-company-items.ts';
import { useTemplateItems } from './use-template-items.ts';

/** Finds a screen, a template or a company by its name, and opens it. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const composing = useRef(false);
  const [searched, setSearched] = useState('');
  const companies = useCompanyItems(searched);
  const items = [...matchingItems([...SCREEN_ITEMS, ...useTemplateItems()], query), ...companies.items];

  function open(item: PaletteItem | undefined): void {
    if (item === undefined) return;
    onClose();
    void navigate(item.to);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive((active + step + items.length) % Math.max(1, items.length));
    } else if (event.key === 'Enter') open(items[active]);
  }

  const optionId = (place: number) => `${listId}-${place}`;
  return (
    <Dialog title={PALETTE_MESSAGES.title} size={560} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        className={styles.query}
        aria-label={PALETTE_MESSAGES.find}
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={items.length === 0 ? undefined : optionId(active)}
        placeholder={PALETTE_MESSAGES.find}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
          if (!composing.current) setSearched(event.target.value);
        }}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={(event) => {
          composing.current = false;
          setSearched(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label={PALETTE_MESSAGES.title} className={styles.list}>
        {items.map((item, place) => (
          <Option
            key={`${item.to} ${item.label}`}
            id={optionId(place)}
            item={item}
            isActive={place === active}
            isFirst={items[place - 1]?.group !== item.group}
            onOpen={() => open(item)}
          />
        ))}
      </div>
      <p className={styles.hint} role="status">
        {items.length === 0 && !companies.isSearching ? PALETTE_MESSAGES.none : PALETTE_MESSAGES.help}
      </p>
    </Dialog>
  );
}

interface OptionProps {
  readonly id: string;
  readonly item: PaletteItem;
  readonly isActive: boolean;
  /** The first of its group shows the group's name. */
  readonly isFirst: boolean;
  readonly onOpen: () => void;
}

function Option({ id, item, isActive, isFirst, onOpen }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the combobox has focus and keys
    <div
      ref={(option) => {
        if (isActive) option?.scrollIntoView({ block: 'nearest' });
      }}
      id={id}
      role="option"
      className={styles.option}
      aria-selected={isActive}
      data-first={isFirst || undefined}
      // The focus stays in the combobox.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onOpen}
    >
      <span className={styles.label}>{item.label}</span>
      {item.note === undefined ? null : <span className={styles.note}>{item.note}</span>}
      <span className={styles.group}>{PALETTE_MESSAGES.groups[item.group]}</span>
    </div>
  );
}
