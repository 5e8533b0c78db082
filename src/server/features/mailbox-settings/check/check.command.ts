import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { checkMailbox } from '#contract/senders/mailboxes.ts';
import { MAILBOX_CHECKS_PER_DAY, MAILBOX_CHECKS_PER_MINUTE } from '#domain/limits.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { DAY_MS, MINUTE_MS } from '#domain/time-units.ts';
import type { MemberDb } from '../../../platform/database/account-db.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { giveBackHourly, limitKey, secondsLeft, takeUse, type UseLimit } from '../../../platform/limits/rate-limit.ts';
import { notFound, Problem } from '../../../platform/problem.ts';
import { noSecretKey } from '../../../platform/secrets/secrets.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Mailbox, type MailboxKey, readMailbox } from '../../mailboxes/mailbox.queries.ts';
import { type MailboxServices, mailboxLogIn } from '../../mailboxes/mailbox-log-in.ts';
import { lockBox, loseMailbox, noteBoxMails, UNPAUSED } from '../../mailboxes/mailbox-state.command.ts';
import { changeProblem } from '../rights.queries.ts';
import { IMAP_PORT } from './imap-check.ts';
import { type Findings, lookAt } from './look-at.ts';
import { allSteps, isUsable } from './steps.ts';

type Answer = CallAnswer<typeof checkMailbox>;

/** Checks that run at once in a process, each with up to two connections. */
const AT_ONCE = 10;
const BUSY_SECONDS = 10;

/** The most time of a check, so that its caller's browser still waits. */
const CHECK_MS = 30_000;

interface CheckOptions {
  /** Of all servers; tests listen elsewhere. */
  readonly imapPort?: number;
  /** Default: CHECK_MS. */
  readonly timeMs?: number;
}

/**
 * Returns the check of mailboxes: connects to their servers, outside of transactions, and lets the mailbox send if all
 * of it works, as long as it has not changed meanwhile.
 */
export function mailboxChecks(
  services: MailboxServices,
  { imapPort = IMAP_PORT, timeMs = CHECK_MS }: CheckOptions = {},
) {
  let running = 0;
  return async (account: MemberDb, id: number, from?: string): Promise<Answer | Problem> => {
    const box = await begin(account, id, services.now());
    if (box instanceof Problem) return box;
    if (running >= AT_ONCE) {
      await account.transaction(async (tx) => {
        for (const limit of limitsOf(account.id)) await giveBackHourly(tx, limit);
      });
      return busy();
    }
    running += 1;
    try {
      return await check(services, account, box, { from, imapPort, timeMs });
    } finally {
      running -= 1;
    }
  };
}

interface Asked {
  /** Another address to prove; undefined: only its own. */
  readonly from: string | undefined;
  readonly imapPort: number;
  readonly timeMs: number;
}

async function check(
  services: MailboxServices,
  account: MemberDb,
  box: Mailbox,
  { from, imapPort, timeMs }: Asked,
): Promise<Answer | Problem> {
  const credentials = await mailboxLogIn(services, account, box);
  if (credentials === 'unknown_key') return noSecretKey();
  const other = from === undefined || addressKey(from) === addressKey(box.address) ? null : from;
  const found = await lookAt(services, box, { credentials, other, imapPort, timeMs });
  return account.transaction((tx) => store(tx, account, box, { found, other, now: services.now() }));
}

const busy = () =>
  new Problem('busy', 'ほかのメールボックスを確かめています。少し待ってから、もう一度お試しください。', BUSY_SECONDS);

const limitsOf = (accountId: number): UseLimit[] => [
  {
    key: limitKey('mailbox checks a minute', accountId),
    limit: MAILBOX_CHECKS_PER_MINUTE,
    windowMs: MINUTE_MS,
  },
  { key: limitKey('mailbox checks a day', accountId), limit: MAILBOX_CHECKS_PER_DAY, windowMs: DAY_MS },
];

