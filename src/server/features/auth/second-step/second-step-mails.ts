import { writeNotice } from '../../../platform/mail/notice.ts';
import type { SystemMail } from '../../../platform/mail/system-mail.ts';

const notice = (to: string, memberOf: number, subject: string, ...paragraphs: string[]): SystemMail =>
  writeNotice({
    to,
    reader: { memberOf },
    subject: `【Kaitaku】${subject}`,
    paragraphs: ['Kaitakuをご利用いただき、ありがとうございます。', ...paragraphs],
  });

const IF_UNKNOWN =
  'お心当たりがない場合は、ほかの方がアカウントを使っているおそれがあります。すぐにパスワードを変更し、このKaitakuの管理者にご連絡ください。';

export const secondStepOnMail = (to: string, memberOf: number): SystemMail =>
  notice(
    to,
    memberOf,
    '二段階認証がオンになりました',
    'お使いのアカウントの二段階認証がオンになりました。次のログインから、パスワードのほかに、認証アプリの数字が必要です。ほかのログインは、すべて終了しました。',
    IF_UNKNOWN,
  );

export const secondStepOffMail = (to: string, memberOf: number): SystemMail =>
  notice(
    to,
    memberOf,
    '二段階認証がオフになりました',
    'お使いのアカウントの二段階認証がオフになりました。次のログインから、パスワードだけでログインできます。',
    IF_UNKNOWN,
  );

export const secondStepRemovedMail = (to: string, memberOf: number): SystemMail =>
  notice(
    to,
    memberOf,
    '二段階認証が解除されました',
    'お使いのアカウントの二段階認証を、管理者が解除しました。すべてのログインを終了しました。次のログインのあとに、もう一度設定してください。',
    'お心当たりがない場合は、このKaitakuの管理者にご連絡ください。',
  );

export const lastCodeUsedMail = (to: string, memberOf: number): SystemMail =>
  notice(
    to,
    memberOf,
    '最後の復旧コードが使われました',
    'お使いのアカウントの最後の復旧コードが使われました。認証アプリを使えないときに備えて、復旧コードを作り直してください。',
    IF_UNKNOWN,
  );

export const codesTriedMail = (to: string, memberOf: number): SystemMail =>
  notice(
    to,
    memberOf,
    '認証コードの間違いが続いています',
    'お使いのアカウントに、正しいパスワードでログインしようとして、認証コードを間違えることが続いています。アカウントには入られていません。',
    'ご自身で間違えた場合は、スマートフォンの時刻が合っているか確かめてください。',
    'お心当たりがない場合は、ほかの方がパスワードを知っています。すぐにパスワードを変更してください。',
  );
