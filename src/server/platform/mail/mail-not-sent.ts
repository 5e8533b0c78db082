import { Problem } from '../problem.ts';
import type { SystemOutcome } from './system-mail.ts';

/** Returns whether no mail server has accepted the mail, so that it does not count. */
export const wasNotTaken = ({ kind }: SystemOutcome): boolean =>
  ['transport', 'dropped', 'sender-refused', 'limited', 'crowded', 'no-sender'].includes(kind);

/** Refuses a call whose confirmation mail was not sent. */
export const confirmationNotSent = ({ kind }: SystemOutcome): Problem =>
  kind === 'no-sender'
    ? new Problem(
        503,
        'no_system_sender',
        'このサーバーの設定が必要です。確認メールの差出人が決まっていないため、送信できませんでした。',
      )
    : new Problem(
        503,
        'mail_not_sent',
        '確認メールを送信できませんでした。メールアドレスに間違いがないか確かめて、しばらくしてからもう一度お試しください。',
        60,
      );
