import { INVITATION_DAYS, SENDER_CONFIRMATION_HOURS } from '#domain/limits.ts';
import { writeNotice } from '../../platform/mail/notice.ts';
import type { SystemMail } from '../../platform/mail/system-mail.ts';

/** Mails to members contain no text chosen by a visitor. */

/** @param opensNothing the account has switched off the member's password */
export const resetLinkMail = (to: string, memberOf: number, link: string, opensNothing: boolean): SystemMail =>
  writeNotice({
    to,
    reader: { memberOf },
    subject: '【Kaitaku】パスワードの再設定',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'お使いのアカウントのパスワードを再設定するお申し込みを受け付けました。' +
        '次のリンクを開き、新しいパスワードを設定してください。リンクを開いただけでは、何も変わりません。',
      { link },
      ...(opensNothing
        ? [
            'お使いのアカウントでは、管理者がパスワードでのログインを止めています。再設定しても、パスワードではログインできません。' +
              'ログイン画面の「会社のIDでログイン」を使ってください。',
          ]
        : []),
      'リンクの有効期限は60分で、1回だけ使えます。期限が過ぎたときは、ログイン画面の「パスワードをお忘れですか？」から、もう一度お申し込みください。' +
        '新しいメールが届くと、前のリンクは使えなくなります。設定すると、すべてのログインが終了します。',
      'お心当たりがない場合は、リンクを開かずに、このメールを削除してください。パスワードは変わりません。',
    ],
  });

export const passwordResetMail = (to: string, memberOf: number): SystemMail =>
  writeNotice({
    to,
    reader: { memberOf },
    subject: '【Kaitaku】パスワードが再設定されました',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'このメールアドレスに届いたリンクから、お使いのアカウントのパスワードが再設定されました。すべてのログインを終了しました。',
      'ご自身で設定した場合は、新しいパスワードでログインしてください。',
      'お心当たりがない場合は、ほかの方がこのメールボックスを読んでいるおそれがあります。' +
        'メールボックスのパスワードを変更し、このKaitakuの管理者にご連絡ください。管理者がパスワードを設定し直すと、すべてのログインが終了します。',
    ],
  });

/*
 * Mails to an unproven address contain no text chosen by the caller, not even a name, a company or an account's
 * address: a stranger could send any words to anybody.
 */

export const confirmationMail = (to: string, link: string): SystemMail =>
  writeNotice({
    to,
    reader: 'anybody',
    subject: '【Kaitaku】メールアドレスの確認',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'アカウントのメールアドレスをこのアドレスに変更するお申し込みを受け付けました。Kaitakuにログインしているブラウザーで次のリンクを開くと、変更が完了します。',
      { link },
      'リンクの有効期限は60分で、1回だけ使えます。期限が過ぎたときは、アカウントの画面からもう一度お申し込みください。変更が完了すると、すべてのログインが終了します。新しいメールアドレスでログインし直してください。',
      'お心当たりがない場合は、リンクを開かずに、このメールを削除してください。何も変更されません。',
    ],
  });

/** Replaces the confirmation if a member already has the address: only its owner learns that. */
export const addressInUseMail = (to: string): SystemMail =>
  writeNotice({
    to,
    reader: 'anybody',
    subject: '【Kaitaku】メールアドレスの変更について',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'ほかのアカウントから、メールアドレスをこのアドレスに変更するお申し込みがありました。このアドレスはすでにお使いのアカウントに登録されているため、変更できません。',
      'ご自身でお申し込みになった場合は、別のメールアドレスで、もう一度お申し込みください。',
      'お心当たりがない場合は、何もする必要はありません。お使いのアカウントは変更されていません。',
    ],
  });

/** The member who requested a confirmation. */
interface Asker {
  readonly name: string;
  readonly email: string;
  readonly company: string;
}

/**
 * The mail to the owner of a sender's address. It names the requester, because the owner may be another person.
 * The names are the only words that a member can choose.
 */
export const senderConfirmationMail = (to: string, { name, email, company }: Asker, link: string): SystemMail =>
  writeNotice({
    to,
    reader: 'owner of a sender',
    subject: '【Kaitaku】差出人のメールアドレスの確認',
    paragraphs: [
      `このアドレスを差出人として使うための確認です。${withoutLinks(company)}の${withoutLinks(name)}さん（${email}）が、Kaitakuで申し込みました。`,
      'このアドレスを差出人とするメールの送信に同意する場合は、次のリンクを開き、画面の「このアドレスを確認」を押してください。リンクを開いただけでは、何も変わりません。',
      { link },
      `リンクの有効期限は${SENDER_CONFIRMATION_HOURS}時間で、1回だけ使えます。期限が過ぎたときは、画面の「もう一度送る」を押してください。`,
      'お心当たりがない場合は、リンクを開かずに、このメールを削除してください。確認されるまで、このアドレスを差出人とするメールが会社に送られることはありません。',
    ],
  });

/** Who invites, and to which account. */
export type Inviter = Pick<Asker, 'name' | 'company'>;

/** The mail that invites a person. It names who invites: the person knows no more of the sender of the mail. */
export const invitationMail = (to: string, { name, company }: Inviter, link: string): SystemMail =>
  writeNotice({
    to,
    reader: 'anybody',
    subject: invitationSubject(company),
    paragraphs: [
      `${shown(name)}さんが、あなたを${shown(company)}のKaitakuに招待しました。${INVITATION_DAYS}日以内に次のリンクを開き、パスワードを設定してください。`,
      { link },
      'リンクは1回だけ使えます。期限が過ぎたときは、招待した方に、もう一度招待を送るよう依頼してください。リンクを開いただけでは、何も変わりません。',
      'お心当たりがない場合は、リンクを開かずに、このメールを削除してください。',
    ],
  });

/** Replaces the invitation of an address that another account's member has: only its owner learns that. */
export const invitedElsewhereMail = (to: string, { name, company }: Inviter): SystemMail =>
  writeNotice({
    to,
    reader: 'anybody',
    subject: invitationSubject(company),
    paragraphs: [
      `${shown(name)}さんが、あなたを${shown(company)}のKaitakuに招待しました。`,
      'このメールアドレスは、すでにKaitakuの別のアカウントで使われています。招待を受けるには、招待した方に別のメールアドレスを伝えてください。',
      'お心当たりがない場合は、何もする必要はありません。お使いのアカウントは変更されていません。',
    ],
  });

const MAX_SHOWN_NAME = 40;
/** A name in a mail to an unproven address: no link, and not long enough for a message. */
const shown = (name: string): string => withoutLinks([...name].slice(0, MAX_SHOWN_NAME).join(''));
const invitationSubject = (company: string) => `【Kaitaku】${shown(company)}からの招待`;

/** Widens characters that would make mail programs turn a name into a link. */
const withoutLinks = (name: string): string =>
  name.replace(/[./:@]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));
