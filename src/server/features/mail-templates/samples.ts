import type { SAMPLE_KEYS } from '#contract/templates/mail-templates-list.ts';
import { ADDRESSEE, type Block, bodiesOf, CLOSING, FIRST_GREETING } from '../mail-content/letter-blocks.ts';
import type { TemplateContent } from './template.queries.ts';

type SampleKey = (typeof SAMPLE_KEYS)[number];

interface Sample {
  readonly key: SampleKey;
  readonly name: string;
  readonly description: string;
  readonly subject: string;
  readonly blocks: readonly Block[];
}

const SAMPLES: readonly Sample[] = [
  {
    key: 'first_greeting',
    name: '初めてのご挨拶',
    description: '取引のない会社に、初めて連絡するときの文面です。',
    subject: 'ご挨拶とお打ち合わせのお願い',
    blocks: [
      FIRST_GREETING,
      '貴社の事業を拝見し、弊社のサービスがお役に立てるのではないかと考え、ご連絡いたしました。\nまずは30分ほど、オンラインでご挨拶の機会をいただけますと幸いです。',
      { datesAfter: '次の日程でご都合のよい時間がございましたら、本メールへのご返信でお知らせください。' },
      'ご多忙のところ恐れ入りますが、ご検討のほど、よろしくお願い申し上げます。',
    ],
  },
  {
    key: 'exhibition_thanks',
    name: '展示会のお礼',
    description: '展示会で名刺を交換した会社に、お礼とともに連絡するときの文面です。',
    subject: '展示会ご来場のお礼',
    blocks: [
      'お世話になっております。\n{{ account.company }}の{{ sender.person_in_charge }}です。',
      '先日は、展示会の弊社ブースにお立ち寄りいただき、誠にありがとうございました。',
      '当日は十分にご説明できませんでしたので、あらためて貴社のご状況を伺いながら、詳しくご紹介できればと存じます。',
      { datesAfter: '次の日程でご都合のよい時間がございましたら、本メールへのご返信でお知らせください。' },
      'ご質問やご要望がございましたら、どうぞお気軽にご返信ください。\n今後とも、よろしくお願い申し上げます。',
    ],
  },
  {
    key: 'second_contact',
    name: '再度のご案内',
    description: '前に送ったメールに返信のない会社に、もう一度連絡するときの文面です。',
    subject: '先日のご案内につきまして',
    blocks: [
      '先日ご連絡いたしました、{{ account.company }}の{{ sender.person_in_charge }}です。\n重ねてのご連絡となり、失礼いたします。',
      '先日お送りしたご案内は、ご覧いただけましたでしょうか。\nご関心がございましたら、本メールに一言ご返信いただければ、あらためて詳しくご説明いたします。',
      { datesAfter: '次の日程で、オンラインでのご説明も承っております。' },
      '行き違いでご返信をいただいておりましたら、何卒ご容赦ください。\nよろしくお願い申し上げます。',
    ],
  },
  {
    key: 'send_material',
    name: '資料の送付',
    description: '資料を希望するかを尋ねるときの文面です。',
    subject: 'サービス資料のご案内',
    blocks: [
      FIRST_GREETING,
      '弊社のサービスについて、次の内容をまとめた資料をご用意しております。',
      { items: ['サービスの概要', '導入までの流れ', '費用の目安'] },
      'ご希望でしたら、本メールに「資料希望」とご返信ください。\n{{ sender.person_in_charge }}よりお送りいたします。',
      'ご検討のほど、よろしくお願い申し上げます。',
    ],
  },
];

/** The samples as the API shows them. */
export const TEMPLATE_SAMPLES = SAMPLES.map(({ blocks, ...sample }) => ({
  ...sample,
  ...bodiesOf([ADDRESSEE, ...blocks, ...CLOSING]),
}));

const RICH = { editor: 'rich', text_follows: true } as const;

/** Returns the content of a sample. */
export function sampleOf(key: SampleKey): TemplateContent {
  const sample = TEMPLATE_SAMPLES.find((known) => known.key === key);
  if (!sample) throw new Error(`no sample ${key}`);
  const { name, subject, text_body, html_body } = sample;
  return { name, subject, text_body, html_body, ...RICH };
}

/** A template that only addresses the company. The caller sets name and subject. */
export const BLANK_TEMPLATE: TemplateContent = { name: '', subject: '', ...bodiesOf([ADDRESSEE]), ...RICH };
