import { hasAccount, issueSetupKey, mayPrintSetupLink } from '../features/setup/setup-key.ts';
import type { Db } from '../platform/database/db.ts';

const BY_COMMAND =
  'アカウントがまだありません。npm run kaitaku -- account create で作ってください（PUBLIC_URL が https:// なら、ここに作成用のリンクを表示します）。';

/**
 * Returns the line about the first account that a start prints; null: there is an account.
 * It goes to standard output, never to the log: the link holds a key.
 */
export async function setupLine(login: Db, publicUrl: string, now: number): Promise<string | null> {
  if (!mayPrintSetupLink(publicUrl)) return (await hasAccount(login)) ? null : BY_COMMAND;
  const key = await issueSetupKey(login, now);
  return key === null ? null : `最初のアカウントを作るリンク（1時間、1回だけ使えます）: ${publicUrl}/setup/${key}`;
}
