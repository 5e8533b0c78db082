import { create } from 'zustand';
import type { Import } from '#contract/imports/imports.ts';
import {
  IMPORT_HEAD_BYTES,
  MAX_IMPORT_BYTES,
  MAX_IMPORT_PART_BYTES,
  MAX_WORKBOOK_BYTES,
  MB,
} from '#domain/company/import-limits.ts';
import { type ApiFailure, call, isUnreachable } from '#web/lib/api/call.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { FILE_MESSAGES } from './words.ts';

const { faults } = FILE_MESSAGES;

/** The size of an upload's first part. A slow line can send it within the server's request timeout. */
const FIRST_PART_BYTES = 256 * 1024;

/** The upload of one import's file. It continues while the user is on other screens. */
export interface Upload {
  readonly file: File;
  /** Bytes that the server has received. */
  readonly sent: number;
  readonly state: 'running' | 'cut' | 'done';
  /** Why the upload was interrupted; null: it was not. */
  readonly message: string | null;
}

/** The uploads of this page by import id. */
export const useUploads = create<Readonly<Record<number, Upload>>>()(() => ({}));

const aborts = new Map<number, AbortController>();

const change = (id: number, part: Partial<Upload>): void =>
  useUploads.setState((uploads) => (uploads[id] === undefined ? uploads : { [id]: { ...uploads[id], ...part } }));

/** The Idempotency-Key of each file: repeated presses begin one import. */
const keys = new WeakMap<File, string>();

interface FaultyFile {
  readonly file: File;
  /** Why the server refused the file. */
  readonly message: string;
}

/** The file whose upload the server refused. It stays chosen while the user frees storage on other screens. */
export const useFaultyFile = create<{ readonly refused: FaultyFile | null }>()(() => ({ refused: null }));

/**
 * Begins an import and uploads its file. The server may discard older incomplete uploads.
 * @returns the import's id, or the failure
 */
export async function beginUpload(file: File): Promise<number | string> {
  const hash = await headHash(file);
  if (hash === null) return FILE_MESSAGES.faults.unreadable;
  const key = keys.get(file) ?? crypto.randomUUID();
  keys.set(file, key);
  const body = { add_info: { name: file.name.slice(-255), bytes: file.size, head_sha256: hash } };
  const begun = await call('startImport', { body }, { headers: { 'Idempotency-Key': key } });
  useFaultyFile.setState({ refused: begun.ok ? null : { file, message: begun.message } });
  if (!begun.ok) return begun.message;
  keys.delete(file);
  const { id, discarded } = begun.data;
  if (discarded.length > 0) toast('info', FILE_MESSAGES.discarded(discarded.join(LIST_SEPARATOR)));
  void run(id, { file, sent: 0, state: 'running', message: null });
  return id;
}

/**
 * Continues an interrupted upload.
 *
 * @param file the file that the user chose again; undefined: the page still has it
 * @returns why the file differs from the one that the upload began with, or null
 */
export async function resumeUpload(found: Import, file?: File): Promise<string | null> {
  const kept = useUploads.getState()[found.id];
  if (kept?.state === 'running') return null;
  const chosen = file ?? kept?.file;
  if (chosen === undefined) return FILE_MESSAGES.faults.unreadable;
  const fault = file === undefined ? null : await otherFileFault(file, found);
  if (fault !== null) return fault;
  void run(found.id, { file: chosen, sent: kept?.sent ?? found.uploaded ?? 0, state: 'running', message: null });
  return null;
}

/** Stops the upload of a file that cannot be imported or was discarded. */
export function stopUpload(id: number): void {
  aborts.get(id)?.abort();
  if (useUploads.getState()[id]?.state === 'running') change(id, { state: 'cut', message: FILE_MESSAGES.stopped });
}

/** Asks before the page closes during an upload. */
const keepOpen = (event: BeforeUnloadEvent): void => event.preventDefault();

async function run(id: number, upload: Upload): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  useUploads.setState({ [id]: upload });
  addEventListener('beforeunload', keepOpen);
  const failure = await sendParts(id, upload, abort.signal);
  if (aborts.get(id) === abort) aborts.delete(id);
  if (aborts.size === 0) removeEventListener('beforeunload', keepOpen);
  if (abort.signal.aborted) return;
  change(id, failure === null ? { state: 'done' } : { state: 'cut', message: failure });
}

