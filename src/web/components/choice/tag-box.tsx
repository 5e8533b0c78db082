import { useState } from 'react';
import { labelKey } from '#domain/company/own-label.ts';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import field from '../field/field.module.css';
import { Tag } from '../inline/tag.tsx';
import { ComboboxList, useCombobox } from './combobox.tsx';
import styles from './tag-box.module.css';
import { TAG_BOX_MESSAGES as messages } from './words.ts';

interface Choice {
  /** 0: a new tag. */
  readonly id: number;
  readonly label: string;
  readonly colour: number;
}

interface Props {
  readonly label: string;
  /** The tags that can be chosen. */
  readonly tags: readonly Choice[];
  readonly onPick: (id: number) => void;
  /** Makes a tag; undefined: the member may not. */
  readonly onMake?: ((label: string) => void) | undefined;
  readonly onClose?: () => void;
  readonly autoFocus?: boolean;
}

/**
 * Chooses a tag by a part of what is typed. Enter takes the tag of that name, or makes it. So a new tag stands before
 * those that only begin with the text or contain it.
 */
export default function TagBox({ label, tags, onPick, onMake, onClose, autoFocus = false }: Props) {
  const [text, setText] = useState('');
  const key = labelKey(text);
  const [same, beginning, others] = matches(tags, key);
  const isNew = key !== '' && onMake !== undefined && same.length === 0;
  const made: readonly Choice[] = isNew ? [{ id: 0, label: text.trim(), colour: 0 }] : [];
  const items = [...same, ...made, ...beginning, ...others];
  const box = useCombobox<Choice>({
    items,
    isOpen: true,
    onPick(tag) {
      setText('');
      box.restart();
      if (tag.id === 0) onMake?.(tag.label);
      else onPick(tag.id);
    },
    ...(onClose && { onClose }),
  });
  return (
    <div className={styles.box}>
      <input
        type="text"
        className={field.control}
        aria-label={label}
        placeholder={onMake === undefined ? messages.search : messages.searchOrMake}
        maxLength={MAX_NAME_LENGTH}
        // biome-ignore lint/a11y/noAutofocus: the box opens by a press, to be typed in
        autoFocus={autoFocus}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          box.restart();
        }}
        {...box.input}
      />
      <ComboboxList
        box={box}
        label={label}
        className={styles.list}
        optionClassName={styles.option}
        keyOf={({ id }) => id}
        renderItem={(tag) =>
          tag.id === 0 ? <bdi>{messages.make(tag.label)}</bdi> : <Tag label={tag.label} colour={tag.colour} />
        }
      />
      {items.length === 0 ? <p className="note">{text === '' ? messages.none : messages.noMatch}</p> : null}
    </div>
  );
}

/** Returns the tags with the key, those that begin with it, and those that contain it elsewhere. */
function matches(tags: readonly Choice[], key: string): readonly [Choice[], Choice[], Choice[]] {
  const found: [Choice[], Choice[], Choice[]] = [[], [], []];
  for (const tag of tags) {
    const own = labelKey(tag.label);
    const at = own.indexOf(key);
    if (at >= 0) found[own === key ? 0 : at === 0 ? 1 : 2].push(tag);
  }
  return found;
}
