import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import IconHelp from '@tabler/icons-react/dist/esm/icons/IconHelp.mjs';
import { useId } from 'react';
import { Button } from '#web/components/button.tsx';
import { StatusBadge, type StatusLook } from '#web/components/status-badge.tsx';
import { withWeekday } from '#web/lib/with-weekday.ts';
import styles from './domain-health.module.css';
import type { DomainRow } from './domain-query.ts';
import { FindingRow } from './finding-row.tsx';
import { SelfTest } from './self-test.tsx';
import { useDueCheck } from './use-due-check.ts';
import { DOMAIN_MESSAGES as messages } from './words.ts';

const LOOKS: Readonly<Record<DomainRow['state'], StatusLook>> = {
  unchecked: { tone: 'neutral', Icon: IconClock },
  good: { tone: 'green', Icon: IconCheck },
  bad: { tone: 'red', Icon: IconAlertTriangle },
  unknown: { tone: 'amber', Icon: IconHelp },
};

/** One domain: its state, and a row for each check. */
export function DomainCard({ row }: { readonly row: DomainRow }) {
  const { domain, state, senders, checks, checked_at, failed_at } = row;
  const check = useDueCheck(row);
  const headingId = useId();
  return (
    <section className={styles.domain} aria-labelledby={headingId}>
      <div className={styles.head}>
        <h2 id={headingId}>{domain}</h2>
        <span role="status">
          {check.isPending ? (
            <StatusBadge look={{ tone: 'blue', Icon: IconClock }} word={messages.checking} />
          ) : (
            <StatusBadge look={LOOKS[state]} word={messages.states[state]} />
          )}
        </span>
        <span className={styles.dim}>{messages.senders(senders)}</span>
        {checked_at === null ? null : <span className={styles.dim}>{messages.checkedAt(withWeekday(checked_at))}</span>}
        <Button
          className={styles.recheck}
          aria-label={messages.recheckOf(domain)}
          busy={check.isPending}
          onClick={() => check.mutate(domain)}
        >
          {messages.recheck}
        </Button>
      </div>
      {failed_at === null ? null : <p className={styles.notice}>{messages.failedHelp(withWeekday(failed_at))}</p>}
      {checks.length === 0 ? (
        <p className={styles.dim}>{messages.uncheckedHelp}</p>
      ) : (
        <ul className={styles.checks} aria-label={messages.checksOf(domain)}>
          {checks.map((finding) => (
            <FindingRow key={finding.check} finding={finding} lastAt={checked_at} />
          ))}
        </ul>
      )}
      <SelfTest row={row} />
    </section>
  );
}
