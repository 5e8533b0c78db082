import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Row } from './export-table.ts';

/** 100,000 rows of 18 columns need about half of it. */
const MAX_HEAP_MB = 1024;

interface XlsxFile {
  add(rows: readonly Row[]): void;
  /** Returns the bytes of the file. */
  finish(): Promise<Buffer>;
  /** Ends the thread; does nothing after `finish`. */
  close(): Promise<void>;
}

/** Makes an xlsx file in a thread. Texts are stored as texts, so none is run as a formula. */
export function xlsxFile(): XlsxFile {
  const thread = new Worker(new URL('./xlsx-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  // Rejects with the thread's error; `finish` awaits it.
  const made = once(thread, 'message');
  made.catch(() => {});
  return {
    add: (rows) => thread.postMessage(rows),
    async finish() {
      thread.postMessage('end');
      const [file] = (await made) as [Uint8Array];
      return Buffer.from(file.buffer, file.byteOffset, file.byteLength);
    },
    close: async () => void (await thread.terminate()),
  };
}
