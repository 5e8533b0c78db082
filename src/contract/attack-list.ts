import { z } from 'zod';
import { LEFT_OUT_REASONS } from '#domain/eligibility.ts';
import { DEFAULT_FETCH_LIMIT, DEFAULT_RESEND_DAYS, FETCH_LIMITS, MAX_RESEND_DAYS } from '#domain/limits.ts';
import { call } from './call.ts';
import { prospectFilter, prospectSort } from './prospect.ts';
import { id, intInQuery } from './wire.ts';

/** One target of an attack list; person_in_charge is the company's ceo, '' where unknown. */
export const attackListItem = z.object({
  prospect_id: id,
  company_name: z.string(),
  company_email: z.string(),
  person_in_charge: z.string(),
});
export type AttackListItem = z.infer<typeof attackListItem>;

const fetchLimit = intInQuery(1, 1000).refine((limit) => FETCH_LIMITS.some((choice) => choice === limit));

/**
 * rows: the first limit_count eligible prospects in the list's order. matched = eligible + the sum of left_out: a prospect
 * is counted under the first reason that holds, in the order of LEFT_OUT_REASONS.
 */
export const previewAttackList = call({
  method: 'GET',
  path: '/attack_list/preview',
  summary: '設定に合う送信対象と、対象外になった件数の理由別内訳',
  query: z.strictObject({
    sender_group_id: intInQuery(1, Number.MAX_SAFE_INTEGER),
    days_from_lastday: intInQuery(1, MAX_RESEND_DAYS).default(DEFAULT_RESEND_DAYS),
    limit_count: fetchLimit.default(DEFAULT_FETCH_LIMIT),
    ...prospectFilter,
    ...prospectSort,
  }),
  response: z.object({
    rows: z.array(attackListItem),
    matched: z.int(),
    eligible: z.int(),
    left_out: z.record(z.enum(LEFT_OUT_REASONS), z.int()),
  }),
});
