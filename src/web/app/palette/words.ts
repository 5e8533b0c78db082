import { count } from '#web/lib/phrases.ts';

/** The texts of the palette (Ctrl+K). */
export const PALETTE_MESSAGES = {
  title: '検索',
  find: '会社名・テンプレート・画面を探す',
  groups: { screens: '画面', templates: 'テンプレート', companies: '会社' },
  tabs: {
    reservations: '予約リスト',
    attackList: 'アタックリスト',
    newImport: 'CSVの取り込み',
    imports: '取り込みの履歴',
  },
  none: '見つかりません',
  allCompanies: (matches: number) => `見込み客リストで${count(matches)}を見る`,
  help: '↑↓で選び、Enterで開きます。',
} as const;
