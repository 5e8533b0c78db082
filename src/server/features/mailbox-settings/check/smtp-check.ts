import { randomUUID } from 'node:crypto';
import { domainOf } from '#domain/mail/address-key.ts';
import { composeMessage } from '../../../platform/mail/compose.ts';
import { printable } from '../../../platform/mail/outcome.ts';
import { openSession, type SmtpSession } from '../../../platform/mail/smtp/session.ts';
import { type Credentials, SMTP_TIMES } from '../../../platform/mail/smtp/settings.ts';
import { dataOf } from '../../../platform/mail/smtp/transaction.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { isProgramFault } from '../../../platform/outbound/program-fault.ts';
import { PRODUCT_NAME } from '../../../platform/product-name.ts';
import type { Mailbox } from '../../mailboxes/mailbox.queries.ts';
import { smtpOf } from '../../mailboxes/mailbox-log-in.ts';
import { isLogInRefused, openingStep } from './smtp-texts.ts';
import { type StepResult, withReply } from './steps.ts';

/** An open session, or the step that failed. */
type Opened =
  | { readonly session: SmtpSession; readonly steps: readonly StepResult[] }
  | { readonly session: null; readonly steps: readonly StepResult[]; readonly refusedLogIn: string | null };

const OPEN_MS = 20_000;

/** Connects to the SMTP server of a mailbox, and logs in. @param over rejects at the end of the check's time */
export async function openSmtp(
  outbound: Outbound,
  box: Mailbox,
  credentials: Credentials,
  over: Promise<never>,
): Promise<Opened> {
  const { kind, smtp_host: host, smtp_port: port } = box;
  const texts = {
    host: `${host} が見つかりました。`,
    connect: `${host} のポート${port}に接続しました。`,
    tls: '通信を暗号化しています。',
    login: 'ログインしました。',
  };
  const passed = Object.entries(texts).map(([step, text]) => ({ step, state: 'ok', text }) as StepResult);
  try {
    const session = await openSession(
      smtpOf(box, credentials, outbound),
      { ...SMTP_TIMES, openMs: OPEN_MS, silenceMs: OPEN_MS },
      over,
    );
    return { session, steps: passed };
  } catch (error) {
    if (isProgramFault(error)) throw error;
    const fault = openingStep(error as Error, { kind, host, port });
    const before = passed.slice(
      0,
      passed.findIndex(({ step }) => step === fault.step),
    );
    const { response = '' } = error as { response?: string };
    return {
      session: null,
      steps: [...before, fault],
      refusedLogIn: isLogInRefused(error) ? printable(response) : null,
    };
  }
}

/** A mail of a check to the mailbox itself. */
export interface TestMail {
  /** Part of its subject, by which it is found. */
  readonly mark: string;
  /** Includes the angle brackets. */
  readonly messageId: string;
  readonly message: Buffer;
}

/** @param from the address in its From */
export function testMailOf({ name, address }: Pick<Mailbox, 'name' | 'address'>, from: string, now: number): TestMail {
  const mark = randomUUID();
  const messageId = `<${randomUUID()}@${domainOf(from)}>`;
  const text =
    `メールボックス「${name}」を${PRODUCT_NAME}につなぐための、確認のメールです。届いたことを確かめました。\n` +
    'このメールは、削除してかまいません。\n';
  const message = composeMessage({
    from: { name: PRODUCT_NAME, address: from },
    to: address,
    subject: `【${PRODUCT_NAME}】メールボックスの確認 ${mark}`,
    text,
    html: '',
    messageId,
    date: new Date(now),
    isAutomatic: true,
  });
  return { mark, messageId, message };
}

/** Asks whether the server accepts mails of the mailbox to itself, without sending one. */
export async function tryEnvelope(session: SmtpSession, address: string): Promise<StepResult> {
  const refused = (await passEnvelope(session, address)) ?? (await ask(session, 'RSET'));
  if (!refused.startsWith('2')) return refusedFrom(address, refused);
  return { step: 'from', state: 'ok', text: `${address} から送れます。` };
}

/** Sends a test mail to the mailbox itself. @returns the step `from`, or the faulty one */
export async function sendTestMail(
  session: SmtpSession,
  { address }: Pick<Mailbox, 'address'>,
  from: string,
  { message }: TestMail,
): Promise<StepResult> {
  const refused = await passEnvelope(session, address);
  if (refused !== null) return refusedFrom(from, refused);
  const ready = await ask(session, 'DATA');
  if (!ready.startsWith('3')) return refusedFrom(from, ready);
  session.write(dataOf(message), 1);
  const reply = await session.reply();
  if (reply.startsWith('2')) return { step: 'from', state: 'ok', text: `${from} から送れます。` };
  return refusedFrom(from, reply);
}

/** @returns the refusal; null: none */
async function passEnvelope(session: SmtpSession, address: string): Promise<string | null> {
  for (const command of [`MAIL FROM:<${address}>`, `RCPT TO:<${address}>`]) {
    const reply = await ask(session, command);
    if (!reply.startsWith('2')) return reply;
  }
  return null;
}

function ask(session: SmtpSession, command: string): Promise<string> {
  session.write(`${command}\r\n`, 1);
  return session.reply();
}

function refusedFrom(from: string, reply: string): StepResult {
  const text = reply.startsWith('4')
    ? 'サーバーが、いまはメールを受け付けません。しばらくしてから、もう一度確かめてください。'
    : `${from} から送る権限がありません。`;
  return { step: 'from', state: 'bad', text: withReply(text, printable(reply)) };
}
