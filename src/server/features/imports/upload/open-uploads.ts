import { sql } from 'kysely';
import { MAX_OPEN_UPLOADS, STALLED_UPLOAD_MINUTES } from '#domain/limits.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { lockWithin } from '../../../platform/database/lock-account.ts';
import { Problem } from '../../../platform/problem.ts';
import { quoted } from '../../stored-files/storage-limits.ts';

/** An upload that is not complete. */
export interface OpenUpload {
  readonly id: number;
  readonly name: string;
  readonly fileId: number;
}

/**
 * Finds the uploads that a new one of this member takes the place of: the oldest that got no part for
 * STALLED_UPLOAD_MINUTES, as many as are too many. They stay locked.
 * @returns 409 that names what keeps the places, where there are not enough
 */
export async function uploadsToDiscard(
  tx: Tx,
  { accountId, memberId }: { readonly accountId: number; readonly memberId: number },
): Promise<readonly OpenUpload[] | Problem> {
  await lockWithin(tx, 'limits', accountId);
  const { rows } = await sql<OpenUpload & { isStalled: boolean }>`
    SELECT run.id, run.file_name AS name, file.id AS "fileId",
      run.member_id IS NOT DISTINCT FROM ${memberId}
        AND file.written_at < now() - make_interval(mins => ${sql.lit(STALLED_UPLOAD_MINUTES)}) AS "isStalled"
    FROM import_run AS run
    JOIN stored_file AS file ON file.account_id = run.account_id AND file.id = run.file_id
    WHERE run.account_id = ${accountId} AND run.state = 'uploading' AND file.expires_at > now()
    ORDER BY file.written_at, run.id
    FOR NO KEY UPDATE OF run, file`.execute(tx);
  const surplus = rows.length - MAX_OPEN_UPLOADS + 1;
  if (surplus <= 0) return [];
  const stalled = rows.filter(({ isStalled }) => isStalled).slice(0, surplus);
  return stalled.length < surplus ? tooManyUploads(rows) : stalled;
}

function tooManyUploads(open: readonly OpenUpload[]): Problem {
  const names = open.slice(0, MAX_OPEN_UPLOADS).map(({ name }) => quoted(name));
  const more = open.length > names.length ? `など${open.length}件` : '';
  return new Problem(
    409,
    'too_many_uploads',
    `アップロードできるのは、アカウント全体で同時に${MAX_OPEN_UPLOADS}件までです。${names.join('、')}${more}が途中です。` +
      '送り終えるか、取り込みの履歴で破棄してから、やり直してください。',
  );
}
