import { ADDRESSEE, bodiesOf, CLOSING, FIRST_GREETING } from '../mail-content/letter-blocks.ts';
import type { Letter, NewSender, NewSenderGroup } from '../senders/sender-group.command.ts';

/**
 * The senders of the demo account. The first start inserts them with the prospects of examples/prospects.csv.
 * All mail addresses use a reserved domain (RFC 2606).
 */

const OFFER =
  'もしご興味をお持ちいただけましたら、下記の日程でオンラインにて30分ほどお時間をいただけませんでしょうか。';

/** Writes a letter of the demo as the simple editor does, so that opening it there loses nothing. */
const writeLetter = (name: string, paragraphs: readonly string[]): Letter => ({
  name,
  ...bodiesOf([
    ADDRESSEE,
    FIRST_GREETING,
    ...paragraphs,
    { datesAfter: OFFER },
    '何卒よろしくお願い申し上げます。',
    ...CLOSING,
  ]),
  editor: 'rich',
  text_follows: true,
});

/** The lines at the end of a person's letters. */
const signatureOf = (name: string, email: string) =>
  `株式会社架空商事
${name}
〒100-0000 東京都千代田区架空町1-2-3
メール: ${email}`;

const sender = (
  [person_in_charge, email]: readonly [string, string],
  name: string,
  subject: string,
  paragraphs: readonly string[],
): NewSender => ({
  subject,
  person_in_charge,
  email,
  signature: signatureOf(person_in_charge, email),
  template: writeLetter(name, paragraphs),
});

const TANAKA = ['田中 直樹', 'tanaka@kaitaku-demo.example'] as const;
const SUZUKI = ['鈴木 彩', 'suzuki@kaitaku-demo.example'] as const;

/** Invented texts. The addresses belong to nobody, and the demo's mails never leave the machine. */
const LEGAL = {
  official_name: '株式会社架空商事',
  postal_code: '100-0000',
  postal_address: '東京都千代田区架空町1-2-3',
  contact_phone: '03-0000-0000',
  contact_email: 'info@kaitaku-demo.example',
  refusal_email: 'stop@kaitaku-demo.example',
} as const;
const legal = (department: string) => ({ legal: { ...LEGAL, department }, legalConfirmedAt: new Date() });

export const DEMO_GROUPS: readonly NewSenderGroup[] = [
  {
    group_name: '首都圏営業部',
    ...legal('首都圏営業部'),
    senders: [
      sender(TANAKA, '業務改善のご提案', '受発注業務の効率化のご提案', [
        '弊社では、電話やFAXでの受発注をまとめてデジタル化するサービス「架空オーダー」を提供しております。',
        '同じ業種のお客様では、入力作業が月40時間ほど減り、注文の写し間違いもなくなりました。\n貴社の業務にもお役立ていただけるのではないかと考え、ご連絡を差し上げた次第です。',
      ]),
      sender(SUZUKI, 'セミナーのご案内', '【無料】人手不足に備える業務の見直しセミナーのご案内', [
        'このたび、製造業・卸売業の皆様に向けて、人手不足に備える業務の見直しをテーマにしたオンラインセミナーを開催いたします。',
        '実際に取り組まれた企業の担当者様をお招きし、つまずいた点まで率直にお話しいただきます。参加費は無料です。',
      ]),
    ],
  },
  {
    group_name: '西日本営業部',
    ...legal('西日本営業部'),
    senders: [
      sender(TANAKA, '採用支援のご提案', '中途採用の応募数を増やすご提案', [
        '弊社では、地域の求職者に絞って求人を届ける採用支援サービス「架空リクルート」を提供しております。',
        '掲載だけで終わらせず、応募者との日程調整まで代行いたしますので、ご担当者様のお手間はほとんど増えません。',
      ]),
      sender(SUZUKI, '資料送付のお伺い', '経費精算の電子化に関する資料のご送付について', [
        '電子帳簿保存法への対応とあわせて、経費精算を電子化された企業の事例を小冊子にまとめました。',
        'ご希望でしたらお送りいたしますので、本メールにご返信いただけますと幸いです。',
      ]),
    ],
  },
];
