import { type ReactNode, useMemo } from 'react';
import { addressee } from '#domain/mail/addressee.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { textColumn } from '#web/components/data-table/text-column.ts';
import { RowBox } from '#web/components/row-box.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { listTime } from '#web/lib/screen-time.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import styles from './attack-list-panel.module.css';
import { setAside } from './attack-list-state.ts';
import type { CompanyParts } from './left-out/left-out-dialog.tsx';
import type { TargetRow, Targets } from './use-targets.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

const messages = ATTACK_LIST_MESSAGES;
const { columns } = messages;

interface Props {
  readonly targets: Targets;
  readonly senderGroupId: number;
  readonly isTest: boolean;
  readonly parts: CompanyParts;
  /** Shown in place of an empty list. */
  readonly nothing: ReactNode;
}

export function TargetTable({ targets, senderGroupId, isTest, parts, nothing }: Props) {
  const { rows, ...state } = targets;
  const may = useMay('sendMail', { groupId: senderGroupId });
  const shown = useMemo(
    () => targetColumns(senderGroupId, isTest, parts).filter(({ id }) => may || id !== TICKS),
    [senderGroupId, isTest, parts, may],
  );
  return (
    <div className={`fill ${styles.preview}`}>
      {state.hasFailed ? (
        <LoadFailed what={ATTACK_LIST_MESSAGES.list} error={state.error} onRetry={state.reload} />
      ) : (
        <DataTable
          label={messages.preview}
          columns={shown}
          rows={rows}
          rowId={(row) => row.prospect_id}
          busy={state.isReloading}
          view={state.view}
          empty={nothing}
        />
      )}
    </div>
  );
}

/** The column that chooses who gets mail. */
const TICKS = 'send';

/** A test shows the number of each row, from 1; `[n]` in the test address counts from 0. */
const targetColumns = (groupId: number, isTest: boolean, parts: CompanyParts): readonly Column<TargetRow>[] => [
  {
    id: TICKS,
    header: columns.send,
    width: 52,
    isFixed: true,
    render: ({ prospect_id, company_name, left }) => (
      <RowBox
        name={messages.sendTo(company_name)}
        checked={left === undefined}
        disabled={left === 'domain_limit'}
        onChange={(isTicked) => left !== 'domain_limit' && setAside(groupId, prospect_id, !isTicked)}
      />
    ),
  },
  ...(isTest ? [ROW_NUMBER] : []),
  {
    id: 'company_name',
    header: columns.company_name,
    width: 170,
    fits: ({ company_name }) => company_name,
    most: 400,
    cut: true,
    isRowHeader: true,
    render: (target) => parts.renderName(target),
  },
  textColumn('person_in_charge', columns.person_in_charge, ({ person_in_charge }) => addressee(person_in_charge), {
    width: 120,
    most: 320,
    cut: true,
  }),
  {
    id: 'company_email',
    header: columns.company_email,
    // Fits the reason that replaces an address, and its button.
    width: 270,
    fits: ({ company_email }) => company_email,
    most: 400,
    cut: true,
    render: (target) =>
      target.left === 'domain_limit' ? (
        <span data-aside>{messages.overDomain}</span>
      ) : target.left === 'aside' ? (
        <span data-aside>
          {messages.aside}
          <button
            type="button"
            aria-label={messages.bringBackOf(target.company_name)}
            onClick={({ currentTarget }) => {
              // Move the focus: the pressed button disappears.
              currentTarget.closest('tr')?.querySelector('input')?.focus();
              setAside(groupId, target.prospect_id, false);
            }}
          >
            {messages.bringBack}
          </button>
        </span>
      ) : (
        target.company_email
      ),
  },
  {
    id: 'sent_at',
    header: columns.sent_at,
    width: 48,
    fits: ({ sent_at }) => (sent_at ? listTime(sent_at) : messages.firstMail),
    render: ({ sent_at }) => (sent_at ? listTime(sent_at) : <span className={styles.first}>{messages.firstMail}</span>),
  },
];

const ROW_NUMBER: Column<TargetRow> = textColumn(
  'row',
  columns.row,
  ({ row }) => (row === undefined ? '' : String(row + 1)),
  { kind: 'number' },
);
