import type pg from 'pg';
import { BEGIN_SNAPSHOT, inClientTransaction } from '../../platform/database/client-transaction.ts';
import { type Db, dbOn, openDatabase } from '../../platform/database/db.ts';
import type { DatabaseAccess } from '../../platform/database/roles/database-access.ts';
import type { Settings } from '../../platform/settings.ts';
import { StartupError } from '../../platform/startup-error.ts';
import {
  accessOf,
  checkBackupRun,
  checkClock,
  checkDatabase,
  checkMailboxes,
  checkReceipts,
  checkSecretKey,
  checkSending,
} from './database-checks.ts';
import { bad, type Finding, findingsOf, look, secretsOf } from './finding.ts';
import { checkDisk, checkFiles, checkSettings, checkVersion } from './machine-checks.ts';
import { checkDomains, checkInbox, checkMailServer, checkOwnAnswer } from './network-checks.ts';

/** A finding with the name of its check. */
type Line = Finding & { readonly check: string };

interface Report {
  readonly lines: readonly Line[];
  /** A check has no answer yet, whose connection may stay open. */
  readonly isLate: boolean;
}

/** Checks the installation, and prints what it finds with the cures. A fault sets `process.exitCode` to 1. */
export async function doctor(readSettings: () => Settings, json: boolean): Promise<void> {
  const { lines, isLate } = await examine(readSettings);
  const counts = { bad: countOf(lines, 'bad'), look: countOf(lines, 'look') };
  const text = json
    ? `${JSON.stringify({ ok: counts.bad === 0, checks: lines }, null, 2)}\n`
    : `${lines.map(textOf).join('')}\n${summaryOf(counts)}\n`;
  process.stdout.write(text);
  if (counts.bad > 0) process.exitCode = 1;
  if (isLate) process.exit();
}

const countOf = (lines: readonly Line[], state: Finding['state']) =>
  lines.filter((line) => line.state === state).length;

const MARKS = { ok: '✓', look: '要確認', bad: '✗' } as const;

const textOf = ({ state, check, text, cure }: Line): string =>
  `${MARKS[state]} ${check}：${text}\n${cure === '' ? '' : `    ${cure.replaceAll('\n', '\n    ')}\n`}`;

function summaryOf({ bad: faults, look: looks }: Record<'bad' | 'look', number>): string {
  if (faults === 0 && looks === 0) return '問題は見つかりませんでした。';
  return `直す必要があるもの（✗）${faults}件、要確認 ${looks}件です。`;
}

async function examine(readSettings: () => Settings): Promise<Report> {
  let settings: Settings;
  try {
    settings = readSettings();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const [, ...faults] = error.message.split('\n・');
    const cure = '直してから、もう一度実行してください。ほかの確認は、設定が正しくなってから行います。';
    return { lines: faults.map((fault) => ({ check: '設定', ...bad(fault, cure) })), isLate: false };
  }
  const done = (await Promise.all([ofMachine(settings), ofDatabase(settings), ofNetwork(settings)])).flat();
  const secrets = secretsOf(settings);
  return {
    lines: done.flatMap(({ lines }) => lines).map((line) => withoutSecrets(line, secrets)),
    isLate: done.some(({ isLate }) => isLate),
  };
}

/** A foreign server's words may repeat what it was sent. */
function withoutSecrets(line: Line, secrets: readonly string[]): Line {
  const clean = (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  return { ...line, text: clean(line.text), cure: clean(line.cure) };
}

async function check(name: string, run: Parameters<typeof findingsOf>[0]): Promise<Report> {
  const { findings, isLate } = await findingsOf(run);
  return { lines: findings.map((finding) => ({ check: name, ...finding })), isLate };
}

const ofMachine = (settings: Settings) =>
  Promise.all([
    check('版', async () => checkVersion()),
    check('設定', async () => checkSettings(settings)),
    check('ファイルの権限', async () => checkFiles(settings)),
  ]);

const ofNetwork = (settings: Settings) =>
  Promise.all([
    check('PUBLIC_URL', (stopping) => checkOwnAnswer(settings, stopping)),
    check('メールサーバー', (stopping) => checkMailServer(settings, stopping)),
  ]);

/** Runs the checks that need the database, if it can be used. */
async function ofDatabase(settings: Settings): Promise<readonly Report[]> {
  const opened: { access?: DatabaseAccess } = {};
  const first = await check('データベース', async () => {
    opened.access = accessOf(settings);
    return checkDatabase(settings, opened.access);
  });
  const { access } = opened;
  if (access === undefined || first.lines.some(({ state }) => state === 'bad')) {
    const line = look('データベースを使えないため、確かめていません。', '先に「データベース」を直してください。');
    return [first, { lines: [{ check: Object.keys(CHECKS).join('、'), ...line }], isLate: false }];
  }
  const { pool, close } = openDatabase(access.urlOf('service'), { role: 'service' });
  const reports = await Promise.all(
    Object.entries(CHECKS).map(([name, run]) =>
      check(name, (stopping) => inReading(pool, (db) => run({ settings, db, stopping }))),
    ),
  );
  // A statement that hangs would be waited for.
  if (!reports.some(({ isLate }) => isLate)) await close();
  return [first, ...reports];
}

/** Runs `work` in a transaction that can write nothing, and whose statements end with the check. */
const inReading = <Result>(pool: pg.Pool, work: (db: Db) => Promise<Result>): Promise<Result> =>
  inClientTransaction(
    pool,
    async (client) => {
      await client.query("SET LOCAL statement_timeout = '5s'");
      return { commit: false, result: await work(dbOn(client)) };
    },
    BEGIN_SNAPSHOT,
  );

interface Parts {
  readonly db: Db;
  readonly settings: Settings;
  readonly stopping: AbortSignal;
}

/** The checks that need the database, by their names. */
const CHECKS: Readonly<Record<string, (parts: Parts) => Promise<Finding | readonly Finding[]>>> = {
  SECRET_KEY: ({ settings, db }) => checkSecretKey(settings, db),
  時計: ({ db }) => checkClock(db),
  ディスク: ({ settings, db }) => checkDisk(settings, db),
  送信: ({ db }) => checkSending(db),
  送信の記録: ({ settings, db }) => checkReceipts(settings, db),
  バックアップ: ({ db }) => checkBackupRun(db),
  受信箱: ({ settings, db, stopping }) => checkInbox(settings, db, stopping),
  メールボックス: ({ db }) => checkMailboxes(db),
  差出人のDNS: async ({ settings, db }) => {
    // Imported here: it takes half of the start time of any command.
    const { chooseTransport } = await import('../run.ts');
    return checkDomains(settings, db, chooseTransport(settings)?.mailPath ?? null);
  },
};
