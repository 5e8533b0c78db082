/**
 * What people see of a mail that goes through SendGrid, in the preview and in the history: SendGrid makes the bodies from a template of
 * its own, so that we can tell what it is filled with, and no more. A template of ours like any other.
 * @param templateId d- and 32 hexadecimal digits
 */
export const sendGridNote = (templateId: string) => ({
  text_body: `${noteOn(templateId)}

${FIELDS.map((field) => `${field}: {{ ${field} }}`).join('\n')}
{% if candidate_dates != "" %}candidate_dates:
{{ candidate_dates }}
{% endif %}`,
  html_body: `<!doctype html>
<html lang="ja">
<body style="margin:0;padding:24px;font-family:sans-serif;font-size:15px;line-height:1.8;color:#222">
<p>${noteOn(templateId)}</p>
<ul>
${FIELDS.map((field) => `<li>${field}: {{ ${field} }}</li>`).join('\n')}
{% if candidate_dates != "" %}<li>candidate_dates:<br>{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}</li>{% endif %}
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
