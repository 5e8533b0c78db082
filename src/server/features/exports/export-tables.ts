import type { ExportRequest } from '#contract/exports.ts';
import { PROSPECT_COLUMNS } from '#contract/prospects-filter.ts';
import { PROSPECT_COLUMN_NAMES } from '#contract/prospects-names.ts';
import { PAGE_SIZES } from '#domain/limits.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { Problem } from '../../platform/problem.ts';
import { readAllProspects } from '../prospects/all-prospects.queries.ts';
import { viewSendLogs } from '../send-logs/run-list.queries.ts';
import { viewDeliveries } from '../send-logs/run-mails.queries.ts';
import { readAllSuppressions } from '../suppression-list/view.queries.ts';
import { type Columns, DELIVERY_COLUMNS, prospectCell, RUN_COLUMNS, SUPPRESSION_COLUMNS } from './export-columns.ts';
import type { ExportTable, Row } from './export-table.ts';

/** Returns the table of an export request. @param now epoch milliseconds */
export function exportTable(account: AccountDb, request: ExportRequest, now: number): ExportTable {
  switch (request.what) {
    case 'prospects':
      return prospectTable(account, request);
    case 'runs':
      return runTable(account, request, now);
    case 'suppressions': {
      const { what: _, format: __, ...filter } = request;
      return {
        title: '配信停止',
        headings: SUPPRESSION_COLUMNS.map(([heading]) => heading),
        read: (take) =>
          readAllSuppressions(account, filter, (rows, total) => take(cellsOf(SUPPRESSION_COLUMNS, rows), total)),
      };
    }
    case 'deliveries': {
      const { what: _, format: __, send_log_id, ...filter } = request;
      return pagedTable(`送信結果_${send_log_id}`, DELIVERY_COLUMNS, (paging) =>
        viewDeliveries(account, send_log_id, { ...filter, ...paging }),
      );
    }
  }
}

function runTable(account: AccountDb, request: ExportRequest & { what: 'runs' }, now: number): ExportTable {
  const { what: _, format: __, test_send_mode, ...filter } = request;
  const mode = test_send_mode === undefined ? {} : { test_send_mode: test_send_mode === 1 };
  return pagedTable('送信履歴', RUN_COLUMNS, (paging) => viewSendLogs(account, { ...filter, ...mode, ...paging }, now));
}

function prospectTable(account: AccountDb, request: ExportRequest & { what: 'prospects' }): ExportTable {
  const {
    what: _,
    format: __,
    sender_group_id,
    ids,
    columns = PROSPECT_COLUMNS,
    status,
    sort,
    order,
    ...filter
  } = request;
  return {
    title: '見込み客',
    headings: columns.map((column) => PROSPECT_COLUMN_NAMES[column]),
    read: (take) =>
      readAllProspects(account, sender_group_id, { filter, status, ids, sort: { sort, order } }, (rows, total) =>
        take(
          rows.map((row) => columns.map((column) => prospectCell(column, row))),
          total,
        ),
      ),
  };
}

interface Paging {
  readonly pagenate_count: number;
  readonly pagenate_num: number;
}

const cellsOf = <Source>(columns: Columns<Source>, rows: readonly Source[]): Row[] =>
  rows.map((row) => columns.map(([, value]) => value(row)));

const PAGE_ROWS = Math.max(...PAGE_SIZES);

/** Returns the table of a call that answers pages. */
function pagedTable<Source>(
  title: string,
  columns: Columns<Source>,
  page: (paging: Paging) => Promise<{ rows: Source[]; total: number } | Problem>,
): ExportTable {
  return {
    title,
    headings: columns.map(([heading]) => heading),
    read: async (take) => {
      for (let number = 1; ; number += 1) {
        const answer = await page({ pagenate_count: PAGE_ROWS, pagenate_num: number });
        if (answer instanceof Problem) return answer;
        const rows = cellsOf(columns, answer.rows);
        const problem = rows.length > 0 ? await take(rows, answer.total) : undefined;
        if (problem || number * PAGE_ROWS >= answer.total) return problem;
      }
    },
  };
}
