import { createTransport, type Transporter } from 'nodemailer';
import { iso2022jp, rawMail } from '#test/inbox-mails.ts';
import { type CaughtMail, type SmtpSink, startSmtpSink } from '#test/smtp-sink.ts';

/** What happens to the mails to a company. */
export const FATES = {
  unknown: 'a server knows no such address',
  full: 'the mailbox is full',
  policy: 'a server refuses our domain',
  away: 'a robot answers',
  answers: 'a person answers',
  refuses: 'a person refuses by a mail to the address for refusals',
  stops: 'a person asks in an answer for no more mails',
  reads: 'nothing comes back',
} as const;
export type Fate = keyof typeof FATES;

/** Returns the address of the n-th company, which contains its fate. */
export const addressOf = (fate: Fate, n: number): string => `info${n}@${fate}.example`;

const REFUSALS: Partial<Record<string, `${number} ${string}`>> = {
  unknown: '550 5.1.1 User unknown',
  full: '552 5.2.2 Mailbox full',
  policy: '550 5.7.1 rejected by the DMARC policy of the domain',
};

/** Starts the mail servers and recipients of the companies, behind one port. Replies go to the server on `homePort`. */
export async function startFarSide(homePort: () => number): Promise<SmtpSink> {
  const sink = await startSmtpSink();
  sink.fault = (moment, line) => (moment === 'RCPT' ? (REFUSALS[fateIn(line)] ?? null) : null);
  let mailer: Transporter | undefined;
  sink.keep = (mail) => {
    sink.mails.push(mail);
    const answer = answerTo(mail);
    if (answer === null) return;
    mailer ??= createTransport({ host: '127.0.0.1', port: homePort(), ignoreTLS: true, pool: true });
    // If this fails, the test fails by the missing reply.
    mailer.sendMail(answer).catch(() => {});
  };
  const { close } = sink;
  sink.close = () => {
    mailer?.close();
    return close();
  };
  return sink;
}

const fateIn = (text: string): string => /@(\w+)\.example/.exec(text)?.[1] ?? '';

interface AnswerMail {
  readonly envelope: { readonly from: string; readonly to: string };
  readonly raw: Buffer;
}

function answerTo({ messageId, from: returnPath, to: [reader = ''], source }: CaughtMail): AnswerMail | null {
  const sales = /^From:.*<(.+?)>/m.exec(source)?.[1] ?? '';
  const refusals = /<mailto:([^?>]+)/.exec(source.replace(/\r?\n[ \t]+/g, ''))?.[1] ?? '';
  const written = (to: string, body: string, more: readonly (readonly [string, string])[] = []): AnswerMail => ({
    envelope: { from: reader, to },
    raw: rawMail(
      [
        ['From', `Midori <${reader}>`],
        ['To', to],
        ['Message-ID', `<answer.${reader}>`],
        ['Content-Type', 'text/plain; charset=ISO-2022-JP'],
        ...more,
      ],
      iso2022jp(body),
    ),
  });
  const thread = [
    ['Subject', 'Re: a proposal'],
    ['In-Reply-To', messageId],
  ] as const;
  switch (fateIn(reader)) {
    case 'away': {
      const away = written(returnPath, '不在にしております。', [['Auto-Submitted', 'auto-replied'], ...thread]);
      // RFC 3834: to the envelope sender, with an empty one. Many autoresponders reply to the author instead.
      return Number(/\d+/.exec(reader)?.[0]) % 2 === 0
        ? { ...away, envelope: { from: '', to: returnPath } }
        : written(sales, '不在にしております。', [['Subject', '=?utf-8?B?5LiN5Zyo44Gu44GK55+l44KJ44Gb?='], thread[1]]);
    }
    case 'answers':
      return written(sales, 'ご連絡ありがとうございます。\n> 配信停止はこちら', thread);
    case 'stops':
      return written(sales, '今後は送らないでください。\n> ご案内です', thread);
    case 'refuses':
      return written(refusals, '', [['Subject', 'unsubscribe']]);
    default:
      return null;
  }
}
