import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileSize } from '#domain/text/file-size.ts';
import { isUnverifiedTls } from '../../platform/database/database-url.ts';
import type { Db } from '../../platform/database/db.ts';
import { freeBytesOf, freeBytesOfServer } from '../../platform/disk.ts';
import { isLoopback } from '../../platform/mail/smtp/settings.ts';
import { hasSystemSender } from '../../platform/mail/system-sender.ts';
import { VERSION } from '../../platform/package.ts';
import { keyFileOf } from '../../platform/secrets/secret-key.ts';
import type { Settings } from '../../platform/settings.ts';
import { bad, type Finding, look, ok } from './finding.ts';

/* Checks of this machine and its settings. They change nothing. */

export const checkVersion = (): Finding => ok(`Kaitaku ${VERSION}、Node.js ${process.versions.node}。`);

/** Checks settings that are valid, but that a server for others should not have. */
export function checkSettings(settings: Settings): Finding[] {
  const { publicUrl, proxies, database, named } = settings;
  const url = new URL(publicUrl);
  const isForOthers = !isLoopback(url);
  const found: Finding[] = [];
  if (isForOthers && url.protocol !== 'https:')
    found.push(
      look(
        `PUBLIC_URL（${publicUrl}）が https:// ではないため、パスワードが暗号化されずに流れます。`,
        'TLSのプロキシを前に置き、PUBLIC_URL を https:// のアドレスにしてください。',
      ),
    );
  if (isForOthers && proxies.ranges.length === 0)
    found.push(
      look(
        'TRUST_PROXY がないため、プロキシの後ろの全員が、1つの上限を分け合います。',
        'プロキシがつないでくるアドレスだけを TRUST_PROXY に設定してください。',
      ),
    );
  if (!hasSystemSender(settings))
    found.push(
      look(
        'MAIL_FROM がないため、確認やパスワードの再設定のメールを送れないことがあります。',
        'Kaitaku自身のメールの差出人を MAIL_FROM に設定してください。',
      ),
    );
  if ([database.owner, ...Object.values(database.roles)].some((one) => one !== null && isUnverifiedTls(one)))
    found.push(
      look(
        'sslmode=require は、データベースの相手が本物かどうかを確かめません。',
        'sslmode=verify-full にしてください（独自の認証局なら sslrootcert も）。',
      ),
    );
  return found.length > 0 ? found : [ok(`誤りはありません（${named.length}個が設定されています）。`)];
}

/** Checks the rights of what this machine stores. */
export function checkFiles({ dataDir }: Settings): Finding[] {
  const folder = statSync(dataDir, { throwIfNoEntry: false });
  if (!folder) return [ok(`${dataDir} はありません（web だけを動かすマシンでは要りません）。`)];
  const open = [keyFileOf(dataDir), join(dataDir, 'postgres.password'), join(dataDir, 'receipts')].filter(isOpen);
  const found = open.map((path) =>
    bad(`${path} を、このマシンのほかのユーザーも読めます。`, `chmod go= '${path}' を実行してください。`),
  );
  try {
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    found.push(
      look(
        `${dataDir} に書き込めません（${(error as NodeJS.ErrnoException).code}）。worker は送信の記録を残せません。`,
        'worker を動かすマシンなら、このフォルダーを、動かすユーザーのものにしてください。',
      ),
    );
  }
  return found.length > 0 ? found : [ok(`${dataDir} に書き込めます。鍵と送信の記録は、動かすユーザーだけが読めます。`)];
}

/** Whether others than the owner may read a file, or look into a folder. Windows has no such rights. */
function isOpen(path: string): boolean {
  const stats = process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o077) !== 0;
}

const LITTLE_BYTES = 1024 ** 3;
const TOO_LITTLE_BYTES = 100 * 1024 ** 2;

/** Checks the free bytes of DATA_DIR and, where it is on this machine, of the database. */
export async function checkDisk({ dataDir }: Settings, db: Db): Promise<Finding[]> {
  const disks = [
    { what: 'DATA_DIR', free: await freeBytesOf(dataDir).catch(() => null) },
    { what: 'データベース', free: await freeBytesOfServer(db) },
  ];
  const found = disks.flatMap(({ what, free }) => (free === null ? [] : [roomOf(what, free)]));
  return found.length > 0 ? found : [ok('データベースのディスクは、このマシンからは見えません。')];
}

function roomOf(what: string, free: number): Finding {
  const text = `${what} のディスクの空きは ${fileSize(free)} です。`;
  if (free >= LITTLE_BYTES) return ok(text);
  const cure = '空きを増やしてください。なくなると、送信も保存も止まります。';
  return free < TOO_LITTLE_BYTES ? bad(text, cure) : look(text, cure);
}
