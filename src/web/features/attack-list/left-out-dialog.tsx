import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AttackListItem } from '#contract/attack-list.ts';
import type { LeftOutReason } from '#domain/sending/eligibility.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Pager } from '#web/components/pager.tsx';
import { usePaging } from '#web/lib/paging-state.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './left-out-dialog.module.css';
import { type LeftOutQuery, type LeftOutSettings, leftOutList } from './view-left-out.ts';
import { LEFT_OUT_MESSAGES } from './words.ts';

const COLUMNS: readonly Column<AttackListItem>[] = [
  {
    id: 'company_name',
    header: LEFT_OUT_MESSAGES.company,
    width: 300,
    isRowHeader: true,
    render: (row) => row.company_name,
  },
  { id: 'company_email', header: LEFT_OUT_MESSAGES.email, width: 260, render: (row) => row.company_email },
  { id: 'person_in_charge', header: LEFT_OUT_MESSAGES.person, width: 140, render: (row) => row.person_in_charge },
];

interface Props {
  readonly reason: LeftOutReason;
  readonly settings: LeftOutSettings;
  readonly onClose: () => void;
}

/** Lists the companies that one reason leaves out, and what to do about it. */
export default function LeftOutDialog({ reason, settings, onClose }: Props) {
  const [{ size, page }, setPlace] = useState({ size: usePaging.getState().pagenate_count, page: 1 });
  const query: LeftOutQuery = { ...settings, reason, pagenate_count: size, pagenate_num: page };
  const { data, isError, isFetching, isPlaceholderData, refetch } = useQuery(leftOutList(query));
  return (
    <Dialog title={LEFT_OUT_MESSAGES.title(COMMON_MESSAGES.leftOut.reasons[reason])} size={760} grows onClose={onClose}>
      <p className={styles.help}>{LEFT_OUT_MESSAGES.help[reason]}</p>
      {isError && data === undefined ? (
        <LoadFailed onRetry={() => void refetch()} />
      ) : (
        <>
          <div className={styles.list} data-paged={(data?.total ?? 0) > size || undefined}>
            <DataTable
              label={LEFT_OUT_MESSAGES.title(COMMON_MESSAGES.leftOut.reasons[reason])}
              columns={COLUMNS}
              rows={data?.rows}
              rowId={(row) => row.prospect_id}
              busy={isFetching && data !== undefined}
              view={`${size} ${page}`}
              empty={LEFT_OUT_MESSAGES.none}
            />
          </div>
          {data === undefined ? null : (
            <Pager
              total={data.total}
              page={page}
              size={size}
              isLoading={isPlaceholderData}
              onPage={(next) => setPlace({ size, page: next })}
              onSize={(next) => setPlace({ size: next, page: 1 })}
            />
          )}
        </>
      )}
    </Dialog>
  );
}
