import { ADDRESSEE, bodiesOf, CLOSING, FIRST_GREETING } from '../mail-content/letter-blocks.ts';
import type { WantedField } from '../own-fields/ensure.command.ts';
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

/** The own fields of the demo. They stand before its cards are imported, so that the cards' headings find them. */
export const DEMO_FIELDS: readonly WantedField[] = [
  { label: '関心のある製品', type: 'text', key: 'interest' },
  { label: '見込み', type: 'choice', key: 'chance' },
  { label: '次に連絡する日', type: 'date', key: 'next_contact' },
];

/** Cards of people of seven companies of the demo, with the account's own fields and tags. */
export const DEMO_CARDS = {
  fileName: '秋の展示会の名刺.csv',
  text: `会社名,住所,氏名,部署,役職,担当者メール,名刺交換日,関心のある製品,見込み,次に連絡する日,タグ
株式会社ノヴァ金属,福島県郡山市駅前2-17-6,大野 恵一,購買部,部長,ohno@nova-kinzoku.example,2026/10/15,架空オーダー,高,2027/01/15,展示会で名刺交換、資料送付済み
株式会社ノヴァ金属,福島県郡山市駅前2-17-6,吉川 千尋,情報システム部,課長,yoshikawa@nova-kinzoku.example,2026/10/15,架空オーダー,高,2027/01/15,展示会で名刺交換
合同会社クレスト精機,東京都墨田区東駒形1-3-10,小池 一馬,資材課,,koike@crest-seiki.example,2026/10/15,架空オーダー,中,,展示会で名刺交換
株式会社みらいエステート,東京都千代田区岩本町1-7-29,丸山 玲奈,人事総務部,マネージャー,maruyama@mirai-estate.example,2026/10/16,架空リクルート,中,2027/02/01,セミナーに参加
株式会社富士見製作所,東京都渋谷区笹塚4-5-21,宮崎 亮介,生産管理部,課長,miyazaki@fujimi-seisakusho.example,2026/10/16,架空オーダー,低,,展示会で名刺交換
株式会社富士見製作所,東京都渋谷区笹塚4-5-21,片山 由紀,購買部,主任,katayama@fujimi-seisakusho.example,2026/10/16,架空オーダー,低,,展示会で名刺交換
株式会社東和金属,福島県郡山市駅前3-3-4,浜田 孝,,取締役,,2026/10/16,,,,展示会で名刺交換
光陽製作所株式会社,岡山県岡山市北区駅元町3-1-26,須藤 沙織,総務部,部長,sudo@koyo-seisakusho.example,2026/11/05,架空リクルート,高,2026/12/14,セミナーに参加、資料送付済み
合同会社すみれ製作所,宮城県仙台市青葉区本町3-9-22,秋山 拓,購買部,,akiyama@sumire-seisakusho.example,2026/11/05,架空オーダー,中,,セミナーに参加
`,
} as const;
