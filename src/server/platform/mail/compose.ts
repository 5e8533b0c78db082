import MailComposer from 'nodemailer/lib/mail-composer';

export interface Mail {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** With its angle brackets. */
  readonly messageId: string;
  readonly date: Date;
}

/** A header field that could end early, or hold what no mail can. */
export const isUnsafeHeader = (value: string): boolean => /[\r\n\0]/.test(value);

/**
 * The message as it goes over the wire: UTF-8, text and HTML, CRLF, lines below 998 bytes.
 * @throws when a header field holds CR, LF or NUL: whoever took it in should have refused it
 */
export async function composeMessage(mail: Mail): Promise<Buffer> {
  const { from, to, subject, text, html, messageId, date } = mail;
  for (const value of [from.name, from.address, to, subject, messageId]) {
    if (isUnsafeHeader(value)) throw new Error('CR, LF or NUL in a header field');
  }
  return new MailComposer({
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId,
    date,
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: 'windows',
  })
    .compile()
    .build();
}
