import { setTimeout as sleep } from 'node:timers/promises';
import type { MAILBOX_IDS } from '#contract/senders/mailboxes-names.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { SmtpSession } from '../../../platform/mail/smtp/session.ts';
import type { Credentials } from '../../../platform/mail/smtp/settings.ts';
import { isProgramFault } from '../../../platform/outbound/program-fault.ts';
import type { Mailbox } from '../../mailboxes/mailbox.queries.ts';
import type { MailboxServices } from '../../mailboxes/mailbox-log-in.ts';
import { type CheckedInbox, openInbox } from './imap-check.ts';
import { openSmtp, sendTestMail, testMailOf, tryEnvelope } from './smtp-check.ts';
import type { StepResult } from './steps.ts';

export interface Findings {
  /** Without those that were not tried. */
  readonly steps: readonly StepResult[];
  /** What became of the Message-ID; null: not seen. */
  readonly ids: (typeof MAILBOX_IDS)[number] | null;
  /** The reply that refuses the log-in; null: it is not refused for good. */
  readonly refusedLogIn: string | null;
  /** The largest mail that the server announces; 0: no limit; null: not seen. */
  readonly maxMailBytes: number | null;
}

/** The most further addresses of a mailbox, as its table's CHECK says. */
const MAX_OTHER_FROM = 20;

/** The time that a last look into the inbox takes. */
const LOOK_MS = 1000;

interface LookParts {
  readonly credentials: Credentials | 'lost' | 'wait';
  /** Another address to prove. */
  readonly other: string | null;
  readonly imapPort: number;
  /** The most time of all. */
  readonly timeMs: number;
}

/** Connects to the servers of a mailbox, and mails it if that can be found there. No transaction may be open. */
export async function lookAt(
  services: MailboxServices,
  box: Mailbox,
  { credentials, other, imapPort, timeMs }: LookParts,
): Promise<Findings> {
  if (credentials === 'lost') return faulty([noSecret(box)]);
  if (credentials === 'wait') return faulty([NO_TOKEN]);
  const unproved = other === null ? null : cannotProve(box, other);
  if (unproved) return faulty([unproved]);
  const timer = new AbortController();
  const late = sleep(timeMs, undefined, { signal: timer.signal }).then((): never => {
    throw new Error('the check took too long');
  });
  late.catch(() => undefined);
  // Before `late`: a mail that does not arrive is no fault of the server.
  const signal = AbortSignal.timeout(timeMs - LOOK_MS);
  const opened = await openSmtp(services.outbound, box, credentials, late);
  if (opened.session === null) {
    timer.abort();
    return { ...faulty(opened.steps), refusedLogIn: opened.refusedLogIn };
  }
  const { session } = opened;
  let inbox: CheckedInbox | null = null;
  try {
    const read = await inboxOf(services, box, { credentials, imapPort, signal });
    inbox = 'find' in read ? read : null;
    const found = await Promise.race([tryMail(services, box, { session, inbox, other, signal }), late]);
    const imap: StepResult = 'find' in read ? { step: 'imap', state: 'ok', text: '返信を読めます。' } : read;
    return { ...found, steps: [...opened.steps, ...found.steps, imap], maxMailBytes: session.size ?? 0 };
  } catch (error) {
    if (isProgramFault(error)) throw error;
    const text = 'メールサーバーから、時間内に返事がありません。しばらくしてから、もう一度確かめてください。';
    return faulty([...opened.steps, { step: 'from', state: 'bad', text }]);
  } finally {
    timer.abort();
    inbox?.close();
    void session.quit();
  }
}

const faulty = (steps: readonly StepResult[]): Findings => ({
  steps,
  ids: null,
  refusedLogIn: null,
  maxMailBytes: null,
});

const noSecret = ({ kind }: Mailbox): StepResult => ({
  step: 'login',
  state: 'bad',
  text:
    kind === 'smtp'
      ? 'パスワードがまだありません。パスワードを入力して保存してから、確かめてください。'
      : 'まだサインインしていません。サインインしてから、確かめてください。',
});

