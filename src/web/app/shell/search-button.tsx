import { IconSearch } from '@tabler/icons-react';
import { keyText } from '#web/lib/keys.ts';
import { openOverlay } from '../overlay-state.ts';
import { PALETTE_MESSAGES } from '../words.ts';
import styles from './header.module.css';

const { shown, aria } = keyText('palette');

/** Opens the palette. */
export function SearchButton() {
  return (
    <button
      type="button"
      className={styles.search}
      aria-label={PALETTE_MESSAGES.open(shown)}
      aria-haspopup="dialog"
      aria-keyshortcuts={aria}
      title={PALETTE_MESSAGES.find}
      onClick={() => openOverlay('palette')}
    >
      <IconSearch size={16} aria-hidden />
      <kbd>{shown}</kbd>
    </button>
  );
}
