import { Link } from 'react-router';
import type { Run } from '#contract/sending.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { TestTag } from '#web/components/test-tag.tsx';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import { estimatedEnd, openMails } from './run-state.ts';
import { RunBadge } from './status-badges.tsx';
import { HISTORY_MESSAGES } from './words.ts';

const { columns: header } = HISTORY_MESSAGES;

type CountName = 'targets' | 'sent' | 'failed' | 'unknown' | 'cancelled' | 'open';

/** Widths for four digits and the header. All columns fit into 975 px, the table's width at 1024 px. */
const COUNT_WIDTHS = { targets: 52, sent: 66, failed: 52, unknown: 52, cancelled: 52, open: 52 };

const number = (id: CountName, value: (run: Run) => number): Column<Run> => ({
  id,
  header: header[id],
  width: COUNT_WIDTHS[id],
  kind: 'number',
  render: (run) => value(run).toLocaleString('ja-JP'),
});

/** @param pathOf returns the path of a run's screen */
export const runColumns = (pathOf: (id: number) => string): readonly Column<Run>[] => [
  {
    id: 'sent_at',
    header: header.sent_at,
    width: 164,
    isRowHeader: true,
    render: ({ id, sent_at }) => <Link to={pathOf(id)}>{minuteWithWeekday(sent_at)}</Link>,
  },
  { id: 'state', header: header.state, width: 120, render: (run) => <RunBadge run={run} /> },
  {
    id: 'subject',
    header: header.subject,
    width: 102,
    render: ({ subject, test_send_mode }) => (
      <span title={subject}>
        {test_send_mode === 1 ? <TestTag /> : null} {subject}
      </span>
    ),
  },
  { id: 'group_name', header: header.group_name, width: 100, render: ({ group_name }) => group_name },
  ...(['targets', 'sent', 'failed', 'unknown', 'cancelled'] as const).map((id) => number(id, (run) => run[id])),
  number('open', openMails),
  { id: 'estimated_end_at', header: header.estimated_end_at, width: 162, render: estimatedEnd },
];