/** The provider gives no token now. */
const NO_TOKEN: StepResult = {
  step: 'login',
  state: 'bad',
  text: 'いま、サインインを更新できません。しばらくしてから、もう一度確かめてください。',
};

/** Returns why another address cannot be proved; null: it can. */
function cannotProve({ imap_host, other_from }: Mailbox, other: string): StepResult | null {
  if (imap_host === null) return noInboxFor(other);
  if (other_from.length < MAX_OTHER_FROM || other_from.includes(addressKey(other))) return null;
  const text = `ほかの差出人のアドレスは${MAX_OTHER_FROM}件までです。`;
  return { step: 'from', state: 'bad', text };
}

const noInboxFor = (other: string): StepResult => ({
  step: 'from',
  state: 'bad',
  text: `${other} は、確認のメールが届くと使えます。届いたことを確かめるIMAPサーバーを入力してください。`,
});

/** Opens the inbox. A fault matters only where answers are to be read. */
async function inboxOf(
  { outbound }: MailboxServices,
  { imap_host, reads_replies }: Mailbox,
  { credentials, imapPort, signal }: { credentials: Credentials; imapPort: number; signal: AbortSignal },
): Promise<CheckedInbox | StepResult> {
  if (imap_host === null) {
    return { step: 'imap', state: 'skipped', text: 'IMAPサーバーがないため、確かめていません。' };
  }
  const read = await openInbox(outbound, { host: imap_host, port: imapPort }, credentials, signal);
  return 'find' in read || reads_replies ? read : { ...read, state: 'look' };
}

interface MailParts {
  readonly session: SmtpSession;
  readonly inbox: CheckedInbox | null;
  readonly other: string | null;
  readonly signal: AbortSignal;
}

async function tryMail(
  { now }: MailboxServices,
  box: Mailbox,
  { session, inbox, other, signal }: MailParts,
): Promise<Findings> {
  if (inbox === null) return faulty([other === null ? await tryEnvelope(session, box.address) : noInboxFor(other)]);
  const from = other ?? box.address;
  const mail = testMailOf(box, from, now());
  const sent = await sendTestMail(session, box, from, mail);
  if (sent.state !== 'ok') return faulty([sent]);
  const arrived = await inbox.find(mail, signal);
  if (arrived === null) return faulty([sent, notArrived(other)]);
  if (arrived.from !== addressKey(from)) return faulty([rewritten(from, arrived.from)]);
  const { ids } = arrived;
  const steps: StepResult[] = [
    sent,
    { step: 'test_mail', state: 'ok', text: '確認のメールが届きました。' },
    { step: 'message_id', state: ids === 'lost' ? 'look' : 'ok', text: ID_TEXTS[ids] },
  ];
  return { ...faulty(steps), ids };
}

const ID_TEXTS = {
  unknown: '',
  kept: 'メールの番号（Message-ID）は、そのまま届きます。返信を見分けられます。',
  replaced: 'メールの番号（Message-ID）は、サーバーが付け替えます。元の番号から、返信を見分けられます。',
  lost: 'メールの番号（Message-ID）を、サーバーが付け替えます。返信は、差出人と件名から見分けます。',
} as const;

const notArrived = (other: string | null): StepResult =>
  other === null
    ? {
        step: 'test_mail',
        state: 'look',
        text: '確認のメールが、まだ届きません。迷惑メールのフォルダーも確かめてください。送信はできます。',
      }
    : {
        step: 'test_mail',
        state: 'bad',
        text: `${other} からの確認のメールが届きません。迷惑メールのフォルダーも確かめて、しばらくしてから、もう一度お試しください。`,
      };

const rewritten = (from: string, arrived: string | null): StepResult => ({
  step: 'from',
  state: 'bad',
  text: `メールサーバーが、差出人を ${from} から ${arrived ?? '別のアドレス'} に変えます。${from} を使えるように、メールサーバーで設定してください。`,
});
