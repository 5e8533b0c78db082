import { createHash, randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { JudgeTest } from '../features/domain-health/self-test.command.ts';
import { type InboxEnvelope, type InboxMail, MAIL_BYTES_MAX } from '../features/inbox/inbox-mail.ts';
import { judgeBeside, openMailThread, readBeside } from '../features/inbox/parse-beside.ts';
import { type Taken, takeOrHold } from '../features/inbox/take-mail.command.ts';
import { accountDbOf } from '../platform/database/account-db.ts';
import type { Database, Db } from '../platform/database/db.ts';
import type { Settings } from '../platform/settings.ts';
import { command } from './command.ts';
import { stopSignal } from './stop-signal.ts';
import { withDatabase } from './with-database.ts';

const TAKE_DETAILS = `標準入力から1通のメール（戻ってきたメール、配信停止の希望、返信）を読み、対応する送信に反映します。
メールサーバーの転送先（パイプ）に使います。宛先は環境変数 ORIGINAL_RECIPIENT、差出人は SENDER から読みます。
何度読んでも結果は同じです。データベースに接続できないときは 75 で終わり、メールサーバーがあとで再送します。`;

export const inboxCommand = (readSettings: () => Settings): Command =>
  command('inbox', '戻ってきたメールや返信を読む').addCommand(
    command('take', '標準入力の1通を読み、送信に反映する', TAKE_DETAILS).action(() => take(readSettings)),
  );

/** `EX_TEMPFAIL` of sysexits.h: the mail server keeps the mail, and retries. */
const TEMPORARY_FAILURE = 75;

async function take(readSettings: () => Settings): Promise<void> {
  const { ORIGINAL_RECIPIENT, SENDER } = process.env;
  try {
    const settings = readSettings();
    const source = await readInput();
    const envelope = { recipient: ORIGINAL_RECIPIENT ?? null, sender: SENDER ?? null };
    const { taken, why } = await withDatabase(settings, (database) => takeOne(database, settings, source, envelope));
    process.stdout.write(`${taken}\n`);
    if (why !== null) process.stderr.write(`メールを解析できないため、ヘッダーだけを読みました（${why}）。\n`);
  } catch (error) {
    // Any other exit code would make the mail server bounce the mail.
    process.stderr.write(`メールを反映できませんでした（${(error as Error).message}）。\n`);
    process.exitCode = TEMPORARY_FAILURE;
  }
}

/** Takes a mail, as the inbox reader does. After a crash of this process the mail server delivers the mail again. */
const takeOne = (
  { db }: Database,
  settings: Settings,
  source: Buffer,
  envelope: InboxEnvelope,
): Promise<{ readonly taken: Taken; readonly why: string | null }> =>
  withMailReader(db, settings, async (read) => {
    const { mail, why, judge } = await read(source, envelope);
    const services = { db, now: Date.now, accountDb: accountDbOf(db), authservId: settings.authservId };
    return { taken: await takeOrHold(services, mail, judge, { source, envelope }), why };
  });

export type ReadMail = (
  source: Buffer,
  envelope: InboxEnvelope,
) => Promise<{ readonly mail: InboxMail; readonly why: string | null; readonly judge: JudgeTest }>;

/** Runs `work` with a function that reads mails in a thread. */
export async function withMailReader<Result>(
  db: Db,
  { returnAddress: pattern, dnsServers }: Pick<Settings, 'returnAddress' | 'dnsServers'>,
  work: (read: ReadMail) => Promise<Result>,
): Promise<Result> {
  const stopping = new AbortController();
  void stopSignal().then(() => stopping.abort(new Error('停止の合図を受けました')));
  const thread = openMailThread();
  try {
    return await work(async (source, envelope) => {
      const mail = createHash('sha256').update(source).digest('hex');
      const parse = { mailbox: 'kaitaku inbox take', mail, workerId: randomUUID() };
      const beside = { db, thread, parse, stopping: stopping.signal };
      const read = await readBeside(beside, { source, pattern, envelope });
      return { ...read, judge: (domain) => judgeBeside(beside, { source, domain, dnsServers }) };
    });
  } finally {
    await thread.close();
  }
}

/** Reads to the end, because the mail server waits for that; keeps only the beginning. */
async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    if (length < MAIL_BYTES_MAX) chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
  }
  return Buffer.concat(chunks);
}
