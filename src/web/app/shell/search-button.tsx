import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
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
      aria-haspopup="dialog"
      aria-keyshortcuts={aria}
      title={PALETTE_MESSAGES.title}
      onClick={() => openOverlay('palette')}
    >
      <IconSearch size={16} aria-hidden />
      <span className="visually-hidden">{PALETTE_MESSAGES.title}</span>
      <kbd aria-hidden>{shown}</kbd>
    </button>
  );
}
