import { useQuery } from '@tanstack/react-query';
import type { ListedRun } from '#contract/sending/send-logs.ts';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { PagedTable, useListPage } from '#web/components/data-table/paged-table.tsx';
import { TestTag } from '#web/components/inline/test-tag.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { sendPath } from '#web/lib/address/params.ts';
import { useRunEvents } from '#web/lib/api/run-events.ts';
import { Link } from '#web/lib/router/link.tsx';
import { listTime } from '#web/lib/screen-time.ts';
import bar from './run-bar.module.css';
import { RunBar, sentShare } from './run-bar.tsx';
import { RunFilterBar } from './run-filter.tsx';
import styles from './send-history.module.css';
import { RunBadge } from './status-badges.tsx';
import type { useRunPlace } from './use-run-place.ts';
import { sendLogList } from './view-send-logs.ts';
import { HISTORY_MESSAGES, RUN_FILTER_MESSAGES } from './words.ts';

const { columns: header } = HISTORY_MESSAGES;

type CountName = 'targets' | 'failed' | 'unknown' | 'replied' | 'refused';

/** Widths for four digits and the header. All columns fit into 975 px, the table's width at 1024 px. */
const COUNT_WIDTHS = { targets: 52, failed: 48, unknown: 48, replied: 48, refused: 70 };

const number = (id: CountName): Column<ListedRun> => ({
  id,
  header: header[id],
  width: COUNT_WIDTHS[id],
  kind: 'number',
  render: (run) => (run[id] === 0 ? <span data-none>0</span> : run[id].toLocaleString('ja-JP')),
});

const RUN_COLUMNS: readonly Column<ListedRun>[] = [
  { id: 'sent_at', header: header.sent_at, width: 166, render: ({ sent_at }) => listTime(sent_at) },
  {
    id: 'subject',
    header: header.subject,
    width: 132,
    growth: 2.4,
    isRowHeader: true,
    render: ({ id, subject, test_send_mode, undone }) => (
      <span title={subject} className={undone === 1 ? bar.undone : undefined}>
        {test_send_mode === 1 ? <TestTag /> : null} <Link to={sendPath(id)}>{subject || HISTORY_MESSAGES.details}</Link>
      </span>
    ),
  },
  {
    id: 'group_name',
    header: RUN_FILTER_MESSAGES.group,
    width: 84,
    growth: 1.5,
    render: ({ group_name }) => group_name,
  },
  { id: 'member_name', header: header.member_name, width: 76, render: ({ member_name }) => member_name ?? '' },
  number('targets'),
  {
    id: 'result',
    header: header.result,
    width: 138,
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
  { id: 'state', header: header.state, width: 112, render: (run) => <RunBadge run={run} /> },
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
  const { data, isError, refetch } = list;
  if (isError && data === undefined) return <LoadFailed onRetry={() => void refetch()} />;
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
            <EmptyState kind="none" title={messages.empty} help={messages.emptyHelp} />
          )
        }
      />
    </div>
  );
}
