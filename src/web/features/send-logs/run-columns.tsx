import type { ListedRun } from '#contract/send-logs.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { TestTag } from '#web/components/test-tag.tsx';
import { sendPath } from '#web/lib/address/params.ts';
import { Link } from '#web/lib/router/link.tsx';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import { RunBar, sentShare } from './run-bar.tsx';
import styles from './send-history.module.css';
import { RunBadge } from './status-badges.tsx';
import { HISTORY_MESSAGES, RUN_FILTER_MESSAGES } from './words.ts';

const { columns: header } = HISTORY_MESSAGES;

type CountName = 'targets' | 'failed' | 'unknown' | 'replied' | 'refused';

/** Widths for four digits and the header. All columns fit into 975 px, the table's width at 1024 px. */
const COUNT_WIDTHS = { targets: 52, failed: 48, unknown: 48, replied: 48, refused: 66 };

const number = (id: CountName): Column<ListedRun> => ({
  id,
  header: header[id],
  width: COUNT_WIDTHS[id],
  kind: 'number',
  render: (run) => (run[id] === 0 ? <span className={styles.zero}>0</span> : run[id].toLocaleString('ja-JP')),
});

export const RUN_COLUMNS: readonly Column<ListedRun>[] = [
  { id: 'sent_at', header: header.sent_at, width: 166, render: ({ sent_at }) => minuteWithWeekday(sent_at) },
  {
    id: 'subject',
    header: header.subject,
    width: 132,
    isRowHeader: true,
    render: ({ id, subject, test_send_mode }) => (
      <span title={subject}>
        {test_send_mode === 1 ? <TestTag /> : null} <Link to={sendPath(id)}>{subject || HISTORY_MESSAGES.details}</Link>
      </span>
    ),
  },
  { id: 'group_name', header: RUN_FILTER_MESSAGES.group, width: 84, render: ({ group_name }) => group_name },
  { id: 'member_name', header: header.member_name, width: 76, render: ({ member_name }) => member_name ?? '' },
  number('targets'),
  {
    id: 'result',
    header: header.result,
    width: 138,
    render: (run) => (
      <span className={styles.result}>
        <RunBar run={run} />
        <span className={styles.share}>{sentShare(run)}</span>
      </span>
    ),
  },
  number('failed'),
  number('unknown'),
  number('replied'),
  number('refused'),
  { id: 'state', header: header.state, width: 112, render: (run) => <RunBadge run={run} /> },
];
