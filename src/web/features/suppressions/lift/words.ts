import { SUPPRESSION_MESSAGES } from '../words.ts';

/** The texts of lifting a suppression. */
export const SUPPRESSION_LIFT_MESSAGES = {
  lift: '解除',
  /** Of an address that a server did not know: nobody has refused. */
  dead: {
    lift: SUPPRESSION_MESSAGES.lift.dead,
    title: SUPPRESSION_MESSAGES.lift.dead,
    question: (value: string) => `もう一度${value}に送れるようにしますか？`,
    done: (value: string) => `もう一度${value}に送れるようにしました`,
  },
  liftRefused: '理由を記録して解除',
  liftOf: (value: string) => `${value}を解除`,
  liftRefusedOf: (value: string) => `${value}を、理由を記録して解除`,
  title: '配信停止の解除',
  question: (value: string) => `${value}の配信停止を解除しますか？`,
  consequence:
    '次の送信から、また送れるようになります。取り消したメールは元に戻りません。解除したことは操作の記録に残ります。',
  refusedHelp: '本人の希望による配信停止です。本人から再開の依頼があったときか、登録の誤りのときだけ解除できます。',
  reason: '解除の理由（必須）',
  choose: '選んでください',
  reasons: { asked_again: '本人から再開の依頼', mistake: '登録の誤り' },
  reasonMissing: '解除の理由を選んでください',
  consentedOn: '本人が同意した日',
  note: 'メモ',
  done: (value: string) => `${value}の配信停止を解除しました`,
} as const;
