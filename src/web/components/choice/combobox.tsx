import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import styles from './combobox.module.css';

interface Parts<Item> {
  readonly items: readonly Item[];
  readonly isOpen: boolean;
  readonly onPick: (item: Item) => void;
  /** Opens a closed list at an arrow key, closes it at Escape; absent: the list is always open. */
  readonly onOpen?: () => void;
  readonly onClose?: () => void;
}

/**
 * Manages the state of an input with a list of matches: arrow keys move in the list, Enter chooses.
 * The focus stays in the input. A changed text makes the first item the active one (`restart`).
 */
export function useCombobox<Item>({ items, isOpen, onPick, onOpen, onClose }: Parts<Item>) {
  const listId = useId();
  const [active, setActive] = useState(0);
  const optionId = (place: number) => `${listId}-${place}`;

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!isOpen) onOpen?.();
      else if (items.length > 0) setActive((active + step + items.length) % items.length);
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      const item = items[active];
      if (item !== undefined) onPick(item);
    } else if (event.key === 'Escape' && isOpen) onClose?.();
  }

  return {
    items,
    active,
    listId,
    optionId,
    onPick,
    restart: () => setActive(0),
    input: {
      role: 'combobox',
      'aria-expanded': isOpen,
      'aria-controls': listId,
      'aria-autocomplete': 'list',
      'aria-activedescendant': isOpen && active < items.length ? optionId(active) : undefined,
      autoComplete: 'off',
      onKeyDown,
    } as const,
  };
}

interface ListProps<Item> {
  readonly box: ReturnType<typeof useCombobox<Item>>;
  readonly label: string;
  readonly className?: string | undefined;
  readonly optionClassName?: string | undefined;
  readonly keyOf: (item: Item) => string | number;
  /** Returns the group of an item. Items of one group stand together below its name. */
  readonly groupOf?: (item: Item) => string;
  readonly renderItem: (item: Item) => ReactNode;
}

/** Renders the list of a combobox. */
export function ComboboxList<Item>(props: ListProps<Item>) {
  const { box, label, className, optionClassName = '', keyOf, groupOf, renderItem } = props;
  const { items, active, listId, optionId, onPick } = box;
  const renderOption = (item: Item, place: number) => (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the input has focus and keys
    <div
      key={keyOf(item)}
      id={optionId(place)}
      ref={(option) => {
        if (place === active) option?.scrollIntoView({ block: 'nearest' });
      }}
      role="option"
      className={`${styles.option} ${optionClassName}`}
      aria-selected={place === active}
      // Keeps the focus in the combobox.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onPick(item)}
    >
      {renderItem(item)}
    </div>
  );
  const options = items.map((item, place) => ({ group: groupOf?.(item) ?? '', option: renderOption(item, place) }));
  return (
    <div id={listId} role="listbox" aria-label={label} className={className}>
      {groupOf === undefined
        ? options.map(({ option }) => option)
        : [...Map.groupBy(options, ({ group }) => group)].map(([group, members]) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list
            <div key={group} role="group" aria-label={group}>
              <div className={styles.group} aria-hidden>
                {group}
              </div>
              {members.map(({ option }) => option)}
            </div>
          ))}
    </div>
  );
}
