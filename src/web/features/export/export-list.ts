import { queryOptions } from '@tanstack/react-query';
import type { CallAnswer } from '#contract/call.ts';
import type { listExports } from '#contract/export.ts';
import { EXPORT_DAYS } from '#domain/limits.ts';
import { formatSecond } from '#domain/tokyo-time.ts';
import { callApi, fetchFile } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { serverNow } from '#web/lib/server-clock.ts';

export const EXPORT_LIST = 'export_list';
const DAY_MS = 86_400_000;

export type Export = CallAnswer<typeof listExports>[number];

export const isOpen = ({ state }: Export): boolean => state === 'queued' || state === 'running';

/** The exports of the last days, the newest first, without files that have expired. */
export const exportList = queryOptions({
  queryKey: [EXPORT_LIST] as const,
  queryFn: async ({ signal }): Promise<Export[]> =>
    unwrap(await callApi<typeof listExports>('GET', '/export/list', {}, { signal })),
  select: (exports) => {
    const oldest = formatSecond(serverNow() - EXPORT_DAYS * DAY_MS);
    return exports.filter((one) => (one.state === 'done' ? one.file !== null : one.created_at > oldest));
  },
  staleTime: 0,
  meta: { quiet: true },
});

/** Fetches the file of an export, and has the browser save it. @returns the failure's message, or null */
export async function downloadExport(id: number, name: string): Promise<string | null> {
  const file = await fetchFile(`/export/${id}/file`);
  if (!file.ok) return file.message;
  saveFile(file.data, name);
  return null;
}

/** The browser reads the blob after the click. */
const KEPT_MS = 60_000;

function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
