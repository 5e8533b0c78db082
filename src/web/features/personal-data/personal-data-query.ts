import { type AnswerOf, call } from '#web/lib/api/call.ts';

export type PersonalData = AnswerOf<'viewPersonalData'>;

export const showPersonalData = (email: string) => call('viewPersonalData', { body: { email } });

export const erase = (email: string, record_refusal: 0 | 1) =>
  call('erasePersonalData', { body: { email, record_refusal } });
