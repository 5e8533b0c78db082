import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import IconHelp from '@tabler/icons-react/dist/esm/icons/IconHelp.mjs';
import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import type { DnsRecord } from '#domain/dns/health.ts';
import { Button } from '#web/components/button.tsx';
import { copyText } from '#web/components/inline/copy-text.ts';
import { InfoNote } from '#web/components/inline/info-note.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { asMessage } from '#web/lib/phrases.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import styles from './domain-health.module.css';
import type { DomainFinding } from './domain-query.ts';
import { DOMAIN_MESSAGES as messages } from './words.ts';

const LOOKS: Readonly<Record<DomainFinding['level'], StatusLook>> = {
  good: { tone: 'green', Icon: IconCheck },
  look: { tone: 'amber', Icon: IconInfoCircle },
  bad: { tone: 'red', Icon: IconAlertTriangle },
  unknown: { tone: 'neutral', Icon: IconHelp },
};

interface Props {
  /** The time of the last check. An older finding shows its own time. */
  readonly lastAt: string | null;
}

/** What is to be mended comes first. */
const ORDER: readonly DomainFinding['level'][] = ['bad', 'look', 'unknown', 'good'];

/** Lists the checks of a domain or of its test mail. */
export const Findings = ({
  label,
  checks,
  lastAt,
}: Props & { readonly label: string; readonly checks: readonly DomainFinding[] }) => (
  <ul aria-label={label}>
    {checks
      .toSorted((one, other) => ORDER.indexOf(one.level) - ORDER.indexOf(other.level))
      .map((finding) => (
        <FindingRow key={finding.check} finding={finding} lastAt={lastAt} />
      ))}
  </ul>
);

/** Shows one check: its result and, if it is not good, the remedy, what was found and what to set. */
function FindingRow({ finding, lastAt }: Props & { readonly finding: DomainFinding }) {
  const { check, level, message, remedy, setting, found, record, checked_at } = finding;
  return (
    <li className="setting">
      <strong className={styles.check}>{messages.checks[check]}</strong>
      <div className="stack-tight">
        <p className={`row ${styles.check}`}>
          <StatusBadge look={LOOKS[level]} word={messages.levels[level]} />
          <span>{asMessage(message)}</span>
          {checked_at === lastAt ? null : <small>{messages.olderThan(sentenceTime(checked_at))}</small>}
        </p>
        {remedy === '' ? null : (
          <p className="note">
            {remedy}
            {setting === undefined ? null : <InfoNote about="howToSet">{setting}</InfoNote>}
          </p>
        )}
        {record === null ? null : <RecordBox record={record} />}
        {found.length === 0 ? null : (
          <details className={`note ${styles.found}`}>
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
      </div>
    </li>
  );
}

/** Shows a DNS record to set, whose parts can be copied. */
function RecordBox({ record: { type, name, value } }: { readonly record: DnsRecord }) {
  return (
    <div className="stack-tight tint">
      <h4 className="note">{messages.record}</h4>
      <dl className={`terms ${styles.record}`}>
        <dt>{messages.recordType}</dt>
        <dd>{type}</dd>
        <dt>{messages.recordName}</dt>
        <dd className="spread">
          <code>{name}</code>
          <CopyButton label={messages.copyName} text={name} />
        </dd>
        <dt>{messages.recordValue}</dt>
        <dd className="spread">
          <code>{value}</code>
          <CopyButton label={messages.copyValue} text={value} />
        </dd>
      </dl>
      {value.startsWith('"') ? <p>{messages.recordSplitHelp}</p> : null}
    </div>
  );
}

function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <Button variant="quiet" title={label} aria-label={label} onClick={() => void copyText(text)}>
      <IconCopy size={16} aria-hidden />
    </Button>
  );
}
