/** The texts of the page that an invitation's link opens, for visitors. */
export const INVITATION_MESSAGES = {
  title: (company: string) => `${company}からの招待`,
  untitled: 'Kaitakuへの招待',
  help: (inviter: string, role: string, email: string) =>
    `${inviter}さんが、あなたを「${role}」として招待しました。ログインには ${email} を使います。`,
  name: '氏名',
  nameMissing: '氏名を入力してください',
  submit: 'はじめる',
  done: 'メンバーになりました。ログインしてください',
  checking: 'リンクを確認しています…',
  again: 'もう一度確認',
  dead: 'このリンクは使えません。招待した方に、もう一度招待を送るよう依頼してください',
  reopen: 'このページは、招待のメールのリンクから開きます。メールのリンクを、もう一度開いてください',
  toLogin: 'ログイン画面に戻る',
} as const;
