import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';

export type AddInfo = InputOf<'addSuppressions'>['body']['add_info'];
export type GivenClass = AddInfo['class'];
export type AddAnswer = AnswerOf<'addSuppressions'>;
export type ImportAnswer = AnswerOf<'importSuppressions'>;

/** Stores values, or only counts what they would change. */
export const postSuppressions = (add_info: AddInfo, isTrial: boolean, key: string) =>
  call(
    'addSuppressions',
    { body: { add_info, ...(isTrial && { dry_run: 1 as const }) } },
    isTrial ? {} : { headers: { 'Idempotency-Key': key } },
  );

/** Stores the values of a file, or only counts what they would change. */
export const postSuppressionFile = (bytes: ArrayBuffer, type: GivenClass, isTrial: boolean) =>
  call('importSuppressions', { query: { class: type, ...(isTrial && { dry_run: '1' as const }) } }, { bytes });
