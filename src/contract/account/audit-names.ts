import { MAX_AUDIT_DAYS } from '#domain/limits.ts';
import { addDays } from '#domain/time/calendar.ts';

/** The groups of audited acts, as the filter 種類 lists them. Each kind of event has one (features/audit). */
export const AUDIT_GROUP_NAMES = {
  log_in: 'ログイン',
  members: 'メンバー',
  sending: '送信',
  reservations: '予約',
  companies: '会社・取り込み',
  answers: '返信・配信停止',
  templates: 'テンプレート',
  senders: '送信者',
  rules: '法定表示・送信ルール',
  data: '書き出し・個人情報',
  account: 'アカウント・通知',
  operator: 'サーバーの管理者の操作',
} as const;
export type AuditGroup = keyof typeof AUDIT_GROUP_NAMES;

/** What an event can be about, as migration 0027 finds it in the event's details. */
export const AUDIT_SUBJECTS = [
  'run',
  'reservation',
  'company',
  'mail',
  'reply',
  'template',
  'sender',
  'person',
  'group',
  'member',
  'invitation',
  'import',
  'folder',
  'condition',
  'closing_day',
  'suppression',
] as const;
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

/** Returns what is wrong with the days of a period, for its last day. */
export function periodFault({
  from = '',
  to = '',
}: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): string | undefined {
  if (from === '' || to === '') return undefined;
  if (to < from) return '終了日は、開始日以降の日にしてください';
  return to > addDays(from, MAX_AUDIT_DAYS - 1) ? `期間は${MAX_AUDIT_DAYS}日以内にしてください` : undefined;
}
