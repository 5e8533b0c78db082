import type { AuditRow } from '#contract/account/audit.ts';
import type { SuppressionRow } from '#contract/answers/suppressions.ts';
import { SUPPRESSION_CLASS_NAMES, SUPPRESSION_SOURCE_NAMES } from '#contract/answers/suppressions-names.ts';
import type { ExportRequest } from '#contract/companies/exports.ts';
import type { DeliveryRow, ListedRun } from '#contract/sending/send-logs.ts';
import { PAGE_SIZES } from '#domain/limits.ts';
import { DELIVERY_REASON_NAMES } from '#domain/sending/delivery-reason-names.ts';
import { causeText, FAILURE_CAUSE_TEXTS } from '#domain/sending/failure-cause-names.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { Problem } from '../../platform/problem.ts';
import { readAllAudit } from '../audit/view.queries.ts';
import { viewSendLogs } from '../send-logs/run-list.queries.ts';
import { viewDeliveries } from '../send-logs/run-mails.queries.ts';
import { readAllSuppressions } from '../suppression-list/view.queries.ts';
import { companyTable } from './company-table.ts';
import type { Columns, ExportTable, Row } from './export-table.ts';

const STATES: Readonly<Record<DeliveryRow['state'], string>> = {
  queued: '送信待ち',
  sending: '送信中',
  sent: '送信済み',
  failed: '失敗',
  unknown: '不明',
  cancelled: '取り消し',
};

const DELIVERY_COLUMNS: Columns<DeliveryRow> = [
  ['見込み客ID', ({ prospect_id }) => prospect_id],
  ['会社名', ({ company_name }) => company_name],
  ['宛先', ({ mail_to }) => mail_to],
  ['ステータス', ({ state }) => STATES[state]],
  ['終了日時', ({ finished_at }) => finished_at],
  ['回数', ({ attempts }) => attempts],
  ['理由', ({ reason, cause, smtp_reply }) => (reason ? DELIVERY_REASON_NAMES[reason] : causeText(cause, smtp_reply))],
  ['対処', ({ reason, cause }) => (reason || !cause ? '' : FAILURE_CAUSE_TEXTS[cause].advice)],
  ['サーバーの応答', ({ smtp_reply }) => smtp_reply],
];

/** The first heading is one that the suppression import recognises. */
const SUPPRESSION_COLUMNS: Columns<SuppressionRow> = [
  ['アドレス/ドメイン', ({ kind, value }) => (kind === 'domain' ? `@${value}` : value)],
  ['理由', (row) => SUPPRESSION_CLASS_NAMES[row.class]],
  ['登録元', ({ source }) => SUPPRESSION_SOURCE_NAMES[source]],
  ['登録日時', ({ created_at }) => created_at],
  ['登録者', ({ created_by }) => created_by],
  ['会社', ({ companies }) => companies.map(({ company_name }) => company_name).join('、')],
  ['サーバーの応答', ({ reason }) => reason],
  ['メモ', ({ note }) => note],
];

const AUDIT_COLUMNS: Columns<AuditRow> = [
  ['日時', ({ at }) => at],
  ['人', ({ who }) => who],
  ['操作', ({ text }) => text],
  ['対象', ({ subject }) => subject?.name ?? ''],
];

/** Returns the table of an export request. @param now epoch milliseconds */
export async function exportTable(account: AccountDb, request: ExportRequest, now: number): Promise<ExportTable> {
  switch (request.what) {
    case 'prospects':
    case 'people':
      return companyTable(account, request);
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
    case 'audit': {
      const { what: _, format: __, ...filter } = request;
      return {
        title: '操作履歴',
        headings: AUDIT_COLUMNS.map(([heading]) => heading),
        read: (take) => readAllAudit(account, filter, now, (rows, total) => take(cellsOf(AUDIT_COLUMNS, rows), total)),
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

const RUN_COLUMNS: Columns<ListedRun> = [
  ['送信ログID', ({ id }) => id],
  ['送信日時', ({ sent_at }) => sent_at],
  ['件名', ({ subject }) => subject],
  ['種別', ({ test_send_mode }) => (test_send_mode === 1 ? 'テスト' : '本番')],
  ['送信者グループ', ({ group_name }) => group_name],
  ['実行者', ({ member_name }) => member_name],
  ['件数', ({ targets }) => targets],
  ['送信済み', ({ sent }) => sent],
  ['失敗', ({ failed }) => failed],
  ['不明', ({ unknown }) => unknown],
  ['取り消し', ({ cancelled }) => cancelled],
  ['残り', ({ queued, sending }) => queued + sending],
  ['返信', ({ replied }) => replied],
  ['配信停止', ({ refused }) => refused],
];

function runTable(account: AccountDb, request: ExportRequest & { what: 'runs' }, now: number): ExportTable {
  const { what: _, format: __, test_send_mode, ...filter } = request;
  const mode = test_send_mode === undefined ? {} : { test_send_mode: test_send_mode === 1 };
  return pagedTable('送信履歴', RUN_COLUMNS, (paging) => viewSendLogs(account, { ...filter, ...mode, ...paging }, now));
}

const cellsOf = <Source>(columns: Columns<Source>, rows: readonly Source[]): Row[] =>
  rows.map((row) => columns.map(([, value]) => value(row)));

const PAGE_ROWS = Math.max(...PAGE_SIZES);

interface Paging {
  readonly pagenate_count: number;
  readonly pagenate_num: number;
}

/** Returns the table of a paged call. */
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
