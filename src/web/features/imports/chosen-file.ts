import type { Import } from '#contract/companies/imports.ts';
import { IMPORT_HEAD_BYTES, MAX_IMPORT_BYTES, MAX_WORKBOOK_BYTES, MB } from '#domain/company/import-limits.ts';
import { FILE_MESSAGES } from './words.ts';

const { faults } = FILE_MESSAGES;

export const isWorkbook = (name: string): boolean => /\.xls\w?$/i.test(name);

/** Returns why files cannot be uploaded, or null. */
export function fileFault(files: readonly File[]): string | null {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) return faults.many;
  if (file.size === 0) return faults.empty;
  const megabytes = Math.ceil(file.size / MB);
  if (isWorkbook(file.name) && file.size > MAX_WORKBOOK_BYTES) return faults.workbookTooLarge(megabytes);
  return file.size > MAX_IMPORT_BYTES ? faults.tooLarge(megabytes) : null;
}

/** Reads a part of a file. @returns null where it was changed, moved or is a folder */
export async function readPart(file: File, start: number, end: number): Promise<ArrayBuffer | null> {
  try {
    return await file.slice(start, end).arrayBuffer();
  } catch {
    return null;
  }
}

/** Returns the SHA-256 of a file's head in hexadecimal, by which the server knows it again; null: unreadable. */
export async function headHash(file: File): Promise<string | null> {
  const head = await readPart(file, 0, IMPORT_HEAD_BYTES);
  if (head === null) return null;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(head)));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Checks whether a file is the one that an upload began with. @returns why not, or null */
export async function otherFileFault(file: File, begun: Pick<Import, 'bytes' | 'head_sha256'>): Promise<string | null> {
  if (file.size !== begun.bytes) return faults.other;
  const hash = await headHash(file);
  if (hash === null) return faults.unreadable;
  return begun.head_sha256 !== null && begun.head_sha256 !== hash ? faults.other : null;
}
