import { useQuery } from '@tanstack/react-query';
import type { ListedRun } from '#contract/sending/send-logs.ts';
import { Button } from '#web/components/button.tsx';
import { CardLine } from '#web/components/card-line.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { PagedTable, useListPage } from '#web/components/data-table/paged-table.tsx';
import { BADGE_EDGES, textColumn } from '#web/components/data-table/text-column.ts';
import { TestTag } from '#web/components/inline/test-tag.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { sendPath } from '#web/lib/address/params.ts';
import { useRunEvents } from '#web/lib/api/run-events.ts';
import { mails } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { listTime } from '#web/lib/screen-time.ts';
import bar from './run-bar.module.css';
import { RunBar, sentShare } from './run-bar.tsx';
import { RunFilterBar } from './run-filter.tsx';
import styles from './send-history.module.css';
import { RunBadge, runWord } from './status-badges.tsx';
import type { useRunPlace } from './use-run-place.ts';
import { sendLogList } from './view-send-logs.ts';
import { HISTORY_MESSAGES, RUN_FILTER_MESSAGES } from './words.ts';

const { columns: header } = HISTORY_MESSAGES;

type CountName = 'targets' | 'failed' | 'unknown' | 'replied' | 'refused';

const number = (id: CountName): Column<ListedRun> => ({
  id,
  header: header[id],
  width: 48,
  fits: (run) => run[id].toLocaleString('ja-JP'),
  kind: 'number',
  render: (run) => (run[id] === 0 ? <span data-none>0</span> : run[id].toLocaleString('ja-JP')),
});

/** What a closed card adds to the state. */
const CARD_COUNTS = ['failed', 'unknown', 'replied', 'refused'] as const;

const RUN_COLUMNS: readonly Column<ListedRun>[] = [
  textColumn('sent_at', header.sent_at, ({ sent_at }) => listTime(sent_at)),
  {
    id: 'subject',
    header: header.subject,
    width: 96,
    fits: ({ subject }) => subject,
    most: 480,
    cut: true,
    isRowHeader: true,
    onCard: 'head',
    render: ({ id, subject, test_send_mode, undone }) => (
      <span title={subject} className={undone === 1 ? bar.undone : undefined}>
        {test_send_mode === 1 ? <TestTag /> : null} <Link to={sendPath(id)}>{subject || HISTORY_MESSAGES.details}</Link>
      </span>
    ),
  },
  {
    id: 'card_line',
    header: '',
    width: 0,
    onCard: 'line',
    foldName: ({ subject }) => HISTORY_MESSAGES.otherFieldsOf(subject || HISTORY_MESSAGES.details),
    render: (run) => (
      <CardLine time={listTime(run.sent_at)} number={mails(run.targets)} group={run.group_name}>
        <RunBadge run={run} />
        {CARD_COUNTS.map((id) => (run[id] === 0 ? null : <span key={id}>{`${header[id]} ${mails(run[id])}`}</span>))}
      </CardLine>
    ),
  },
  textColumn('group_name', RUN_FILTER_MESSAGES.group, ({ group_name }) => group_name, {
    width: 80,
    most: 240,
    cut: true,
  }),
  textColumn('member_name', header.member_name, ({ member_name }) => member_name ?? '', { most: 140 }),
  number('targets'),
  {
    id: 'result',
    header: header.result,
    // Fits the percentage below the bar.
    width: 118,
    render: (run) => (
      <span className="stack-tight note">
        {run.sent === run.targets || run.undone === 1 ? null : <RunBar run={run} />}
        {sentShare(run)}
      </span>
    ),
  },
  number('failed'),
  number('unknown'),
  number('replied'),
  number('refused'),
  {
    id: 'state',
    header: header.state,
    width: 48,
    fits: runWord,
    beside: BADGE_EDGES,
    render: (run) => <RunBadge run={run} />,
  },
];

interface Props {
  readonly place: ReturnType<typeof useRunPlace>;
  readonly groups: readonly { readonly id: number; readonly group_name: string }[];
}

const NONE = { period: '', from: '', to: '', state: '', group: '', template: '', search: '' } as const;

/** Lists runs, newest first: only real ones unless the filter says otherwise. */
export function RunList({ place, groups }: Props) {
  useRunEvents();
  const messages = HISTORY_MESSAGES;
  const { choice, filter, goToPage, setChoice } = place;
  const paging = useListPage(place.page, goToPage);
  const { page, size } = paging;
  const query = { ...filter, pagenate_num: page, pagenate_count: size };
  const list = useQuery(sendLogList(query));
  const { data, isError, error, refetch } = list;
  if (isError && data === undefined)
    return <LoadFailed what={HISTORY_MESSAGES.title} error={error} onRetry={() => void refetch()} />;
  const isNarrowed = Object.keys(filter).some((name) => name !== 'test_send_mode');
  return (
    <div className={`fill ${styles.list}`}>
      <RunFilterBar choice={choice} groups={groups} onChange={setChoice} />
      <PagedTable
        paging={paging}
        list={list}
        label={messages.title}
        columns={RUN_COLUMNS}
        rowId={({ id }) => id}
        view={JSON.stringify(query)}
        empty={
          isNarrowed || choice.mode === 'test' ? (
            <EmptyState kind="no-match" title={RUN_FILTER_MESSAGES.noMatch} help={RUN_FILTER_MESSAGES.noMatchHelp}>
              <Button onClick={() => setChoice({ ...NONE, mode: 'all' })}>{RUN_FILTER_MESSAGES.clear}</Button>
            </EmptyState>
          ) : (
            <EmptyState kind="sends" title={messages.empty} help={messages.emptyHelp} />
          )
        }
      />
    </div>
  );
}
