import { z } from 'zod';
import { SKIP_REASONS } from '#domain/eligibility.ts';
import { MAX_TARGETS } from '#domain/limits.ts';
import { emailText, id, jsonOr, text } from './wire.ts';

/** What a client says of the companies to be mailed, now or later, and what it is answered for each that is left out. */

/**
 * A target as a client sends it. The server goes by prospect_id alone; company_email counts in test mode only, where it is
 * the test address (a `[n]` left in it becomes the row's index).
 */
export const target = z.strictObject({
  prospect_id: id,
  company_name: text(1000).optional(),
  company_email: emailText.optional(),
  person_in_charge: text(1000).optional(),
});
export type AskedTarget = z.output<typeof target>;

export const attackList = <Entry extends z.ZodType>(entry: Entry) =>
  jsonOr(z.array(entry).min(1, 'アタックリストが0件です').max(MAX_TARGETS));

/** A meeting slot offered in the mail: date YYYY-MM-DD, times H:mm or HH:mm. */
export const candidateDate = z.strictObject({
  date: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  start_time: z.string().regex(/^\d{1,2}:\d{2}$/),
  end_time: z.string().regex(/^\d{1,2}:\d{2}$/),
});

/** null: no dates are offered. */
export const candidateDates = jsonOr(z.array(candidateDate).min(1).max(100).nullable());

export const skippedTarget = z.object({ prospect_id: id, reason: z.enum(SKIP_REASONS) });
