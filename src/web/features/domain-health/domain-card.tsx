import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import IconHelp from '@tabler/icons-react/dist/esm/icons/IconHelp.mjs';
import { Button } from '#web/components/button.tsx';
import { copyText } from '#web/components/inline/copy-text.ts';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { Panel } from '#web/components/panel.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { May } from '#web/lib/session/use-may.ts';
import { adminLetter, mendsOf } from './admin-letter.ts';
import styles from './domain-health.module.css';
import type { DomainRow } from './domain-query.ts';
import { Findings } from './finding-row.tsx';
import { SelfTest } from './self-test.tsx';
import { useDueCheck } from './use-due-check.ts';
import { DOMAIN_MESSAGES as messages } from './words.ts';

const LOOKS: Readonly<Record<DomainRow['state'], StatusLook>> = {
  unchecked: { tone: 'neutral', Icon: IconClock },
  good: { tone: 'green', Icon: IconCheck },
  bad: { tone: 'red', Icon: IconAlertTriangle },
  unknown: { tone: 'amber', Icon: IconHelp },
};

/** Shows one domain: its state, and a row for each check. */
export function DomainCard({ row }: { readonly row: DomainRow }) {
  const { domain, state, senders, checks, checked_at, failed_at } = row;
  const check = useDueCheck(row);
  return (
    <Panel
      title={domain}
      tools={
        <>
          <span role="status">
            {check.isPending ? (
              <StatusBadge look={{ tone: 'blue', Icon: IconClock }} word={messages.checking} />
            ) : (
              <StatusBadge look={LOOKS[state]} word={messages.states[state]} />
            )}
          </span>
          <div className={`row push ${styles.recheck}`}>
            <small className="row">
              <span>{messages.senders(senders)}</span>
              {checked_at === null ? null : <span>{messages.checkedAt(sentenceTime(checked_at))}</span>}
            </small>
            <May call="checkDomainHealth">
              <Button
                aria-label={checked_at === null ? messages.checkOf(domain) : messages.recheckOf(domain)}
                busy={check.isPending}
                onClick={() => check.mutate(domain)}
              >
                {checked_at === null ? messages.check : messages.recheck}
              </Button>
            </May>
          </div>
        </>
      }
    >
      {failed_at === null ? null : (
        <div className={styles.notice}>
          <Notice tone="warning">{messages.failedHelp(sentenceTime(failed_at))}</Notice>
        </div>
      )}
      <ToMend row={row} />
      {checks.length === 0 ? (
        <p>
          <small>{messages.uncheckedHelp}</small>
        </p>
      ) : (
        <Findings label={messages.checksOf(domain)} checks={checks} lastAt={checked_at} />
      )}
      <SelfTest row={row} />
    </Panel>
  );
}

/** How many things there are to mend, and the letter that asks the domain's administrator for them. */
function ToMend({ row: { domain, checks } }: { readonly row: DomainRow }) {
  const mends = mendsOf(checks);
  const faults = mends.faults.length;
  // What cannot be told from here leaves a domain good: a line that is always there would not be read.
  if (faults === 0) return null;
  const { admin } = messages;
  return (
    <div className={`row ${styles.notice}`}>
      <strong>{admin.faults(faults)}</strong>
      <Button
        className="push"
        aria-label={admin.copyOf(domain)}
        onClick={() => void copyText(adminLetter(domain, mends))}
      >
        {admin.copy}
      </Button>
    </div>
  );
}
