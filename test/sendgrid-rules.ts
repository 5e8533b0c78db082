/** The part of a request to /v3/mail/send that the program uses. */
export interface SentMail {
  readonly from: { readonly email: string; readonly name?: string };
  readonly subject?: string;
  readonly template_id?: string;
  readonly content?: readonly { readonly type: string; readonly value: string }[];
  readonly personalizations: readonly Personalization[];
  readonly tracking_settings?: { readonly subscription_tracking?: { readonly enable: boolean } };
}

export interface Personalization {
  readonly to: readonly { readonly email: string }[];
  readonly bcc?: readonly { readonly email: string }[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly custom_args?: Readonly<Record<string, string>>;
  readonly dynamic_template_data?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the errors with which SendGrid refuses a request (400), with its messages and field names.
 * From its public reference ("Errors" and "Limitations" of Mail Send), as far as requests here could violate it.
 */
export function faultsOf({ from, subject, template_id, content, personalizations }: SentMail): object[] {
  const faults: { message: string; field: string; help: string }[] = [];
  const refuse = (field: string, message: string) =>
    faults.push({ message, field, help: 'http://sendgrid.com/docs/API_Reference/Web_API_v3/Mail/errors.html' });

  if (!isAddress(from?.email)) refuse('from.email', 'The from email does not contain a valid address.');
  if (template_id === undefined && !subject) refuse('subject', 'The subject is required.');
  if (template_id === undefined && !content?.length)
    refuse('content', 'Unless a valid template_id is provided, the content parameter is required.');
  if (template_id !== undefined && !/^d-[0-9a-f]{32}$/.test(template_id)) {
    refuse('template_id', 'The template_id must be a valid GUID, you provided an invalid one.');
  }
  if (!personalizations?.length) refuse('personalizations', 'You must have at least one personalization.');
  const recipients = personalizations.flatMap(({ to, bcc = [] }) => [...to, ...bcc]);
  if (personalizations.length > 1000) {
    refuse(
      'personalizations',
      `The personalization block is limited to 1000 personalizations per API request. You have provided ${personalizations.length} personalizations.`,
    );
  }
  if (recipients.length > 1000)
    refuse('personalizations', 'There is a limit of 1000 total recipients (to + cc + bcc) per request.');

  const refuseIn = (field: string, { to, bcc = [], custom_args = {}, headers = {} }: Personalization) => {
    for (const [kind, list] of Object.entries({ to, bcc })) {
      for (const [place, { email }] of list.entries()) {
        if (!isAddress(email)) refuse(`${field}.${kind}.${place}.email`, 'Does not contain a valid address.');
      }
    }
    const seen = new Set<string>();
    for (const { email } of [...to, ...bcc]) {
      const key = email.toLowerCase();
      if (seen.has(key))
        refuse(
          field,
          `Each email address in the personalization block should be unique between to, cc, and bcc. We found the first duplicate instance of [${email}] in the ${field} field.`,
        );
      seen.add(key);
    }
    if (Object.values(custom_args).some((value) => typeof value !== 'string'))
      refuse(`${field}.custom_args`, 'Invalid type. Expected: string.');
    if (Buffer.byteLength(JSON.stringify(custom_args)) > 10_000)
      refuse(`${field}.custom_args`, 'The custom_args size limit of 10000 bytes has been exceeded.');
    if (Object.keys(headers).some((name) => RESERVED.has(name.toLowerCase())))
      refuse(`${field}.headers`, 'You cannot use a reserved header.');
  };
  for (const [index, personalization] of personalizations.entries())
    refuseIn(`personalizations.${index}`, personalization);
  return faults;
}

const isAddress = (text: string | undefined): boolean => /^[^\s@,;]+@[^\s@,;.]+(?:\.[^\s@,;.]+)+$/.test(text ?? '');

const RESERVED = new Set([
  'x-sg-id',
  'x-sg-eid',
  'received',
  'dkim-signature',
  'content-type',
  'content-transfer-encoding',
  'to',
  'from',
  'subject',
  'reply-to',
  'cc',
  'bcc',
]);
