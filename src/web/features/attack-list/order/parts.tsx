import { legalPath } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import type { LeftOutGroup } from '../left-out/left-out-groups.ts';
import type { Part, Place } from './order-sentence.ts';
import styles from './parts.module.css';

export interface Leads {
  readonly senderGroupId: number;
  /** Focuses a control. */
  readonly onGo: (place: Place) => void;
  /** Opens the companies of a group. */
  readonly onOpen: (group: LeftOutGroup) => void;
}

export const keyOf = (part: Part): string =>
  typeof part === 'string' ? part : `${'to' in part ? part.to : part.group} ${part.text}`;

/** Shows the parts of a sentence: a link where another screen has the remedy, a button where this one has. */
export function Parts({ of, senderGroupId, onGo, onOpen }: Leads & { readonly of: readonly Part[] }) {
  return of.map((part) => {
    if (typeof part === 'string') return part;
    const { text } = part;
    if ('group' in part) {
      const { group } = part;
      return (
        <button
          key={keyOf(part)}
          type="button"
          aria-haspopup="dialog"
          className={styles.part}
          onClick={() => onOpen(group)}
        >
          {text}
        </button>
      );
    }
    const { to } = part;
    const path = pathOf(to, senderGroupId);
    return path === null ? (
      <button key={keyOf(part)} type="button" title={text} className={styles.part} onClick={() => onGo(to)}>
        {text}
      </button>
    ) : (
      <Link key={keyOf(part)} to={path}>
        {text}
      </Link>
    );
  });
}

/** Returns the screen that has the remedy; null: this one. */
function pathOf(to: Place, senderGroupId: number): string | null {
  if (to === 'legal') return legalPath(senderGroupId);
  if (to === 'confirmation') return PATHS.settingsGroups;
  return to === 'domains' ? PATHS.settingsDomains : null;
}
