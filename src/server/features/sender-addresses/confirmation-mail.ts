import { SENDER_CONFIRMATION_HOURS } from '#domain/limits.ts';
import { writeNotice } from '../../platform/mail/notice.ts';
import type { SystemMail } from '../../platform/mail/system-mail.ts';

/** The member who asked for a confirmation. */
export interface Asker {
  readonly name: string;
  readonly email: string;
  readonly company: string;
}

/**
 * The mail to the owner of a sender's address. It names who asked, because the owner may be somebody else.
 * Names are the only words of it that a member chooses.
 */
export const senderConfirmationMail = (to: string, { name, email, company }: Asker, link: string): SystemMail =>
  writeNotice({
    to,
    reader: 'owner of a sender',
    subject: '【Kaitaku】差出人のメールアドレスの確認',
    paragraphs: [
      `${withoutLinks(company)}の${withoutLinks(name)}さん（${email}）が、このメールアドレスを、Kaitakuから送るメールの差出人として登録しました。`,
      'このアドレスを差出人とするメールの送信に同意する場合は、次のリンクを開き、画面の「このアドレスを確認」を押してください。リンクを開いただけでは、何も変わりません。',
      { link },
      `リンクの有効期限は${SENDER_CONFIRMATION_HOURS}時間で、1回だけ使えます。期限が過ぎたときは、登録した方に、確認メールをもう一度送るよう依頼してください。`,
      'お心当たりがない場合は、リンクを開かずに、このメールを削除してください。確認されるまで、このアドレスを差出人とするメールが会社に送られることはありません。',
    ],
  });

/** Widens the characters that would make mail programs turn a name into a link. */
const withoutLinks = (name: string): string =>
  name.replace(/[./:@]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));
