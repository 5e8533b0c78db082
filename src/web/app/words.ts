import { companies, count } from '#web/lib/phrases.ts';

/** The texts of the frame around all screens: header, navigation, tabs, log-out, unknown addresses. */
export const APP_MESSAGES = {
  shell: {
    skip: '本文へ移動',
    offline: 'オフラインです。接続が戻るまで、保存や送信はできません。',
    nav: {
      label: '画面の切り替え',
      more: 'その他',
      prospects: '見込み客',
      reservations: '予約',
      pending: (reservations: number) => `（予約中${count(reservations)}）`,
      sends: '送信履歴',
      reports: 'レポート',
      templates: 'テンプレート',
      suppressions: '配信停止',
      settings: '設定',
    },
    strips: {
      catcher: 'メールはこのマシンから出ません（メールキャッチャー）',
      stopped: (cause: string) => `送信を止めています：${cause}`,
      findCause: '原因を確認',
      incomplete: (groups: readonly string[]) =>
        `${groups.map((group) => `「${group}」`).join('')}の法定表示が未入力のため、まだ会社には送れません`,
      completeIt: '法定表示を入力',
      unconfirmed: (groups: readonly string[]) =>
        `${groups.map((group) => `「${group}」`).join('')}の法定表示の確認が済んでいないため、まだ会社には送れません`,
      confirmIt: '法定表示を確認',
    },
    account: 'アカウント',
    menuOf: (name: string) => `${name}のメニュー`,
    logIn: 'ログイン',
    logOut: 'ログアウト',
    copyright: (holder: string) => `© 2022 ${holder}`,
  },
  loggedOut: 'ログアウトしました',
  loggingOut: { question: '変更を破棄してログアウトしますか？', leave: '破棄してログアウト' },
  moving: {
    title: 'データの移行中',
    help: 'データを移行しています。しばらくしてから、もう一度開いてください。',
    again: 'もう一度開く',
  },
  notFound: {
    title: 'ページが見つかりません',
    help: 'アドレスが間違っているか、ページが移動した可能性があります。',
    home: '見込み客へ戻る',
  },
  settings: {
    title: '設定',
    groups: '送信者グループ',
    legal: '法定表示',
    rules: '送信ルール',
    domains: 'ドメイン・受信',
    notices: '通知',
    personalData: '個人情報・保存期間',
    headings: { sending: '送信', people: '自分', data: 'データ' },
    state: '送信の準備',
    states: { good: '準備完了', bad: '要対応', unknown: '未確認' },
    senders: '差出人',
    domainState: 'ドメイン',
  },
  tabs: 'リストの切り替え',
  moreTools: '会社を増やす',
  addCompany: '会社を追加',
  importCompanies: 'CSVを取り込む',
} as const;

/** The texts of the list of keys (?). */
export const KEY_MESSAGES = {
  title: 'キーボードの操作',
  groups: { everywhere: 'どの画面でも', dialog: 'ダイアログ', grid: '表', calendar: 'カレンダー' },
  everywhere: {
    palette: '会社名・テンプレート・画面を探す',
    save: '入力中の内容を保存',
    edit: '表示中の会社を編集',
    list: 'この一覧を表示',
    tab: '次の項目へ移動（表は1つの項目）',
  },
  confirm: '主なボタンを押す',
  close: '閉じる',
  grid: {
    rows: '上下の行へ移動',
    cells: '左右のセルへ移動',
    toggle: 'オンとオフの切り替え',
    open: 'リンクやボタンを開く',
    ends: '行の先頭・末尾へ移動',
    corners: '表の先頭・末尾へ移動',
    pages: '1画面分の行を移動',
  },
  calendar: {
    days: '日を移動',
    months: '前の月・次の月へ移動',
    today: '今日へ移動',
    open: '日の予約へ移動、予約を開く',
    move: '予約を別の日に移す',
  },
} as const;

/** The texts of the palette (Ctrl+K). */
export const PALETTE_MESSAGES = {
  title: '検索',
  find: '会社名・テンプレート・画面を探す',
  groups: { acts: '操作', screens: '画面', templates: 'テンプレート', companies: '会社' },
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
