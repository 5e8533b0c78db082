import type { ExportRequest } from '#contract/export.ts';
import type { ProspectView } from '#contract/prospect.ts';
import { PROSPECT_COLUMNS, type ProspectColumn } from '#contract/prospect-columns.ts';
import type { DeliveryRow } from '#contract/send-history.ts';
import type { Run } from '#contract/sending.ts';
import type { SuppressionRow } from '#contract/suppression.ts';
import { SUPPRESSION_CLASS_NAMES, SUPPRESSION_SOURCE_NAMES } from '#contract/suppression-names.ts';
import { PAGE_SIZES } from '#domain/limits.ts';
import type { PublicationNotice } from '#domain/publication.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { Refusal } from '../../platform/refusal.ts';
import { readAllProspects } from '../prospects/all-prospects.queries.ts';
import { viewSendLogs } from '../send-logs/run-list.queries.ts';
import { viewDeliveries } from '../send-logs/run-mails.queries.ts';
import { viewSuppressions } from '../suppression-list/view.queries.ts';
import type { Cell, ExportTable } from './export-table.ts';

/** Headings with the value of each row. */
type Columns<Source> = readonly (readonly [heading: string, value: (row: Source) => Cell])[];

const PROSPECT_HEADINGS: Readonly<Record<ProspectColumn, string>> = {
  active: '有効',
  sent_at: '最終送信日時',
  send_at: '予約日時',
  company_name: '会社名',
  remarks: '備考',
  company_email: '代表メール',
  ceo: '代表者',
  major_industry_type: '業種',
  included_industry_type: '内部業種',
  address: '住所',
  number_of_employees: '従業員数',
  amount_of_sales: '売上高',
  ordinary_profit: '経常利益',
  capital: '資本金',
  year_of_establishment: '設立年',
  company_url: '会社URL',
  contact_url: '問い合わせURL',
  published_at_url: '公開元URL',
  published_seen_on: '確認日',
  publication_notice: '営業お断り',
};

/** As an import reads them again. */
const NOTICES: Readonly<Record<PublicationNotice, string>> = { refused: '○', none: '×' };

const STATES: Readonly<Record<DeliveryRow['state'], string>> = {
  queued: '送信待ち',
  sending: '送信中',
  sent: '送信済み',
  failed: '失敗',
  unknown: '不明',
  cancelled: '取消',
};

const RUN_COLUMNS: Columns<Run> = [
  ['送信ログID', ({ id }) => id],
  ['送信日時', ({ sent_at }) => sent_at],
  ['件名', ({ subject }) => subject],
  ['種別', ({ test_send_mode }) => (test_send_mode === 1 ? 'テスト' : '本番')],
  ['件数', ({ targets }) => targets],
  ['送信済み', ({ sent }) => sent],
  ['失敗', ({ failed }) => failed],
  ['不明', ({ unknown }) => unknown],
  ['取消', ({ cancelled }) => cancelled],
];

const DELIVERY_COLUMNS: Columns<DeliveryRow> = [
  ['見込み客ID', ({ prospect_id }) => prospect_id],
  ['会社名', ({ company_name }) => company_name],
  ['宛先', ({ mail_to }) => mail_to],
  ['ステータス', ({ state }) => STATES[state]],
  ['終了日時', ({ finished_at }) => finished_at],
  ['回数', ({ attempts }) => attempts],
  ['理由', ({ reason }) => reason],
  ['サーバーの応答', ({ smtp_reply }) => smtp_reply],
];

/** The first heading is one that the import of suppressions knows. */
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

/** Returns the table of an export request. @param now epoch milliseconds */
export function exportTable(account: AccountDb, request: ExportRequest, now: number): ExportTable {
  switch (request.what) {
    case 'prospects':
      return prospectTable(account, request);
    case 'runs':
      return pagedTable('送信履歴', RUN_COLUMNS, (paging) => viewSendLogs(account, paging, now));
    case 'suppressions': {
      const { what: _, format: __, ...filter } = request;
      const page = (paging: Paging) => viewSuppressions(account, { ...filter, ...paging });
      return pagedTable('配信停止', SUPPRESSION_COLUMNS, page);
    }
    case 'deliveries': {
      const { send_log_id } = request;
      return pagedTable(`送信結果_${send_log_id}`, DELIVERY_COLUMNS, (paging) =>
        viewDeliveries(account, send_log_id, paging),
      );
    }
  }
}

function prospectCell(column: ProspectColumn, row: ProspectView): Cell {
  switch (column) {
    case 'active':
      return row.active === 1 ? '有効' : '無効';
    case 'published_seen_on':
      return row.published_seen_on?.replaceAll('-', '/') ?? null;
    case 'publication_notice':
      return row.publication_notice && NOTICES[row.publication_notice];
    default:
      return row[column];
  }
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
    headings: columns.map((column) => PROSPECT_HEADINGS[column]),
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

const PAGE_ROWS = Math.max(...PAGE_SIZES);

/** Returns the table of a call that answers pages. */
function pagedTable<Source>(
  title: string,
  columns: Columns<Source>,
  page: (paging: Paging) => Promise<{ rows: Source[]; total: number } | Refusal>,
): ExportTable {
  return {
    title,
    headings: columns.map(([heading]) => heading),
    read: async (take) => {
      for (let number = 1; ; number += 1) {
        const answer = await page({ pagenate_count: PAGE_ROWS, pagenate_num: number });
        if (answer instanceof Refusal) return answer;
        const rows = answer.rows.map((row) => columns.map(([, value]) => value(row)));
        const refusal = rows.length > 0 ? await take(rows, answer.total) : undefined;
        if (refusal || number * PAGE_ROWS >= answer.total) return refusal;
      }
    },
  };
}
