import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconHelp from '@tabler/icons-react/dist/esm/icons/IconHelp.mjs';
import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import { InfoNote } from '#web/components/info-note.tsx';
import { asMessage } from '#web/lib/phrases.ts';
import { withWeekday } from '#web/lib/with-weekday.ts';
import styles from './domain-health.module.css';
import type { DomainFinding } from './domain-query.ts';
import { RecordBox } from './record-box.tsx';
import { DOMAIN_MESSAGES as messages } from './words.ts';

const ICONS = { good: IconCheck, look: IconInfoCircle, bad: IconAlertTriangle, unknown: IconHelp } as const;

interface Props {
  readonly finding: DomainFinding;
  /** When the DNS was last asked. A finding from before says its own time. */
  readonly lastAt: string | null;
}

/** One check: its result, and for one that is not good what to do, what was found and what to set. */
export function FindingRow({ finding, lastAt }: Props) {
  const { check, level, message, remedy, setting, found, record, checked_at } = finding;
  const Icon = ICONS[level];
  return (
    <li className={styles.finding} data-level={level}>
      <p className={styles.result}>
        <Icon size={18} aria-hidden />
        <strong>{messages.checks[check]}</strong>
        <span className={styles.level}>{messages.levels[level]}</span>
        <span className={styles.message}>{asMessage(message)}</span>
        {checked_at === lastAt ? null : (
          <span className={styles.dim}>{messages.olderThan(withWeekday(checked_at))}</span>
        )}
      </p>
      {remedy === '' ? null : (
        <p className={styles.remedy}>
          {remedy}
          {setting === undefined ? null : <InfoNote about="howToSet">{setting}</InfoNote>}
        </p>
      )}
      {record === null ? null : <RecordBox record={record} />}
      {found.length === 0 ? null : (
        <details className={styles.found}>
          <summary>{messages.found}</summary>
          <ul>
            {[...new Set(found)].map((value) => (
              <li key={value}>
                <code>{value}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
