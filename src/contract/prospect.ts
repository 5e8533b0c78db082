import { z } from 'zod';
import { DEFAULT_PAGE_SIZE, MAX_FILTER_LENGTH, MAX_REMARKS_LENGTH, PAGE_SIZES } from '#domain/limits.ts';
import { call } from './call.ts';
import { flag, id, intInQuery, text } from './wire.ts';

/** The filters of the attack list screen. Text: comma-separated terms. Ranges: both bounds exclusive, money in yen. */
const terms = text(MAX_FILTER_LENGTH).optional();
const presence = z.enum(['yes', 'no']).optional();
const bound = intInQuery(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional();

export const prospectFilter = {
  major_industry_type: terms,
  included_industry_type: terms,
  address: terms,
  company_email: terms,
  has_company_url: presence,
  has_contact_url: presence,
  has_company_email: presence,
  amount_of_sales_from: bound,
  amount_of_sales_to: bound,
  ordinary_profit_from: bound,
  ordinary_profit_to: bound,
  number_of_employees_from: bound,
  number_of_employees_to: bound,
  year_of_establishment_from: bound,
  year_of_establishment_to: bound,
};
const prospectFilterObject = z.object(prospectFilter);
export type ProspectFilter = z.infer<typeof prospectFilterObject>;

/** The order of the columns on the screen, 有効 first. */
export const PROSPECT_COLUMNS = [
  'active',
  'sent_at',
  'send_at',
  'company_name',
  'remarks',
  'company_email',
  'ceo',
  'major_industry_type',
  'included_industry_type',
  'address',
  'number_of_employees',
  'amount_of_sales',
  'ordinary_profit',
  'capital',
  'year_of_establishment',
  'company_url',
  'contact_url',
] as const;
export type ProspectColumn = (typeof PROSPECT_COLUMNS)[number];

/** Blanks are last both ways; ties go by id. Without `sort` the order is by id. */
export const prospectSort = {
  sort: z.enum(PROSPECT_COLUMNS).optional(),
  order: z.enum(['asc', 'desc']).optional(),
};
const prospectSortObject = z.object(prospectSort);
export type ProspectSort = z.infer<typeof prospectSortObject>;

/** 未送信, 送信済み, 予約中; left out: すべて. */
export const SENDING_STATUSES = ['unsent', 'sent', 'reserved'] as const;

/** A company as one sender group sees it. sent_at, send_at: YYYY/MM/DD HH:mm in Asia/Tokyo, or null. */
export const prospectView = z.object({
  id,
  active: flag,
  sent_at: z.string().nullable(),
  send_at: z.string().nullable(),
  reservation_id: id.nullable(),
  company_name: z.string(),
  remarks: z.string(),
  company_email: z.string().nullable(),
  ceo: z.string().nullable(),
  major_industry_type: z.string().nullable(),
  included_industry_type: z.string().nullable(),
  address: z.string().nullable(),
  number_of_employees: z.number().nullable(),
  amount_of_sales: z.number().nullable(),
  ordinary_profit: z.number().nullable(),
  capital: z.number().nullable(),
  year_of_establishment: z.number().nullable(),
  company_url: z.string().nullable(),
  contact_url: z.string().nullable(),
});
export type ProspectView = z.infer<typeof prospectView>;

const pageSize = intInQuery(1, 200).refine((size) => PAGE_SIZES.some((choice) => choice === size));

/** A sender_group_id that is not the account's: an empty list. */
export const viewProspects = call({
  method: 'GET',
  path: '/prospect/view',
  summary: '送信者グループから見た見込み客の一覧（絞り込み・並べ替え・ページ）',
  query: z.strictObject({
    sender_group_id: intInQuery(1, Number.MAX_SAFE_INTEGER),
    status: z.enum(SENDING_STATUSES).optional(),
    ...prospectFilter,
    ...prospectSort,
    pagenate_count: pageSize.default(DEFAULT_PAGE_SIZE),
    pagenate_num: intInQuery(1, 1_000_000).default(1),
  }),
  response: z.object({ rows: z.array(prospectView), total: z.int() }),
});

export const saveActiveProspect = call({
  method: 'POST',
  path: '/active_prospect/',
  summary: '見込み客の有効・無効と備考を送信者グループごとに保存する',
  body: z.strictObject({
    add_info: z.strictObject({
      prospect_id: id,
      sender_group_id: id,
      active: flag.optional(),
      remarks: text(MAX_REMARKS_LENGTH).optional(),
    }),
    duplicate_key_update_info: z.strictObject({
      active: flag.optional(),
      remarks: text(MAX_REMARKS_LENGTH).optional(),
    }),
  }),
  response: z.object({ status: z.enum(['added', 'updated']) }),
});
