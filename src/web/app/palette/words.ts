import { companies, count } from '#web/lib/phrases.ts';
import { APP_MESSAGES } from '../words.ts';

/** The texts of the palette (Ctrl+K). */
export const PALETTE_MESSAGES = {
  title: APP_MESSAGES.shell.search,
  find: '会社名・人・テンプレート・画面を探す',
  groups: { acts: '操作', screens: '画面', templates: 'テンプレート', companies: '会社', people: '相手の人' },
  tabs: {
    reservations: '予約リスト',
    attackList: 'アタックリスト',
    imports: '取り込みの履歴',
  },
  senders: { title: 'テンプレートの検索', find: 'テンプレート・件名・差出人を探す' },
  moreHelp: (others: number) => `ほかに${count(others)}あります。さらに入力すると、絞り込めます。`,
  none: '見つかりません',
  allCompanies: (matches: number) => `見込み客リストで${companies(matches)}を見る`,
  help: '↑↓で選び、Enterで開きます。',
} as const;
