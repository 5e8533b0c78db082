import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import IconHelp from '@tabler/icons-react/dist/esm/icons/IconHelp.mjs';
import { domainState } from '#domain/dns/health.ts';
import { Button } from '#web/components/button.tsx';
import { InfoNote } from '#web/components/inline/info-note.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { usesMailCatcher } from '#web/lib/screen/page-settings.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { May } from '#web/lib/session/use-may.ts';
import styles from './domain-health.module.css';
import { type DomainRow, type SelfTestState, useDomainTest } from './domain-query.ts';
import { Findings } from './finding-row.tsx';
import { DOMAIN_MESSAGES } from './words.ts';

const { test: messages } = DOMAIN_MESSAGES;

/** Shows the test mail of a domain to the server's own inbox: its state, and the results in its header. */
export function SelfTest({ row: { domain, self_test } }: { readonly row: DomainRow }) {
  const { state, sent_at, arrived_at, checks } = self_test;
  const send = useDomainTest();
  const badge = badgeOf(self_test);
  return (
    <section className={styles.test} aria-label={messages.titleOf(domain)}>
      <div className="row">
        <h3>{messages.title}</h3>
        <span role="status">{badge === null ? null : <StatusBadge {...badge} />}</span>
        {arrived_at === null ? null : <small>{messages.arrivedAt(sentenceTime(arrived_at))}</small>}
        {state === 'off' ? null : (
          <May call="testDomainHealth">
            <Button
              className="push"
              aria-label={messages.sendOf(domain)}
              busy={send.isPending || state === 'waiting'}
              onClick={() => send.mutate(domain)}
            >
              {messages.send}
            </Button>
          </May>
        )}
      </div>
      <p className="note">
        {state === 'off' && usesMailCatcher()
          ? messages.catcherHelp
          : messages.help[state](sentenceTime(sent_at ?? ''))}
        {state === 'off' && !usesMailCatcher() ? <InfoNote about="howToSet">{messages.offSettingHelp}</InfoNote> : null}
      </p>
      {checks.length === 0 ? null : <Findings label={messages.checksOf(domain)} checks={checks} lastAt={arrived_at} />}
    </section>
  );
}

interface Badge {
  readonly look: StatusLook;
  readonly word: string;
}

const RESULTS: Readonly<Record<'good' | 'bad' | 'unknown', Badge>> = {
  good: { look: { tone: 'green', Icon: IconCheck }, word: DOMAIN_MESSAGES.states.good },
  bad: { look: { tone: 'red', Icon: IconAlertTriangle }, word: DOMAIN_MESSAGES.states.bad },
  unknown: { look: { tone: 'amber', Icon: IconHelp }, word: DOMAIN_MESSAGES.states.unknown },
};

const WAITS: Readonly<Partial<Record<SelfTestState, Badge>>> = {
  waiting: { look: { tone: 'blue', Icon: IconClock }, word: messages.waiting },
  late: { look: { tone: 'amber', Icon: IconHelp }, word: messages.late },
};

function badgeOf({ state, checks }: DomainRow['self_test']): Badge | null {
  const result = domainState(checks);
  return WAITS[state] ?? (result === 'unchecked' ? null : RESULTS[result]);
}
