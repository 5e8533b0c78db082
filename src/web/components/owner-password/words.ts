/** The texts of the field that proves who uses a session. */
export const OWNER_PASSWORD_MESSAGES = {
  label: '現在のパスワード',
  help: 'ログインから15分が過ぎているため、ご本人であることを確かめます。',
  confirm: '確かめて変更',
} as const;
