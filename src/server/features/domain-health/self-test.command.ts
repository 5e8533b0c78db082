import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { testDomainHealth } from '#contract/senders/domain-health.ts';
import { returnedFinding, type TestFinding } from '#domain/dns/test-mail.ts';
import { DOMAIN_TESTS_PER_HOUR } from '#domain/limits.ts';
import { returnAddress } from '#domain/mail/return-address.ts';
import type { AccountDb, MemberDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { countMail, limitKey } from '../../platform/limits/rate-limit.ts';
import { writeNotice } from '../../platform/mail/notice.ts';
import type { Mailer, SystemMail, SystemSender } from '../../platform/mail/system-mail.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { loadOwnDomains, type ShownParts, senderDomain, sendersInUse, shownDomain } from './domain-check.queries.ts';
import { expectTest, findTest, giveUpTest, storeTestResult } from './domain-test.queries.ts';

interface TestParts extends Omit<ShownParts, 'now'> {
  readonly now: () => number;
  /** The setting RETURN_ADDRESS: our inbox receives mails to such addresses; null: not set. */
  readonly returnPattern: string | null;
  readonly mailerFrom: (from: SystemSender) => Mailer;
}

/**
 * Sends a mail from a domain of the account's senders to our own inbox, whose reader judges it.
 * It is sent like a real mail: by the same server, with a return path and a signature.
 * @returns the domain as the list shows it; 404, 409, 429 or 503
 */
export async function sendDomainTest(
  account: MemberDb,
  domain: string,
  { now, returnPattern, mailerFrom, ...shown }: TestParts,
): Promise<CallAnswer<typeof testDomainHealth> | Problem> {
  const key = randomUUID();
  const asked = await account.transaction(async (tx) => {
    const sender = await readSender(tx, account.id, domain);
    if (!sender) return notFound();
    if (returnPattern === null || !shown.leavesMachine) return noInbox();
    const limit = { key: limitKey('domain test of', account.id), limit: DOMAIN_TESTS_PER_HOUR };
    const problem = await countMail(tx, [limit], now(), '自己診断メールの送信回数が上限に達しました。');
    if (problem) return problem;
    await expectTest(tx, { accountId: account.id, domain, key, now: now() });
    const { id: accountId, memberId } = account;
    await recordAudit(tx, { accountId, memberId, kind: 'domain_test_requested', detail: { domain } });
    return { sender, own: returnAddress(returnPattern, key.replaceAll('-', '')) };
  });
  if (asked instanceof Problem) return asked;
  const { sender, own } = asked;
  const outcome = await mailerFrom({ ...sender, returnPath: own })(testMail(own, domain));
  // A mail with an unknown result may arrive.
  const hasLeft = outcome.kind === 'sent' || outcome.kind === 'unknown';
  return account.transaction(async (tx) => {
    if (!hasLeft) {
      await giveUpTest(tx, account.id, key);
      return notSent('reply' in outcome ? outcome.reply : '');
    }
    const [row] = await loadOwnDomains(tx, account.id, domain);
    return row === undefined ? notFound() : shownDomain(row, { ...shown, now: now() });
  });
}

/** Reads the first sender in use of a domain. */
async function readSender(tx: Tx, accountId: number, domain: string): Promise<SystemSender | undefined> {
  const { rows } = await sql<SystemSender>`
    SELECT sender_profile.person_in_charge AS name, sender_profile.email AS address FROM ${sendersInUse}
    WHERE sender.account_id = ${accountId} AND ${senderDomain} = ${domain}
    ORDER BY sender.id LIMIT 1`.execute(tx);
  return rows[0];
}

const noInbox = () =>
  new Problem('no_inbox', '自己診断メールを受け取るアドレスがありません。このサーバーの設定が必要です。');

const notSent = (reply: string) =>
  new Problem(
    'mail_not_sent',
    `自己診断メールを送信できませんでした${reply === '' ? '' : `（${reply.slice(0, 200)}）`}。しばらくしてから、もう一度お試しください。`,
    60,
  );

/** Makes the test mail of a domain. People who look into the mailbox read it too. */
const testMail = (to: string, domain: string): SystemMail =>
  writeNotice({
    to,
    reader: 'anybody',
    subject: `【Kaitaku】自己診断メール（${domain}）`,
    paragraphs: [
      `差出人のドメイン（${domain}）のメールがどう届くかを確かめるために、Kaitakuが返信用のメールボックスに送ったメールです。`,
      '結果は、Kaitakuの「設定」の「ドメイン・受信」に表示されます。何もする必要はありません。',
    ],
  });

interface TestServices {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
}

/** Judges a domain's test mail by its header (judge-test-mail.ts), in a thread. No transaction is open meanwhile. */
export type JudgeTest = (domain: string) => Promise<readonly TestFinding[]>;

/** A mail that arrived at an address with a key of ours. */
interface KeyedMail {
  readonly keys: readonly string[];
  /** The reply of the server that bounced the mail; null: the mail itself arrived. */
  readonly returned: string | null;
  readonly judge: JudgeTest;
}

/** Takes a mail that may be a domain's test mail. Repeated calls change nothing. @returns whether it is one */
export async function takeTestMail(
  { db, now, accountDb }: TestServices,
  { keys, returned, judge }: KeyedMail,
): Promise<boolean> {
  const test = keys.length === 0 ? null : await findTest(db, keys);
  if (!test) return false;
  if (!test.waits) return true;
  const findings = returned === null ? await judge(test.domain) : [returnedFinding(returned)];
  await accountDb(test.accountId, null).transaction((tx) => storeTestResult(tx, test, findings, now()));
  return true;
}
