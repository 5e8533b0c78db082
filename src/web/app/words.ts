/** The texts of the frame around all screens: header, navigation, tabs, log-out, unknown addresses. */
export const APP_MESSAGES = {
  shell: {
    skip: '本文へ移動',
    offline: 'オフラインです。接続が戻るまで、保存や送信はできません。',
    nav: {
      label: '画面の切り替え',
      more: 'その他',
      prospects: '見込み客',
      sends: '送信履歴',
    },
    account: 'アカウント',
    menuOf: (name: string) => `${name}のメニュー`,
    logIn: 'ログイン',
    logOut: 'ログアウト',
    copyright: (holder: string) => `© 2022 ${holder}`,
  },
  loggedOut: 'ログアウトしました',
  loggingOut: { question: '変更を破棄してログアウトしますか？', leave: '破棄してログアウト' },
  notFound: {
    title: 'ページが見つかりません',
    help: 'アドレスが間違っているか、ページが移動した可能性があります。',
    home: 'アタックリストへ戻る',
  },
  tabs: 'リストの切り替え',
} as const;
