import type { ProspectView } from '#contract/prospects.ts';
import type { ProspectColumn } from '#contract/prospects-filter.ts';
import type { DeliveryRow, ListedRun } from '#contract/send-logs.ts';
import type { SuppressionRow } from '#contract/suppressions.ts';
import { SUPPRESSION_CLASS_NAMES, SUPPRESSION_SOURCE_NAMES } from '#contract/suppressions-names.ts';
import type { PublicationNotice } from '#domain/law/publication.ts';
import { DELIVERY_REASON_NAMES } from '#domain/sending/delivery-reason-names.ts';
import { causeText, FAILURE_CAUSE_TEXTS } from '#domain/sending/failure-cause-names.ts';
import type { Cell } from './export-table.ts';

/** Headings with the value of each row. */
export type Columns<Source> = readonly (readonly [heading: string, value: (row: Source) => Cell])[];

const NOTICES: Readonly<Record<PublicationNotice, string>> = { refused: '○', none: '×' };

const STATES: Readonly<Record<DeliveryRow['state'], string>> = {
  queued: '送信待ち',
  sending: '送信中',
  sent: '送信済み',
  failed: '失敗',
  unknown: '不明',
  cancelled: '取消',
};

export const RUN_COLUMNS: Columns<ListedRun> = [
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
  ['取消', ({ cancelled }) => cancelled],
  ['残り', ({ queued, sending }) => queued + sending],
  ['返信', ({ replied }) => replied],
  ['配信停止', ({ refused }) => refused],
];

export const DELIVERY_COLUMNS: Columns<DeliveryRow> = [
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

/** The first heading is one that the import of suppressions knows. */
export const SUPPRESSION_COLUMNS: Columns<SuppressionRow> = [
  ['アドレス/ドメイン', ({ kind, value }) => (kind === 'domain' ? `@${value}` : value)],
  ['理由', (row) => SUPPRESSION_CLASS_NAMES[row.class]],
  ['登録元', ({ source }) => SUPPRESSION_SOURCE_NAMES[source]],
  ['登録日時', ({ created_at }) => created_at],
  ['登録者', ({ created_by }) => created_by],
  ['会社', ({ companies }) => companies.map(({ company_name }) => company_name).join('、')],
  ['サーバーの応答', ({ reason }) => reason],
  ['メモ', ({ note }) => note],
];

/** Returns the cell of a prospect, in a form that an import reads again. */
export function prospectCell(column: ProspectColumn, row: ProspectView): Cell {
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
