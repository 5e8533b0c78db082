import type { CallAnswer, CallInput } from '#contract/call.ts';
import type { addSuppressions, importSuppressions } from '#contract/suppressions.ts';
import { callApi } from '#web/lib/api-client.ts';

export type AddInfo = CallInput<typeof addSuppressions>['body']['add_info'];
export type GivenClass = AddInfo['class'];
export type AddAnswer = CallAnswer<typeof addSuppressions>;
export type ImportAnswer = CallAnswer<typeof importSuppressions>;

/** Stores values, or only counts what that would change. */
export const postSuppressions = (add_info: AddInfo, isTrial: boolean, key: string) =>
  callApi<typeof addSuppressions>(
    'POST',
    '/suppression',
    { body: { add_info, ...(isTrial && { dry_run: 1 as const }) } },
    isTrial ? {} : { headers: { 'Idempotency-Key': key } },
  );

/** Stores the values of a file, or only counts what that would change. */
export const postSuppressionFile = (bytes: ArrayBuffer, type: GivenClass, isTrial: boolean) =>
  callApi<typeof importSuppressions>(
    'POST',
    '/suppression/import',
    { query: { class: type, ...(isTrial && { dry_run: '1' as const }) } },
    { bytes },
  );
