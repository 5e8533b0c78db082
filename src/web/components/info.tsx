import { IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './info.module.css';

interface Props {
  /** What it tells, a noun. */
  readonly label: string;
  readonly children: ReactNode;
}

/** What few people need to read, behind an ⓘ. */
export function Info({ label, children }: Props) {
  return (
    <details className={styles.info}>
      <summary aria-label={label} title={label}>
        <IconInfoCircle size={16} aria-hidden />
      </summary>
      <p>{children}</p>
    </details>
  );
}
