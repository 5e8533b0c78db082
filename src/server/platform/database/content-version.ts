import { createHash } from 'node:crypto';
import type { ErrorCode } from '#contract/errors.ts';
import { timeInSentence } from '#domain/time/shown-time.ts';
import { fieldProblem, Problem } from '../problem.ts';

/**
 * Hashes content that two members may edit. Equal contents have equal versions, so that a repeated save is no conflict,
 * and no writer can forget to increment a version (docs/decisions/concurrent-edits).
 * @returns 22 characters of base64url (132 bits of SHA-256)
 */
export const contentVersion = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);

/**
 * Returns whether a save would overwrite changes that its caller has not seen.
 * @param version of what the caller has read; undefined: the last save wins, as in the specification's calls
 */
export const isStale = (version: string | undefined, stored: unknown): boolean =>
  version !== undefined && version !== contentVersion(stored);

interface LastSave {
  /** Who saved the content; null: unknown. */
  readonly by?: string | null | undefined;
  readonly at?: Date | null | undefined;
  /** What was changed, with its Japanese particle; absent: everything. */
  readonly what?: `${string}を`;
  /** The field of the body, if it is one. */
  readonly path?: string;
}

/** Refuses a save because another member has saved a change since the caller read the content. */
export function changedMeanwhile(code: ErrorCode, { by = null, at = null, what, path }: LastSave): Problem {
  const who = by === null ? 'ほかの人' : `${by}さん`;
  const when = at === null ? '' : `${timeInSentence(at.getTime(), Date.now())}に`;
  const message = `${who}が${when}${what ?? ''}変更しました。内容を確かめてから、保存してください。`;
  return path === undefined ? new Problem(code, message) : fieldProblem(path, code, message);
}
