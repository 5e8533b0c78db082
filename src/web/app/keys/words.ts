/** The texts of the list of keys (?). */
export const KEY_MESSAGES = {
  title: 'キーボードの操作',
  groups: { everywhere: 'どの画面でも', dialog: 'ダイアログ', grid: '表', calendar: 'カレンダー' },
  everywhere: {
    palette: '会社名・人・テンプレート・画面を探す',
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
