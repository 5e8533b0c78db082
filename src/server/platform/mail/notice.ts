import { escapeHtml } from '../http/html.ts';
import type { SystemMail } from './system-mail.ts';

/** The text and HTML of one notice. Line breaks of a paragraph are kept; `link` has its own line. */
export interface Notice extends Pick<SystemMail, 'to' | 'subject' | 'reader'> {
  readonly paragraphs: readonly (string | { readonly link: string })[];
}

const SIGN_OFF = 'このメールはKaitakuから自動でお送りしています。ご返信いただいてもお答えできません。';
const RULE = '-'.repeat(60);
/** The name as text in the mark's colours: pictures are blocked, or look like tracking (decisions/screens). */
const NAME =
  '<p><b style="padding:4px 12px;border-radius:4px;background:#1864ab;color:#fff;letter-spacing:.04em">Kaitaku</b></p>';

export function writeNotice({ to, subject, reader, paragraphs }: Notice): SystemMail {
  const text = paragraphs.map((part) => (typeof part === 'string' ? part : part.link)).join('\n\n');
  const html = paragraphs.map((part) => `<p>${typeof part === 'string' ? escaped(part) : anchor(part.link)}</p>`);
  return {
    to,
    subject,
    reader,
    text: `${text}\n\n${RULE}\n${SIGN_OFF}\n`,
    html: `<!doctype html>
<html lang="ja">
<body style="margin:0;padding:24px;font-family:sans-serif;font-size:15px;line-height:1.8;color:#222">
${NAME}
${html.join('\n')}
<hr style="border:0;border-top:1px solid #ccc">
<p style="font-size:13px;color:#444">${SIGN_OFF}</p>
</body>
</html>
`,
  };
}

const escaped = (text: string) => escapeHtml(text).replaceAll('\n', '<br>');

const anchor = (url: string) => `<a href="${escaped(url)}">${escaped(url)}</a>`;
