import { SENDGRID_EDITOR_URL } from '../../../../platform/mail/sendgrid/settings.ts';
import { Problem } from '../../../../platform/problem.ts';
import type { TransportTemplates } from '../transport.ts';

/** SendGrid makes the bodies from a template of its own, which is edited there. */
export const sendGridTemplates: TransportTemplates = {
  bodiesOf: ({ sendgrid_template_id: id }) =>
    id === null ? noSendGridTemplate() : { ...sendGridNote(id), sendgrid_template_id: id },
  editorUrl: (configured) => (configured ?? SENDGRID_EDITOR_URL).replaceAll('{template_id}', '{sendgrid_template_id}'),
};

const noSendGridTemplate = () =>
  new Problem(
    400,
    'no_sendgrid_template',
    'このテンプレートには、SendGridのテンプレートIDが設定されていません。このサーバーの設定が必要です。',
  );

/**
 * Makes the bodies that preview and history show for such a mail: the values that SendGrid fills in.
 * @param templateId d- and 32 hexadecimal digits
 */
const sendGridNote = (templateId: string) => ({
  text_body: `${noteOn(templateId)}

${FIELDS.map((field) => `${field}: {{ ${field} }}`).join('\n')}
{% if sender.signature != "" %}sender.signature:
{{ sender.signature }}
{% endif %}{% if candidate_dates != "" %}candidate_dates:
{{ candidate_dates }}
{% endif %}`,
  html_body: `<!doctype html>
<html lang="ja">
<body style="margin:0;padding:24px;font-family:sans-serif;font-size:15px;line-height:1.8;color:#222">
<p>${noteOn(templateId)}</p>
<ul>
${FIELDS.map((field) => `<li>${field}: {{ ${field} }}</li>`).join('\n')}
{% if sender.signature != "" %}<li>sender.signature:<br>{{ sender.signature }}</li>{% endif %}
{% if candidate_dates != "" %}<li>candidate_dates:<br>\
{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}</li>{% endif %}
</ul>
</body>
</html>
`,
});

const noteOn = (templateId: string) =>
  `本文は、SendGridのテンプレート（${templateId}）から作られます。ここには、差し込まれる内容だけを表示しています。`;

const FIELDS = [
  'company_name',
  'person_in_charge',
  'sender.person_in_charge',
  'sender.email',
  'account.name',
  'account.company',
];
