import type { CallAnswer } from '#contract/call.ts';
import type { erasePersonalData, viewPersonalData } from '#contract/personal-data.ts';
import { callApi } from '#web/lib/api-client.ts';

export type PersonalData = CallAnswer<typeof viewPersonalData>;

export const showPersonalData = (email: string) =>
  callApi<typeof viewPersonalData>('POST', '/personal_data/view', { body: { email } });

export const erase = (email: string, record_refusal: 0 | 1) =>
  callApi<typeof erasePersonalData>('POST', '/personal_data/erase', { body: { email, record_refusal } });
