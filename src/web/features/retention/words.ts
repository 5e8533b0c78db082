import { mails } from '#web/lib/phrases.ts';

/** The texts of the setting for how long mails are kept. */
export const RETENTION_MESSAGES = {
  title: '保存期間',
  help: '古い送信のメールから、不要になった宛先を消す時期を決めます。',
  months: '宛先を消す時期',
  never: '消さない',
  after: (months: number) =>
    months % 12 === 0 ? `送信が終わってから${months / 12}年` : `送信が終わってから${months}か月`,
  takenOut:
    '会社名、担当者名、メールアドレス、サーバーの応答を消します。消したものは元に戻せません。どの会社への送信かは、会社の詳細の履歴に残ります。',
  archived: (archived: number) => `宛先を消したメールは${mails(archived)}です。`,
  rules: [
    '宛先を消したメールも、送信履歴と会社の履歴に残り、CSVに書き出せます。再送信とフォローアップはできません。',
    '送信済みの判定、配信停止、返信、レポートの数は変わりません。',
    '結果のわからないメールと、返信、不達、配信停止のあるメールの宛先は消しません。',
  ],
  saved: '保存期間を変更しました',
  confirm: {
    title: '宛先を消しますか？',
    question: (after: string) => `${after}のメールから、会社名、担当者名、メールアドレスを消します。`,
    consequence: '保存すると、古いメールから順に消えはじめます。消したものは元に戻せません。',
    button: '保存して消す',
  },
  leave: '変更を破棄して移動',
  unsaved: '保存期間の変更は、まだ保存していません。',
} as const;
