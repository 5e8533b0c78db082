import type { Icon } from '@tabler/icons-react';
import styles from './status-badge.module.css';

/** The look of a status. Red: a failure; amber: needs a look; neutral: needs nothing. */
export interface StatusLook {
  readonly tone: 'neutral' | 'blue' | 'green' | 'amber' | 'red';
  readonly Icon: Icon;
}

interface Props {
  readonly look: StatusLook;
  readonly word: string;
}

/** Shows a status by icon and word, so that colour is not needed to read it. */
export function StatusBadge({ look: { tone, Icon }, word }: Props) {
  return (
    <span className={`tone ${styles.badge}`} data-tone={tone} title={word}>
      <Icon size={13} aria-hidden />
      <span className="cut">{word}</span>
    </span>
  );
}
