/** What the dialog of companies that an attack list leaves out says, under the rules of WORDS (words.ts). */
export const LEFT_OUT_WORDS = {
  title: (reason: string) => `対象外の見込み客（${reason}）`,
  company: '会社名',
  email: '代表メール',
  person: '担当者',
  none: 'この理由の見込み客は、もうありません',
  help: {
    inactive: '見込み客リストの「有効」をオンにすると、送信対象になります。',
    no_email: 'メールアドレスが登録されると、送信対象になります。',
    suppressed: '配信停止の登録があるため、送信しません。',
    reserved: '予約リストで予約を削除すると、送信対象になります。',
    open_delivery: '送信待ち、送信中、または届いたかどうかわからないメールがあるため、送信しません。',
    recently_sent:
      '最後の送信から再送信間隔（日）が過ぎると、送信対象になります。同じメールアドレスのほかの見込み客に送った場合も含みます。',
  },
} as const;
