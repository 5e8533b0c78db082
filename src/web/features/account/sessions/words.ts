import { count } from '#web/lib/phrases.ts';

/** The texts of the member's log-ins on the account's screen. */
export const SESSION_MESSAGES = {
  title: 'ログイン中の端末',
  help: '心当たりのない端末があれば、終了して、パスワードを変更してください。',
  current: '今の端末',
  unknown: '不明',
  lastUsed: (time: string) => `最後の利用 ${time}`,
  loggedIn: (time: string) => `ログイン ${time}`,
  end: '終了',
  endOf: (device: string) => `${device}のログインを終了`,
  ended: (device: string) => `${device}のログインを終了しました`,
  endOthers: 'この端末以外を終了',
  ending: {
    title: 'ほかの端末のログインの終了',
    question: (sessions: number) => `ほかの${count(sessions)}のログインを終了しますか？`,
    help: 'その端末では、もう一度ログインが必要になります。二段階認証の「30日間省略」も終わります。',
    act: '終了',
    done: (sessions: number) => `${count(sessions)}のログインを終了しました`,
  },
} as const;
