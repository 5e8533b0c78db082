import { ApiError } from '#web/lib/query-client.ts';

/** What the server says about one field of a body (`update_info.name`), if anything. */
export function fieldFault(error: Error | null, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.failure.details?.find((detail) => detail.path === path)?.message;
}
