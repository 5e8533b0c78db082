import type { Outcome } from '../../../../platform/mail/outcome.ts';
import { MAX_BYTES, MAX_MAILS, MAX_RECIPIENTS, sendBySendGrid } from '../../../../platform/mail/sendgrid/send.ts';
import { SENDGRID_EDITOR_URL, type SendGridSettings } from '../../../../platform/mail/sendgrid/settings.ts';
import { sendGridSystemMailer } from '../../../../platform/mail/system-mail.ts';
import { Problem } from '../../../../platform/problem.ts';
import { PLACELESS, refusalPlaceOf } from '../../../mail-content/legal-footer.ts';
import type { Claim } from '../../leases/claim.ts';
import type { Mark, Transport, TransportTemplates } from '../transport.ts';
import { personalizationMaker, recipientsOf, type SendGridMail, sharedPart } from './sendgrid-mail.ts';

/** SendGrid makes the bodies from a template of its own, which is edited there. */
export const sendGridTemplates: TransportTemplates = {
  bodiesOf: ({ sendgrid_template_id: id }, ownKeys) =>
    id === null ? noSendGridTemplate() : { ...sendGridNote(id, ownKeys), sendgrid_template_id: id },
  editorUrl: (configured) => (configured ?? SENDGRID_EDITOR_URL).replaceAll('{template_id}', '{sendgrid_template_id}'),
};

const noSendGridTemplate = () =>
  new Problem(
    'no_sendgrid_template',
    'このテンプレートには、SendGridのテンプレートIDが設定されていません。このサーバーの設定が必要です。',
  );

/**
 * Makes the bodies that preview and history show for such a mail: the values that SendGrid inserts. They name all own
 * fields, so that a mail keeps the values of all from its acceptance.
 * @param templateId d- and 32 hexadecimal digits
 */
const sendGridNote = (templateId: string, ownKeys: readonly string[]) => ({
  text_body: `${noteOn(templateId)}

${FIELDS.map((field) => `${field}: {{ ${field} }}`).join('\n')}
${ownFields(ownKeys, (field) => `${field}: {{ ${field} }}\n`)}{% if sender.signature != "" %}sender.signature:
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
${ownFields(ownKeys, (field) => `<li>${field}: {{ ${field} }}</li>\n`)}{% if sender.signature != "" %}\
<li>sender.signature:<br>{{ sender.signature }}</li>{% endif %}
{% if candidate_dates != "" %}<li>candidate_dates:<br>\
{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}</li>{% endif %}
</ul>
</body>
</html>
`,
});

const noteOn = (templateId: string) =>
  `本文は、SendGridのテンプレート（${templateId}）から作られます。ここには、差し込まれる内容だけを表示しています。`;

/** Shows fields that have a value. */
const ownFields = (ownKeys: readonly string[], shownOf: (field: string) => string): string =>
  [...PERSON_FIELDS, ...ownKeys.map((key) => `custom.${key}`)]
    .map((field) => `{% if ${field} != "" %}${shownOf(field)}{% endif %}`)
    .join('');

const PERSON_FIELDS = ['person.department', 'person.title', 'person.name'];

const FIELDS = [
  'company_name',
  'person_in_charge',
  'sender.person_in_charge',
  'sender.email',
  'account.name',
  'account.company',
];

/** Sends up to 1,000 mails of a run in one request, fewer where bcc copies count towards its 1,000 recipients. */
export const sendGridTransport = (settings: SendGridSettings): Transport => ({
  ...sendGridTemplates,
  // SendGrid's automated security: two CNAMEs in each customer's domain, and its own return path.
  // It accepts 30 MB, which none of our mails reaches (docs/decisions/transports).
  watchMaxMailBytes: (listener) => listener(0),
  mailPath: { kind: 'service', name: 'SendGrid', spfInclude: 'sendgrid.net', selectors: ['s1', 's2'] },
  mostMails: MAX_MAILS,
  mailsWith: (claim) => Math.max(1, Math.floor(MAX_RECIPIENTS / recipientsOf(claim))),
  openLane() {
    // Each request has its own connection: none stays open in between.
    let request = new AbortController();
    return {
      send(claims, mark) {
        request = new AbortController();
        return send(settings, claims, mark, request.signal);
      },
      close: () => request.abort(),
    };
  },
  systemMailer: (parts) => sendGridSystemMailer(settings, parts),
});

async function send(
  settings: SendGridSettings,
  claims: readonly Claim[],
  mark: Mark,
  signal: AbortSignal,
): Promise<Outcome[]> {
  const mail = claims[0]?.mail;
  if (!mail?.sendgrid_template_id) return allOf(claims, { kind: 'unsendable', reply: NOT_FOR_SENDGRID });
  // Their bodies cannot be read here. A person confirmed the footer before the run was accepted.
  if (claims.some(({ test, mailKey }) => !test && refusalPlaceOf(mail, mailKey) === null)) {
    return allOf(claims, { kind: 'unsendable', reply: PLACELESS, isUnlawful: true });
  }
  const made = makeParts(mail as SendGridMail, claims);
  if (!Array.isArray(made)) return allOf(claims, made);
  const marked = claims.slice(0, made.length);
  let marks: boolean[] = [];
  const outcomes = await sendBySendGrid(
    settings,
    { ...sharedPart(mail as SendGridMail), personalizations: made },
    made.length,
    async () => {
      marks = await mark(marked);
      return marks.every((ours) => ours);
    },
    { signal },
  );
  // A lost claim stops the whole request. Another request sends the remaining mails.
  const results = outcomes.map((outcome, index) =>
    outcome.kind === 'claim-lost' && marks[index] ? SPLIT_OFF : outcome,
  );
  return [...results, ...allOf(claims.slice(made.length), SPLIT_OFF)];
}

/** Makes the parts of as many mails as one request can hold. @returns the outcome of all, if a template fails */
function makeParts(mail: SendGridMail, claims: readonly Claim[]): object[] | Outcome {
  try {
    const make = personalizationMaker(mail);
    const parts: object[] = [];
    let bytes = 0;
    for (const claim of claims) {
      const part = make(claim);
      bytes += Buffer.byteLength(JSON.stringify(part)) + 1;
      if (bytes > MAX_BYTES && parts.length > 0) break;
      parts.push(part);
    }
    return parts;
  } catch (error) {
    return {
      kind: 'unsendable',
      reply: `メールを作成できませんでした（${(error as Error).message.slice(0, 200)}）`,
    };
  }
}

const allOf = (claims: readonly Claim[], outcome: Outcome): Outcome[] => claims.map(() => outcome);

const SPLIT_OFF: Outcome = { kind: 'not-taken', reply: 'ほかのメールと分けて、もう一度送ります' };

const NOT_FOR_SENDGRID =
  'SMTPで送る設定のときに受け付けたため、SendGridでは送れません。もう一度、新しく送信してください。';
