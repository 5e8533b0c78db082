import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { NoticeKind } from '#domain/account/notice.ts';
import { SelectField } from '#web/components/field/select-field.tsx';
import { Switch } from '#web/components/field/switch.tsx';
import { Panel } from '#web/components/panel.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { SavedMark } from '#web/components/state/saved-mark.tsx';
import styles from './notice-settings.module.css';
import {
  noticeSettings,
  type NoticeSettings as Settings,
  type SettingsChange,
  useChangeSettings,
} from './notice-settings-query.ts';
import { NOTICE_MESSAGES as messages } from './words.ts';

type Subject = keyof typeof messages.subjects;

/** The subject of each kind of notice. */
const SUBJECT_OF: Readonly<Record<NoticeKind, Subject>> = {
  run_ended: 'sending',
  failures: 'sending',
  stopped: 'sending',
  reservation_missed: 'sending',
  restored: 'sending',
  reply: 'replies',
  doubtful_reply: 'replies',
  refusal: 'replies',
  import_ended: 'data',
  domain_bad: 'data',
  mailbox_lost: 'sending',
  receipts_unwritable: 'sending',
};
const SUBJECTS: readonly Subject[] = ['sending', 'replies', 'data'];

const PERCENTAGES = [1, 3, 5, 10, 20, 30, 50];

/** Selects which notices the member gets, and how. Each choice is saved at once. */
export function NoticeSettings() {
  const { data, error, refetch } = useQuery(noticeSettings);
  const { mutate: change, isSuccess, variables = {} } = useChangeSettings();
  const isSaved = (part: keyof SettingsChange) => isSuccess && part in variables;
  const summary = useId();
  if (data === undefined) return <NotLoaded what={messages.title} error={error} onRetry={() => void refetch()} />;
  const { failure_percent, morning_summary } = data;
  const isSilent = morning_summary === 0 && data.kinds.every(({ mail }) => mail === 0);
  const choices = [...new Set([...PERCENTAGES, failure_percent])].toSorted((a, b) => a - b);
  return (
    <div className={styles.settings}>
      {isSilent ? <Notice>{messages.noMailsHelp}</Notice> : null}
      <Panel title={messages.event} help={messages.stormHelp}>
        <table className={styles.kinds}>
          <thead>
            <tr>
              <td />
              <th scope="col">{messages.screen}</th>
              <th scope="col">{messages.mail}</th>
            </tr>
          </thead>
          {SUBJECTS.map((subject) => (
            <tbody key={subject}>
              <tr>
                <th scope="rowgroup" colSpan={3}>
                  {messages.subjects[subject]}
                </th>
              </tr>
              {data.kinds
                .filter(({ kind }) => SUBJECT_OF[kind] === subject)
                .map((row) => (
                  <KindRow
                    key={row.kind}
                    row={row}
                    isSaved={isSaved('kinds') && variables.kinds?.[0]?.kind === row.kind}
                    onChange={(part) => change({ kinds: [{ kind: row.kind, ...part }] })}
                  />
                ))}
            </tbody>
          ))}
        </table>
      </Panel>
      <Panel title={messages.howMuch}>
        <div className="stack-wide">
          <div className="stack-tight">
            <div className="line">
              <Switch
                id={summary}
                checked={morning_summary === 1}
                onChange={(on) => change({ morning_summary: on ? 1 : 0 })}
              />
              <label htmlFor={summary}>{messages.summary}</label>
              <SavedMark isSaved={isSaved('morning_summary')} />
            </div>
            <p className="note">{messages.summaryHelp}</p>
          </div>
          <SelectField
            label={messages.failurePercent}
            help={messages.failurePercentHelp}
            mark={<SavedMark isSaved={isSaved('failure_percent')} />}
            choices={choices.map((value) => ({ value: String(value), label: messages.percent(value) }))}
            value={String(failure_percent)}
            onChange={(value) => change({ failure_percent: Number(value) })}
          />
        </div>
      </Panel>
    </div>
  );
}

interface RowProps {
  readonly row: Settings['kinds'][number];
  readonly isSaved: boolean;
  readonly onChange: (part: { screen?: 0 | 1; mail?: 0 | 1 }) => void;
}

function KindRow({ row: { kind, screen, mail }, isSaved, onChange }: RowProps) {
  const name = messages.kinds[kind];
  return (
    <tr>
      <th scope="row">
        <span className="spread">
          {name}
          <SavedMark isSaved={isSaved} />
        </span>
      </th>
      <td>
        <Switch
          label={messages.inPlace(name, messages.screen)}
          checked={screen === 1}
          onChange={(on) => onChange({ screen: on ? 1 : 0 })}
        />
      </td>
      <td>
        <Switch
          label={messages.inPlace(name, messages.mail)}
          checked={mail === 1}
          onChange={(on) => onChange({ mail: on ? 1 : 0 })}
        />
      </td>
    </tr>
  );
}
