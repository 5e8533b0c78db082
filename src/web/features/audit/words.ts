import { AUDIT_GROUP_NAMES } from '#contract/account/audit-names.ts';
import { AUDIT_YEARS, MAX_AUDIT_ROWS } from '#domain/limits.ts';
import { count } from '#web/lib/phrases.ts';

/** The texts of 設定 › 操作履歴. The server writes what each row says. */
export const AUDIT_MESSAGES = {
  title: '操作履歴',
  help: `だれが、いつ、何をしたかの記録です。この記録は変更できません。${AUDIT_YEARS}年間保存します。`,
  columns: { at: '日時', who: '人', text: '操作', subject: '対象' },
  member: '人',
  kind: '種類',
  kinds: AUDIT_GROUP_NAMES,
  period: '期間',
  periods: {
    days: '過去30日',
    today: '今日',
    month: '今月',
    last_month: '先月',
    year: '過去1年',
    custom: '期間を指定',
  },
  from: '開始日',
  to: '終了日',
  all: 'すべて',
  stopped: (name: string) => `${name}（利用停止）`,
  moreHelp: `新しいものから${count(MAX_AUDIT_ROWS)}を表示しています。期間を短くするか書き出すと、それより前の操作も見られます。`,
  none: 'この期間の操作はありません',
  noMatch: '条件に合う操作がありません',
  clear: '条件をクリア',
  adminsOnly: '操作履歴は、管理者だけが見られます',
  adminsOnlyHelp: '必要なときは、管理者に依頼してください。',
  toMembers: 'メンバーを見る',
} as const;
