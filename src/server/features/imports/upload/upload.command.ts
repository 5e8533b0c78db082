import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { startImport, type uploadImport } from '#contract/imports/imports.ts';
import { IMPORT_HEAD_BYTES, MAX_IMPORT_BYTES, MAX_WORKBOOK_BYTES, MB } from '#domain/company/import-limits.ts';
import { MAX_MEMBER_UPLOADS, MAX_OPEN_UPLOADS, STALLED_UPLOAD_MINUTES } from '#domain/limits.ts';
import type { MemberDb } from '../../../platform/database/account-db.ts';
import { createOnce } from '../../../platform/database/create-once.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { lockWithin, tryLockWithin } from '../../../platform/database/lock-account.ts';
import { fieldProblem, notFound, Problem, partRunning } from '../../../platform/problem.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { quoted, type StorageLimits, storageFault } from '../../stored-files/storage-limits.ts';
import { appendPiece, createFile } from '../../stored-files/stored-file.queries.ts';
import { discardUpload } from '../discard.command.ts';
import { findImport } from '../import.queries.ts';
import { workbookFaults } from '../read/workbook/workbook-faults.ts';

/** An incomplete upload. */
interface OpenUpload {
  readonly id: number;
  readonly name: string;
  readonly fileId: number;
}

const KEPT_DAYS = 1;

/**
 * Starts an import with an empty file, which expires after a day.
 * At the account's upload limit, a stalled upload of this member is discarded.
 */
