/**
 * Texts that several features show. A feature's own texts are in its words.ts, those of the frame in app/words.ts.
 * phrases.ts has the parts from which texts are built. Labels and messages fixed by the specification are quoted from
 * it. Style: です・ます, one line, cause then remedy; a button is a verb without する.
 */

export const PRODUCT_NAME = 'Kaitaku';

export const COMMON_MESSAGES = {
  actions: {
    cancel: 'キャンセル',
    close: '閉じる',
    clearSearch: '検索をクリア',
    edit: '編集',
    export: '書き出す',
    more: 'その他の操作',
    retry: '再読み込み',
    reserve: '予約',
    save: '保存',
    see: '見る',
    send: '送信',
  },
  errors: {
    network: 'サーバーに接続できませんでした。時間をおいて、やり直してください',
    unexpected: '処理できませんでした。時間をおいて、やり直してください',
    offlineRead: 'オフラインのため、読み込めませんでした。接続を確認して、やり直してください',
    offlineWrite: 'オフラインのため、実行できませんでした。接続を確認して、やり直してください',
    screenTitle: '画面を表示できませんでした',
    screenHelp: '再読み込みしても直らない場合は、時間をおいて、やり直してください。',
    screenUnreachable: 'サーバーに接続できませんでした。接続を確認して、再読み込みしてください。',
    newVersion: '新しい版があります',
    newVersionHelp: '再読み込みすると、新しい版で続けられます。',
    loadFailed: (what?: string) => `${what === undefined ? '' : `${what}を`}読み込めませんでした`,
  },
  sessionExpired: 'ログインの有効期限が切れました。もう一度ログインしてください',
  loading: '読み込み中…',
  guide: '使い方ガイド',
  test: 'テスト',
  /** The accessible names of marks (ⓘ) and their notes. */
  infoNotes: {
    more: '説明',
    howToSet: '設定のしかた',
    serverReply: 'サーバーの応答',
  },
  serverSetting: 'このサーバーの設定が必要です',
  password: {
    show: '表示',
    hide: '隠す',
    tooLong: (max: number) => `パスワードは${max}文字までです`,
    missing: 'パスワードを入力してください',
    first: 'パスワード',
    firstAgain: 'パスワード（確認）',
    new: '新しいパスワード',
    newHelp: (min: number, max: number) => `${min}〜${max}文字。日本語や記号、空白も使えます。`,
    newAgain: '新しいパスワード（確認）',
    differ: '新規パスワードと確認用のパスワードが違います',
  },
  discarding: { title: '変更の破棄', question: '保存していない変更を破棄しますか？', discard: '破棄' },
  unsavedChanges: {
    title: '保存していない変更',
    stay: '編集を続ける',
    consequence: '入力した内容は失われます。元に戻せません。',
  },
  /** For a value that another member has saved meanwhile. */
  theirChanges: {
    title: 'ほかの人が変更しました。内容を確かめてから、保存してください',
    keptHelp: '入力した内容は残っています。',
    help: '入力した内容は残っています。相手の内容は次のとおりです。',
    load: '相手の内容を読み込む',
    overwrite: '入力した内容で上書き',
    both: '両方を残す',
    blank: '（なし）',
  },
  table: {
    sorted: { asc: '昇順', desc: '降順' },
    sortedBy: (column: string, order: string) => `${column}の${order}で並べ替えました`,
    unsorted: '並べ替えを解除しました',
  },
  charts: {
    chart: 'グラフ',
    table: '表',
    tableOf: (title: string) => `${title}の表`,
    viewsOf: (title: string) => `${title}の表示`,
  },
} as const;
