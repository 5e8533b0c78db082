/** What the first start fills an empty database with, besides examples/prospects.csv. All addresses are reserved ones (RFC 2606). */

const TEXT_OPENING = `{{ company_name }}
{{ person_in_charge }}

突然のご連絡を失礼いたします。
{{ account.company }}の{{ sender.person_in_charge }}と申します。`;

const TEXT_CANDIDATES = `{% if candidate_dates != "" %}
もしご興味をお持ちいただけましたら、下記の日程でオンラインにて30分ほどお時間をいただけませんでしょうか。

{{ candidate_dates }}
{% endif %}`;

const TEXT_SIGNATURE = `------------------------------------------------------------
{{ account.company }}
{{ sender.person_in_charge }}
〒100-0000 東京都千代田区架空町1-2-3
メール: {{ sender.email }}
------------------------------------------------------------
今後のご案内が不要な場合は、お手数ですが本メールに「配信停止」とご返信ください。`;

const page = (body: string) => `<!doctype html>
<html lang="ja">
<body style="margin:0;padding:24px;font-family:sans-serif;font-size:15px;line-height:1.8;color:#222">
<p>{{ company_name }}<br>{{ person_in_charge }}</p>
<p>突然のご連絡を失礼いたします。<br>{{ account.company }}の{{ sender.person_in_charge }}と申します。</p>
${body}
{% if candidate_dates != "" %}
<p>もしご興味をお持ちいただけましたら、下記の日程でオンラインにて30分ほどお時間をいただけませんでしょうか。</p>
<p>{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}</p>
{% endif %}
<p>何卒よろしくお願い申し上げます。</p>
<hr style="border:0;border-top:1px solid #ccc">
<p style="font-size:13px;color:#444">{{ account.company }}<br>{{ sender.person_in_charge }}<br>〒100-0000 東京都千代田区架空町1-2-3<br>メール: {{ sender.email }}</p>
<p style="font-size:13px;color:#444">今後のご案内が不要な場合は、お手数ですが本メールに「配信停止」とご返信ください。</p>
</body>
</html>
`;

const text = (body: string) => `${TEXT_OPENING}

${body}
${TEXT_CANDIDATES}
何卒よろしくお願い申し上げます。

${TEXT_SIGNATURE}
`;

interface DemoSender {
  readonly subject: string;
  readonly person_in_charge: string;
  readonly email: string;
  readonly template: { readonly name: string; readonly text_body: string; readonly html_body: string };
}

const sender = (
  [person_in_charge, email]: readonly [string, string],
  name: string,
  subject: string,
  paragraphs: readonly string[],
): DemoSender => ({
  subject,
  person_in_charge,
  email,
  template: {
    name,
    text_body: text(paragraphs.join('\n\n')),
    html_body: page(paragraphs.map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`).join('\n')),
  },
});

const TANAKA = ['田中 直樹', 'tanaka@kaitaku-demo.example'] as const;
const SUZUKI = ['鈴木 彩', 'suzuki@kaitaku-demo.example'] as const;

export const DEMO_GROUPS: readonly { readonly group_name: string; readonly senders: readonly DemoSender[] }[] = [
  {
    group_name: '首都圏営業部',
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