/** Sends the missing parts of a file. @returns why the upload was interrupted, or null */
async function sendParts(id: number, { file, sent: begun }: Upload, signal: AbortSignal): Promise<string | null> {
  let size = FIRST_PART_BYTES;
  let corrections = 0;
  let waits = 0;
  for (let sent = begun; sent < file.size; ) {
    const bytes = await readPart(file, sent, Math.min(sent + size, file.size));
    if (bytes === null) return FILE_MESSAGES.faults.unreadable;
    const startedAt = performance.now();
    const answer = await sendPart(id, sent, bytes, signal);
    if (signal.aborted || answer === null) return null;
    if (!answer.ok && answer.code === 'part_running' && waits < MAX_WAITS) {
      waits += 1;
      await new Promise((done) => setTimeout(done, PART_WAIT_MS));
      if (signal.aborted) return null;
      continue;
    }
    waits = 0;
    if (!answer.ok) {
      const stored = storedEnd(answer);
      // The answer to an earlier part was lost, although the server has stored the part.
      if (stored === null || ++corrections > MAX_CORRECTIONS)
        return isUnreachable(answer) ? FILE_MESSAGES.cut : answer.message;
      sent = stored;
    } else {
      sent = answer.data.uploaded;
      size = nextPartBytes(size, performance.now() - startedAt);
    }
    change(id, { sent });
  }
  return null;
}

/** Limits the corrections: two browsers that send one file would correct each other forever. */
const MAX_CORRECTIONS = 10;

/**
 * The retry interval in ms. The server takes one part of an account at a time, so another upload waits. A resumed
 * upload waits until the server detects that the previous connection is closed, up to half a minute.
 */
const PART_WAIT_MS = 1000;
const MAX_WAITS = 60;

/** Sends one part. @returns null on an abort */
async function sendPart(id: number, start: number, bytes: ArrayBuffer, signal: AbortSignal) {
  const input = { params: { id: String(id) }, query: { start } };
  try {
    return await call('uploadImport', input, { bytes, signal });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Returns from a refusal the offset of the next part. */
function storedEnd({ code, details }: ApiFailure): number | null {
  const stored = Number(details?.find(({ path }) => path === 'start')?.message);
  return code === 'wrong_start' && Number.isSafeInteger(stored) ? stored : null;
}

// A new session must not continue the uploads of another.
useSession.subscribe((now, before) => {
  if (now.token === before.token) return;
  for (const abort of aborts.values()) abort.abort();
  useUploads.setState({}, true);
  useFaultyFile.setState({ refused: null });
});

const FAST_MS = 1000;
const SLOW_MS = 5000;

/** Returns the size of the next part. Parts of one to five seconds show progress and need few requests. */
function nextPartBytes(bytes: number, tookMs: number): number {
  if (tookMs < FAST_MS) return Math.min(MAX_IMPORT_PART_BYTES, bytes * 2);
  return tookMs > SLOW_MS ? Math.max(FIRST_PART_BYTES, bytes / 2) : bytes;
}

export const isWorkbook = (name: string): boolean => /\.xls\w?$/i.test(name);

/** Returns why the files cannot be uploaded, or null. */
export function fileFault(files: readonly File[]): string | null {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) return faults.many;
  if (file.size === 0) return faults.empty;
  const megabytes = Math.ceil(file.size / MB);
  if (isWorkbook(file.name) && file.size > MAX_WORKBOOK_BYTES) return faults.workbookTooLarge(megabytes);
  return file.size > MAX_IMPORT_BYTES ? faults.tooLarge(megabytes) : null;
}

/** Reads a part of a file. @returns null if the file was changed or moved, or is a folder */
async function readPart(file: File, start: number, end: number): Promise<ArrayBuffer | null> {
  try {
    return await file.slice(start, end).arrayBuffer();
  } catch {
    return null;
  }
}

/** Returns the SHA-256 of a file's head in hexadecimal, with which the server recognises it; null: unreadable. */
async function headHash(file: File): Promise<string | null> {
  const head = await readPart(file, 0, IMPORT_HEAD_BYTES);
  if (head === null) return null;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(head)));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Checks whether a file is the same that an upload began with. @returns the difference, or null */
async function otherFileFault(file: File, begun: Pick<Import, 'bytes' | 'head_sha256'>): Promise<string | null> {
  if (file.size !== begun.bytes) return faults.other;
  const hash = await headHash(file);
  if (hash === null) return faults.unreadable;
  return begun.head_sha256 !== null && begun.head_sha256 !== hash ? faults.other : null;
}
