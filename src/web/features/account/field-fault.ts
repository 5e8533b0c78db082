import { ApiError } from '#web/lib/query-client.ts';

/** Returns the server's message about one field of a body (`update_info.name`), if it has one. */
export function fieldFault(error: Error | null, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.failure.details?.find((detail) => detail.path === path)?.message;
}
