import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import type { ListedTarget } from '#contract/companies/attack-list.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/sending/eligibility.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { BUTTON_EDGES, textColumn } from '#web/components/data-table/text-column.ts';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { Pager } from '#web/components/pager/pager.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import type { ChosenCompany } from '../attack-list-state.ts';
import { ATTACK_LIST_MESSAGES, LEFT_OUT_MESSAGES } from '../words.ts';
import styles from './left-out-dialog.module.css';
import type { LeftOutGroup } from './left-out-groups.ts';
import { type LeftOutQuery, type LeftOutSettings, leftOutList } from './left-out-query.ts';

/** Reasons that the dialog can resolve. The others need a decision about a reply, or time. */
const MENDED = ['inactive', 'no_email', 'suppressed'] as const;
export type MendedReason = (typeof MENDED)[number];

/** What other features show of a company. The same object at each render, because new columns render all rows again. */
export interface CompanyParts {
  /** @param onLeave is called before the company opens */
  readonly renderName: (target: ListedTarget, onLeave?: () => void) => ReactNode;
  /** Renders the button that brings a company back onto the list. */
  readonly renderMend: (reason: MendedReason, target: ListedTarget, sendTo?: SendTo) => ReactNode;
}

interface Props {
  readonly reason: LeftOutGroup;
  readonly settings: LeftOutSettings;
  readonly chosen: readonly ChosenCompany[];
  /** The targets and the counts of the preview. */
  readonly listed: readonly ListedTarget[];
  readonly counts: Readonly<Partial<Record<LeftOutReason, number>>>;
  /** The listed companies that exceed the limit of their domain. */
  readonly over: readonly ListedTarget[];
  readonly parts: CompanyParts;
  readonly onClose: () => void;
}

/** Lists the companies that one reason leaves out, and what to do about it. */
export default function LeftOutDialog({ reason, ...props }: Props) {
  if (reason === 'domain_limit') return <OverDomain {...props} />;
  return reason === 'missing' ? <Missing {...props} /> : <LeftOut {...props} reason={reason} />;
}

/** Lists the companies that exceed the limit of their domain. */
function OverDomain({ over, parts, onClose }: Omit<Props, 'reason'>) {
  const title = LEFT_OUT_MESSAGES.title(DATA_MESSAGES.leftOut.reasons.domain_limit);
  const columns = useMemo(() => leftOutColumns('domain_limit', { parts, onLeave: onClose }), [parts, onClose]);
  return (
    <Dialog title={title} size={760} grows onClose={onClose}>
      <p className={styles.help}>{LEFT_OUT_MESSAGES.domainLimitHelp}</p>
      <div className={styles.list}>
        <DataTable
          label={title}
          columns={columns}
          rows={over}
          rowId={(row) => row.prospect_id}
          empty={LEFT_OUT_MESSAGES.none}
        />
      </div>
    </Dialog>
  );
}

function LeftOut({ reason, settings, parts, onClose }: Props & { readonly reason: LeftOutReason }) {
  const [{ size, page }, setPlace] = useState({ size: usePaging.getState().pagenate_count, page: 1 });
  const query: LeftOutQuery = { ...settings, reason, pagenate_count: size, pagenate_num: page };
  const { data, isError, error, isFetching, isPlaceholderData, refetch } = useQuery(leftOutList(query));
  const { send_to: sendTo } = settings;
  const columns = useMemo(
    () => leftOutColumns(reason, { parts, sendTo, onLeave: onClose }),
    [reason, parts, sendTo, onClose],
  );
  const title = LEFT_OUT_MESSAGES.title(DATA_MESSAGES.leftOut.reasons[reason]);
  return (
    <Dialog title={title} size={760} grows onClose={onClose}>
      <p className={styles.help}>{LEFT_OUT_MESSAGES.help[reason]}</p>
      {isError && data === undefined ? (
        <LoadFailed error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <div className={styles.list} data-paged={(data?.total ?? 0) > size || undefined}>
            <DataTable
              label={title}
              columns={columns}
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

interface ColumnParts {
  readonly parts: CompanyParts;
  readonly sendTo?: SendTo | undefined;
  readonly onLeave: () => void;
}

function leftOutColumns(
  reason: LeftOutReason | 'domain_limit',
  { parts: { renderName, renderMend }, sendTo, onLeave }: ColumnParts,
): readonly Column<ListedTarget>[] {
  const mended = MENDED.find((each) => each === reason);
  return [
    {
      id: 'company_name',
      header: LEFT_OUT_MESSAGES.company,
      width: 170,
      fits: ({ company_name }) => company_name,
      most: 360,
      cut: true,
      isRowHeader: true,
      render: (target) => renderName(target, onLeave),
    },
    ...(reason === 'no_email'
      ? []
      : [
          textColumn<ListedTarget>('company_email', LEFT_OUT_MESSAGES.email, (row) => row.company_email, {
            width: 120,
            most: 360,
            cut: true,
          }),
        ]),
    textColumn('person_in_charge', LEFT_OUT_MESSAGES.person, (row) => row.person_in_charge, { most: 140 }),
    ...(mended === undefined
      ? []
      : [
          {
            id: 'mend',
            header: LEFT_OUT_MESSAGES.mend,
            kind: 'acts' as const,
            onCard: 'head' as const,
            width: 48,
            fits: () => LEFT_OUT_MESSAGES.enterAddress,
            beside: BUTTON_EDGES,
            render: (target: ListedTarget) => renderMend(mended, target, sendTo),
          },
        ]),
  ];
}

const MISSING_COLUMNS: readonly Column<ChosenCompany>[] = [
  { id: 'company_name', header: LEFT_OUT_MESSAGES.company, width: 400, isRowHeader: true, render: ({ name }) => name },
];

/** Names the chosen companies that are neither listed nor left out: they have been deleted or archived. */
function Missing({ settings, chosen, listed, counts, onClose }: Omit<Props, 'reason'>) {
  const reasons = LEFT_OUT_REASONS.filter((reason) => (counts[reason] ?? 0) > 0);
  const lists = useQueries({
    // All chosen companies are on the first page.
    queries: reasons.map((reason) => leftOutList({ ...settings, reason, pagenate_count: MOST_ON_A_PAGE })),
  });
  const failed = lists.find(({ isError, data }) => isError && data === undefined);
  const known = new Set([...listed, ...lists.flatMap(({ data }) => data?.rows ?? [])].map((row) => row.prospect_id));
  const rows = lists.some(({ data }) => data === undefined) ? undefined : chosen.filter(({ id }) => !known.has(id));
  return (
    <Dialog title={LEFT_OUT_MESSAGES.title(ATTACK_LIST_MESSAGES.missing)} size={560} grows onClose={onClose}>
      <p className={styles.help}>{LEFT_OUT_MESSAGES.missingHelp}</p>
      {failed === undefined ? (
        <div className={styles.list}>
          <DataTable
            label={LEFT_OUT_MESSAGES.title(ATTACK_LIST_MESSAGES.missing)}
            columns={MISSING_COLUMNS}
            rows={rows}
            rowId={({ id }) => id}
            empty={LEFT_OUT_MESSAGES.none}
          />
        </div>
      ) : (
        <LoadFailed error={failed.error} onRetry={() => void failed.refetch()} />
      )}
    </Dialog>
  );
}

const MOST_ON_A_PAGE = 200;
