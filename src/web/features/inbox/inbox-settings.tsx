import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import { useQuery } from '@tanstack/react-query';
import { InfoNote, ServerSetting } from '#web/components/inline/info-note.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { Panel } from '#web/components/panel.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { mails } from '#web/lib/phrases.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { type InboxState, inboxState } from './inbox-query.ts';
import { INBOX_MESSAGES as messages } from './words.ts';

/** Shows whether the mailbox for bounces and replies is read, and what arrived. */
export function InboxSettings() {
  const { data, error, refetch } = useQuery(inboxState);
  if (data === undefined) return <NotLoaded what={messages.title} error={error} onRetry={() => void refetch()} />;
  if (data.state === 'off') {
    return (
      <Panel title={messages.title}>
        <EmptyState kind="none" title={messages.off} help={messages.offHelp}>
          <ServerSetting>{messages.offSettingHelp}</ServerSetting>
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Panel
      title={messages.title}
      help={messages.help}
      isSplit
      tools={
        <span role="status">
          <StatusBadge {...LOOKS[shownState(data)]} />
        </span>
      }
    >
      <div className="stack">
        <Fault state={data} />
        <dl className="figures" aria-label={messages.counts}>
          {(['mails', 'unmatched', 'skipped'] as const).map((part) => (
            <div key={part}>
              <dt>{messages[part]}</dt>
              <dd>{mails(data[part])}</dd>
            </div>
          ))}
        </dl>
        {data.last_read_at === null ? null : <p className="note">{messages.readAt(sentenceTime(data.last_read_at))}</p>}
        {data.unmatched + data.skipped > 0 ? <p className="note">{messages.leftHelp}</p> : null}
      </div>
    </Panel>
  );
}

type Shown = 'reading' | 'failing' | 'waiting';

const LOOKS: Readonly<Record<Shown, { readonly look: StatusLook; readonly word: string }>> = {
  reading: { look: { tone: 'green', Icon: IconCheck }, word: messages.states.reading },
  failing: { look: { tone: 'red', Icon: IconAlertTriangle }, word: messages.states.failing },
  waiting: { look: { tone: 'blue', Icon: IconClock }, word: messages.states.waiting },
};

const shownState = ({ state, last_read_at }: InboxState): Shown => {
  if (state === 'failing') return 'failing';
  return last_read_at === null ? 'waiting' : 'reading';
};

/** Shows the error, and what happens until it is solved. */
function Fault({ state: { state, fault, last_read_at } }: { readonly state: InboxState }) {
  if (state !== 'failing') return last_read_at === null ? <p className="note">{messages.neverReadHelp}</p> : null;
  return (
    <Notice tone="bad">
      <p>
        {fault === null ? messages.staleHelp : messages.faultHelp[fault]}
        {fault === 'other' ? null : <InfoNote about="howToSet">{messages.settingHelp}</InfoNote>}
      </p>
      <p>{messages.meanwhileHelp}</p>
    </Notice>
  );
}