export function beginImport(
  account: MemberDb,
  { body, key }: { body: z.output<(typeof startImport)['body']>; key: string | undefined },
  limits: StorageLimits,
): Promise<CallAnswer<typeof startImport> | Problem> {
  const { name, bytes, head_sha256 = null } = body.add_info;
  if (bytes === 0) return Promise.resolve(emptyFile());
  if (/\.xlsx$/i.test(name) && bytes > MAX_WORKBOOK_BYTES) return Promise.resolve(workbookFaults.tooLarge);
  if (bytes > MAX_IMPORT_BYTES) return Promise.resolve(fileTooLarge(bytes));
  const { id: accountId, memberId } = account;
  return createOnce(account, { call: startImport, key, input: body }, async (tx) => {
    const stalled = await uploadsToDiscard(tx, { accountId, memberId });
    if (stalled instanceof Problem) return stalled;
    const insteadOf = stalled.map(({ fileId }) => fileId);
    const full = await storageFault(tx, accountId, { bytes, isNew: true, insteadOf }, limits);
    if (full) return full;
    for (const upload of stalled) await discardUpload(tx, account, upload);
    const mediaType = 'application/octet-stream';
    const fileId = await createFile(tx, { accountId, name, mediaType, keptDays: KEPT_DAYS, bytes });
    const { id } = await tx
      .insertInto('import_run')
      .values({
        account_id: accountId,
        member_id: memberId,
        file_name: name.replace(/\p{Cc}/gu, ''),
        state: 'uploading',
        file_id: fileId,
        file_bytes: bytes,
        head_sha256,
        rows_read: 0,
        rows_added: 0,
        rows_updated: 0,
        rows_refused: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const detail = { import_run_id: id, file_bytes: bytes };
    await recordAudit(tx, { accountId, memberId, kind: 'import_started', detail });
    return { status: 'added' as const, id, discarded: stalled.map((upload) => upload.name) };
  });
}

/**
 * Appends a part of the file.
 * @returns 404; 409 if another process is storing a part of the account, or the part starts elsewhere than at the
 * stored end, or belongs to another file
 */
export function appendPart(
  account: MemberDb,
  id: number,
  { start, head_sha256: head }: z.output<(typeof uploadImport)['query']>,
  part: Buffer,
): Promise<CallAnswer<typeof uploadImport> | Problem> {
  return account.transaction(async (tx) => {
    if (!(await tryLockWithin(tx, 'parts', account.id))) return partRunning();
    const run = await findImport(tx, account.id, id, { lock: true });
    if (!run || run.fileId === null || run.bytes === null || run.uploaded === null) return notFound();
    const hash = start === 0 ? headHashOf(part, run.bytes) : null;
    if (isOtherFile(run.headHash, head) || isOtherFile(run.headHash, hash)) return otherFile();
    if (start !== run.uploaded) return wrongStart(run.uploaded);
    if (part.length === 0 || start + part.length > run.bytes) return badPart();
    const uploaded = await appendPiece(tx, { accountId: account.id, id: run.fileId }, start, part);
    if (uploaded === null) return notFound();
    await tx
      .updateTable('import_run')
      .set({ head_sha256: run.headHash ?? hash, ...(uploaded === run.bytes && { state: 'uploaded' }) })
      .where('account_id', '=', account.id)
      .where('id', '=', id)
      .execute();
    return { uploaded };
  });
}

/** Checks whether a part belongs to another file than the stored one. An unknown hash matches any. */
const isOtherFile = (stored: string | null, hash: string | null | undefined): boolean =>
  stored !== null && typeof hash === 'string' && hash !== stored;

/** Hashes the file's head from its first part. @returns null if the part is shorter than the head */
function headHashOf(part: Buffer, fileBytes: number): string | null {
  if (part.length < Math.min(IMPORT_HEAD_BYTES, fileBytes)) return null;
  return createHash('sha256').update(part.subarray(0, IMPORT_HEAD_BYTES)).digest('hex');
}

const emptyFile = () => fieldProblem('add_info.bytes', 'invalid_input', 'ファイルが空です');

const fileTooLarge = (bytes: number) =>
  new Problem(
    'file_too_large',
    `大きすぎます（${Math.ceil(bytes / MB)}MB）。${MAX_IMPORT_BYTES / MB}MBまでのファイルに分けてください`,
  );

const wrongStart = (uploaded: number) =>
  new Problem('wrong_start', `${uploaded}バイトまで届いています。続きから送ってください。`, undefined, [
    { path: 'start', message: String(uploaded) },
  ]);

const otherFile = () =>
  new Problem('other_file', '始めたときと別のファイルです。同じファイルを選ぶか、最初からやり直してください。');

const badPart = () => new Problem('empty_part', '送った部分が空か、登録した大きさを超えています。');

/**
 * Finds the uploads that a member's new one replaces, as many as exceed the limits of the member and of the account:
 * the oldest of the member without a part for STALLED_UPLOAD_MINUTES, and those of stopped members. They stay locked.
 * @returns 409 that names the remaining uploads, if too few are stalled
 */
async function uploadsToDiscard(
  tx: Tx,
  { accountId, memberId }: { readonly accountId: number; readonly memberId: number },
): Promise<readonly OpenUpload[] | Problem> {
  await lockWithin(tx, 'limits', accountId);
  const { rows } = await sql<OpenUpload & { isOwn: boolean; isStalled: boolean }>`
    SELECT run.id, run.file_name AS name, file.id AS "fileId",
      run.member_id IS NOT DISTINCT FROM ${memberId} AS "isOwn",
      CASE WHEN run.member_id IS NOT DISTINCT FROM ${memberId}
        THEN file.written_at < now() - make_interval(mins => ${sql.lit(STALLED_UPLOAD_MINUTES)})
        ELSE member.active IS NOT TRUE END AS "isStalled"
    FROM import_run AS run
    JOIN stored_file AS file ON file.account_id = run.account_id AND file.id = run.file_id
    LEFT JOIN member ON member.account_id = run.account_id AND member.id = run.member_id
    WHERE run.account_id = ${accountId} AND run.state = 'uploading' AND file.expires_at > now()
    ORDER BY file.written_at, run.id
    FOR NO KEY UPDATE OF run, file`.execute(tx);
  const own = rows.filter(({ isOwn }) => isOwn);
  const replaced = stalledOf(own, own.length - MAX_MEMBER_UPLOADS + 1);
  if (!replaced) return tooManyUploads(own);
  const others = rows.filter((upload) => !replaced.includes(upload));
  const more = stalledOf(others, others.length - MAX_OPEN_UPLOADS + 1);
  return more ? [...replaced, ...more] : tooManyUploads(rows);
}

/** Returns the oldest stalled uploads, `surplus` of them; null: there are fewer. */
function stalledOf<Upload extends { isStalled: boolean }>(
  uploads: readonly Upload[],
  surplus: number,
): Upload[] | null {
  const stalled = uploads.filter(({ isStalled }) => isStalled).slice(0, Math.max(0, surplus));
  return stalled.length < surplus ? null : stalled;
}

function tooManyUploads(open: readonly OpenUpload[]): Problem {
  const names = open.slice(0, MAX_OPEN_UPLOADS).map(({ name }) => quoted(name));
  const more = open.length > names.length ? `など${open.length}件` : '';
  return new Problem(
    'too_many_uploads',
    `アップロードできるのは、同時に1人${MAX_MEMBER_UPLOADS}件、アカウント全体で${MAX_OPEN_UPLOADS}件までです。${names.join('、')}${more}が途中です。` +
      '送り終えるか、取り込みの履歴で破棄してから、やり直してください。',
  );
}