/** Counts a check. @returns the mailbox; 401, 403, 404, 409 or 429 */
const begin = (account: MemberDb, id: number, now: number): Promise<Mailbox | Problem> =>
  account.transaction(async (tx) => {
    const found = await readMailbox(tx, { accountId: account.id, id });
    return found ? ((await refuse(tx, account, found, now)) ?? found) : notFound();
  });

async function refuse(tx: Tx, account: MemberDb, box: Mailbox, now: number): Promise<Problem | null> {
  const refused = await changeProblem(tx, account, box);
  if (refused) return refused;
  if (box.state === 'off') {
    const message = 'このメールボックスは切断されています。つなぐには、編集でパスワードを入力して保存してください。';
    return new Problem('mailbox_off', message);
  }
  for (const limit of limitsOf(account.id)) {
    if (await takeUse(tx, limit, now)) continue;
    const seconds = await secondsLeft(tx, limit.key, now);
    const minutes = Math.max(1, Math.ceil(seconds / 60));
    const message = `メールボックスを確かめた回数が上限に達しました。${minutes.toLocaleString('ja-JP')}分後に、もう一度お試しください。`;
    return new Problem('too_many_checks', message, seconds);
  }
  return null;
}

interface Checked {
  readonly found: Findings;
  /** The address that was to be proved besides its own. */
  readonly other: string | null;
  readonly now: number;
}

/** Stores what a check has found, unless the mailbox has changed since it began. */
async function store(tx: Tx, account: MemberDb, box: Mailbox, { found, other, now }: Checked): Promise<Answer> {
  const key: MailboxKey = { accountId: account.id, id: box.id };
  // Behind its lock, no claim reads it between the two tables.
  await lockBox(tx, key);
  if (found.refusedLogIn !== null) {
    // A refusal counts twice: others try passwords by this call.
    for (const limit of limitsOf(account.id)) await takeUse(tx, limit, now);
    if ((await readMailbox(tx, key))?.version === box.version) await loseMailbox(tx, key, found.refusedLogIn);
  }
  if (isUsable(found.steps)) await setUsable(tx, account, box, { found, other });
  const { state, version } = (await readMailbox(tx, key)) ?? box;
  return { state, steps: allSteps(found.steps), version };
}

async function setUsable(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  box: Mailbox,
  { found, other }: Omit<Checked, 'now'>,
): Promise<void> {
  const key: MailboxKey = { accountId, id: box.id };
  const proved = other === null ? null : addressKey(other);
  const keys = proved === null ? box.other_from : [...new Set([...box.other_from, proved])].sort();
  const saved = await tx
    .updateTable('mailbox')
    .set({
      state: 'ok',
      checked_at: sql<Date>`now()`,
      other_from: keys,
      ...(found.ids !== null && { ids: found.ids }),
    })
    .where('account_id', '=', accountId)
    .where('id', '=', box.id)
    .where('version', '=', box.version)
    .where('state', '<>', 'off')
    .returning('address')
    .executeTakeFirst();
  if (!saved) return;
  await tx
    .updateTable('mailbox_state')
    .set({
      login_refusals: 0,
      last_fault: null,
      max_mail_bytes: found.maxMailBytes,
      // It was read now. Its reader comes within a minute; the first mails need not wait for that.
      ...(box.reads_replies && { read_at: sql<Date>`now()`, read_fault: null }),
    })
    .where('account_id', '=', accountId)
    .where('mailbox_id', '=', box.id)
    .execute();
  // A quota of its server lasts although its log-in works.
  await tx
    .updateTable('mailbox_state')
    .set(UNPAUSED)
    .where('account_id', '=', accountId)
    .where('mailbox_id', '=', box.id)
    .where('why', '<>', 'limited')
    .execute();
  await noteBoxMails(tx, key);
  const detail = { mailbox_id: box.id, address: saved.address };
  if (box.state !== 'ok') await recordAudit(tx, { accountId, memberId, kind: 'mailbox_connected', detail });
  if (keys.length > box.other_from.length) {
    const changed = { ...detail, fields: ['other_from'] };
    await recordAudit(tx, { accountId, memberId, kind: 'mailbox_changed', detail: changed });
  }
}
