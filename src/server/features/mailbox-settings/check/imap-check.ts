import { setTimeout as sleep } from 'node:timers/promises';
import type { ImapFlow } from 'imapflow';
import type { MAILBOX_IDS } from '#contract/senders/mailboxes-names.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { IMAP_LIMITS } from '../../../platform/mail/inbox-settings.ts';
import { printable } from '../../../platform/mail/outcome.ts';
import type { Credentials } from '../../../platform/mail/smtp/settings.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { isProgramFault } from '../../../platform/outbound/program-fault.ts';
import type { TestMail } from './smtp-check.ts';
import { unreachedStep } from './smtp-texts.ts';
import { type StepResult, withReply } from './steps.ts';

export const IMAP_PORT = 993;

const ANSWER_MS = 10_000;
const LOOK_MS = 1000;

/** An open inbox, which a check only reads. */
export interface CheckedInbox {
  /** Waits until a test mail has arrived. @returns null: it has not, when the signal aborts */
  readonly find: (mail: TestMail, signal: AbortSignal) => Promise<Arrived | null>;
  readonly close: () => void;
}

interface Arrived {
  /** In addressKey's form; null: not readable. */
  readonly from: string | null;
  readonly ids: (typeof MAILBOX_IDS)[number];
}

interface ImapServer {
  readonly host: string;
  /** IMAP_PORT; tests listen elsewhere. */
  readonly port: number;
}

/** Opens the inbox by IMAP. @returns the faulty step where it cannot be read */
export async function openInbox(
  outbound: Outbound,
  { host, port }: ImapServer,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<CheckedInbox | StepResult> {
  try {
    const address = await outbound.addressOf(host);
    const { ImapFlow } = await import('imapflow');
    const client = new ImapFlow({
      // What was checked: another look-up could find a server in the own network.
      host: address,
      port,
      servername: host,
      secure: true,
      auth: 'pass' in credentials ? credentials : { user: credentials.user, accessToken: credentials.accessToken },
      logger: false,
      disableAutoIdle: true,
      ...IMAP_LIMITS,
      connectionTimeout: ANSWER_MS,
      greetingTimeout: ANSWER_MS,
      socketTimeout: ANSWER_MS,
    });
    // Each command reports the same fault. Without a listener the event would end the process.
    client.on('error', () => {});
    const close = () => client.close();
    // No event follows, and nothing else ends a server that sends now and then.
    signal.throwIfAborted();
    signal.addEventListener('abort', close, { once: true });
    await client.connect();
    await client.mailboxOpen('INBOX', { readOnly: true });
    return { find: (mail, until) => findMail(client, mail, until), close };
  } catch (error) {
    if (isProgramFault(error)) throw error;
    return faultOf(error, { host, port });
  }
}

function faultOf(error: unknown, server: ImapServer): StepResult {
  const unreached = unreachedStep(error, server);
  if (unreached) return { ...unreached, step: 'imap' };
  const { authenticationFailed, responseText = '' } = error as {
    authenticationFailed?: boolean;
    responseText?: string;
  };
  const text =
    authenticationFailed === true
      ? 'IMAPサーバーにログインできません。IMAPを使う設定になっているかを確かめてください。'
      : `${server.host} のポート${server.port}から、IMAPで読めません。サーバーの名前を確かめてください。`;
  return { step: 'imap', state: 'bad', text: withReply(text, printable(responseText)) };
}

const ORIGINAL = 'x-microsoft-original-message-id';

async function findMail(client: ImapFlow, { mark, messageId }: TestMail, signal: AbortSignal): Promise<Arrived | null> {
  while (!signal.aborted && client.usable) {
    const found = await client.search({ header: { subject: mark } }, { uid: true });
    const [uid] = Array.isArray(found) ? found : [];
    if (uid !== undefined) {
      const mail = await client.fetchOne(String(uid), { headers: ['message-id', ORIGINAL, 'from'] }, { uid: true });
      if (mail !== false && mail?.headers) return arrivedOf(mail.headers.toString('latin1'), messageId);
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    // A new mail is shown by the next command.
    await client.noop().catch(() => undefined);
  }
  return null;
}

/** Reads what a server has made of a test mail. @param headers the fields that were asked for */
export function arrivedOf(headers: string, messageId: string): Arrived {
  const lines = headers.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const fieldOf = (name: string) =>
    lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1) ?? '';
  const [, from] = /<([^<>\s]+)>\s*$/.exec(fieldOf('from')) ?? /^\s*(\S+@\S+)\s*$/.exec(fieldOf('from')) ?? [];
  const isKept = fieldOf('message-id').includes(messageId);
  const isNamed = fieldOf(ORIGINAL).includes(messageId);
  return { from: from === undefined ? null : addressKey(from), ids: isKept ? 'kept' : isNamed ? 'replaced' : 'lost' };
}
