/** The texts of a log-in that continues on the account's own host. */
export const LEAVING_MESSAGES = {
  help: 'そのログイン画面に移動しています。移動先で、もう一度ログインしてください。',
  now: '移動中',
  link: '移動しない場合はこちら',
} as const;
