import type { Command } from 'commander';
import { MAIL_BYTES_MAX } from '../features/inbox/inbox-mail.ts';
import { readInboxMail } from '../features/inbox/read-mail.ts';
import { takeMail } from '../features/inbox/take-mail.command.ts';
import { accountDbOf } from '../platform/account-db.ts';
import type { Settings } from '../platform/settings.ts';
import { command } from './command.ts';
import { withDatabase } from './with-database.ts';

const TAKE_DETAILS = `標準入力から1通のメール（戻ってきたメール、配信停止の希望、返信）を読み、対応する送信に反映します。
メールサーバーの転送先（パイプ）に使います。宛先は環境変数 ORIGINAL_RECIPIENT、差出人は SENDER から読みます。
何度読んでも結果は同じです。データベースに接続できないときは 75 で終わり、メールサーバーがあとで再送します。`;

export const inboxCommand = (readSettings: () => Settings): Command =>
  command('inbox', '戻ってきたメールや返信を読む').addCommand(
    command('take', '標準入力の1通を読み、送信に反映する', TAKE_DETAILS).action(() => take(readSettings)),
  );

/** `EX_TEMPFAIL` of sysexits.h: the mail server keeps the mail, and tries again. */
const TEMPORARY_FAILURE = 75;

async function take(readSettings: () => Settings): Promise<void> {
  const { ORIGINAL_RECIPIENT, SENDER } = process.env;
  try {
    const settings = readSettings();
    const envelope = { recipient: ORIGINAL_RECIPIENT ?? null, sender: SENDER ?? null };
    const source = await readInput();
    const mail = await readInboxMail(source, settings.returnAddress, envelope);
    const { dnsServers, authservId } = settings;
    const taken = await withDatabase(settings, ({ db }) =>
      takeMail({ db, now: Date.now, accountDb: accountDbOf(db), dnsServers, authservId }, mail, source),
    );
    process.stdout.write(`${taken}\n`);
  } catch (error) {
    // Any other exit code would make the mail server send the mail back.
    process.stderr.write(`メールを反映できませんでした（${(error as Error).message}）。\n`);
    process.exitCode = TEMPORARY_FAILURE;
  }
}

/** Reads to the end, because the mail server waits for it; only the beginning is kept. */
async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    if (length < MAIL_BYTES_MAX) chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
  }
  return Buffer.concat(chunks);
}
