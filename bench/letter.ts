import type { NewSender } from '#server/features/senders/sender-group.command.ts';

/**
 * The letter of the benches and of the relay tests: HTML written by hand, with a text of its own. It is the one that
 * earlier figures were measured with, so that figures stay comparable when the demo's letters change.
 */

const OFFER =
  'もしご興味をお持ちいただけましたら、下記の日程でオンラインにて30分ほどお時間をいただけませんでしょうか。';
const RULE = '-'.repeat(60);

const asText = (paragraphs: readonly string[], signature: readonly string[]) => `{{ company_name }}
{{ person_in_charge }}

突然のご連絡を失礼いたします。
{{ account.company }}の{{ sender.person_in_charge }}と申します。

${paragraphs.join('\n\n')}
{% if candidate_dates != "" %}
${OFFER}

{{ candidate_dates }}
{% endif %}
何卒よろしくお願い申し上げます。

${RULE}
${signature.join('\n')}
${RULE}

{{ legal_footer }}
`;

const SMALL = 'font-size:13px;color:#444';

const asHtml = (paragraphs: readonly string[], signature: readonly string[]) => `<!doctype html>
<html lang="ja">
<body style="margin:0;padding:24px;font-family:sans-serif;font-size:15px;line-height:1.8;color:#222">
<p>{{ company_name }}<br>{{ person_in_charge }}</p>
<p>突然のご連絡を失礼いたします。<br>{{ account.company }}の{{ sender.person_in_charge }}と申します。</p>
${paragraphs.map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`).join('\n')}
{% if candidate_dates != "" %}
<p>${OFFER}</p>
<p>{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}</p>
{% endif %}
<p>何卒よろしくお願い申し上げます。</p>
<hr style="border:0;border-top:1px solid #ccc">
<p style="${SMALL}">${signature.join('<br>')}</p>
{{ legal_footer }}
</body>
</html>
`;

/**
 * Writes a letter in plain text and HTML.
 * @param paragraphs plain text; a line break inside one is kept
 * @param signature lines between the person's name and the mail address
 */
function writeLetter(name: string, paragraphs: readonly string[], signature: readonly string[]): NewSender['template'] {
  const lines = ['{{ account.company }}', '{{ sender.person_in_charge }}', ...signature, 'メール: {{ sender.email }}'];
  return { name, text_body: asText(paragraphs, lines), html_body: asHtml(paragraphs, lines) };
}

const ADDRESS = '〒100-0000 東京都千代田区架空町1-2-3';

export const LETTER: NewSender = {
  subject: '受発注業務の効率化のご提案',
  person_in_charge: '田中 直樹',
  email: 'tanaka@kaitaku-demo.example',
  template: writeLetter(
    '業務改善のご提案',
    [
      '弊社では、電話やFAXでの受発注をまとめてデジタル化するサービス「架空オーダー」を提供しております。',
      '同じ業種のお客様では、入力作業が月40時間ほど減り、注文の写し間違いもなくなりました。\n貴社の業務にもお役立ていただけるのではないかと考え、ご連絡を差し上げた次第です。',
    ],
    [ADDRESS],
  ),
};
