import { Link } from 'react-router';
import type { Run } from '#contract/sending.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { HISTORY_WORDS } from '#web/lib/history-words.ts';
import { withWeekday } from '#web/lib/with-weekday.ts';
import { estimatedEnd, openMails, runState } from './run-state.ts';
import styles from './send-history.module.css';

const { columns: header, test } = HISTORY_WORDS.sends;

type CountName = 'targets' | 'sent' | 'failed' | 'unknown' | 'cancelled';

const number = (id: CountName | 'open', value: (run: Run) => number): Column<Run> => ({
  id,
  header: header[id],
  width: 80,
  kind: 'number',
  render: (run) => value(run).toLocaleString('ja-JP'),
});

/** @param pathOf the screen of one run */
export const runColumns = (pathOf: (id: number) => string): readonly Column<Run>[] => [
  {
    id: 'sent_at',
    header: header.sent_at,
    width: 245,
    isRowHeader: true,
    render: ({ id, sent_at, test_send_mode }) => (
      <span>
        <Link to={pathOf(id)}>{withWeekday(sent_at)}</Link>{' '}
        {test_send_mode === 1 ? <span className={styles.test}>{test}</span> : null}
      </span>
    ),
  },
  { id: 'state', header: header.state, width: 130, render: runState },
  { id: 'subject', header: header.subject, width: 280, render: ({ subject }) => subject },
  { id: 'group_name', header: header.group_name, width: 140, render: ({ group_name }) => group_name },
  ...(['targets', 'sent', 'failed', 'unknown', 'cancelled'] as const).map((id) => number(id, (run) => run[id])),
  number('open', openMails),
  { id: 'estimated_end_at', header: header.estimated_end_at, width: 185, render: estimatedEnd },
];
