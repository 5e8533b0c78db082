import { z } from 'zod';
import { parseName } from '#domain/company/person-name.ts';
import { CONDITION_CHIPS, MAX_NAME_LENGTH } from '#domain/limits.ts';
import { NAME_MESSAGES } from '../account/account.ts';
import { call } from '../call.ts';
import { flagFilter, idOrBounds, listCall } from '../list.ts';
import { flag, id, idempotencyHeaders, idInPath, idInQuery, idsInQuery, seenVersion, version } from '../wire.ts';
import { sendingStatus, VIEW_STATUSES } from './prospects.ts';
import { filtersFit, prospectFilter, prospectSort } from './prospects-filter.ts';

const conditionName = z
  .string()
  .transform((written, context) => {
    const parsed = parseName(written);
    if (parsed.ok) return parsed.name;
    const isBlank = parsed.fault === 'blank';
    context.addIssue({
      code: 'custom',
      message: isBlank ? '条件の名前が入力されていません' : NAME_MESSAGES[parsed.fault],
    });
    return z.NEVER;
  })
  .meta({
    description: '条件の名前です。自分だけの条件の中、全員で使う条件の中で、それぞれ重複できません。',
    documentedAs: z.string().min(1).max(MAX_NAME_LENGTH),
  });

/** The parts of a saved condition, each with its own schema: a refused one does not affect the others. */
export const CONDITION_PARTS = {
  sender_group_id: id.optional().describe('この条件を使うときに選ぶ送信者グループのidです。'),
  status: z.enum(VIEW_STATUSES).optional().describe('送信状況です。`GET /prospect/view` と同じです。'),
  ...prospectFilter,
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== '';

const whereInfo = z
  .strictObject(CONDITION_PARTS)
  .superRefine(filtersFit)
  .refine(
    ({ sender_group_id: _group, ...conditions }) => Object.values(conditions).some(isGiven),
    '条件がありません。絞り込みの条件を指定してください',
  );

const isShared = flag.describe('1なら全員で使う条件、0なら自分だけの条件です。');

type Part = keyof typeof CONDITION_PARTS;

/** Makes the schema of a part in an answer, described as in a request. */
const shown = <S extends z.ZodType>(part: Part, schema: S) =>
  schema.optional().describe(CONDITION_PARTS[part].description ?? '');
const shownText = (part: Part) => shown(part, z.string());
const shownPresence = (part: Part) => shown(part, z.enum(['yes', 'no']));
const shownBound = (part: Part) => shown(part, z.int());
const shownRange = z.object({ from: z.string().optional(), to: z.string().optional() });

/** The condition in an answer. */
const storedCondition = z.object({
  sender_group_id: shown('sender_group_id', id),
  status: shown('status', z.enum(VIEW_STATUSES)),
  search: shownText('search'),
  major_industry_type: shownText('major_industry_type'),
  included_industry_type: shownText('included_industry_type'),
  address: shownText('address'),
  company_email: shownText('company_email'),
  has_company_url: shownPresence('has_company_url'),
  has_contact_url: shownPresence('has_contact_url'),
  has_company_email: shownPresence('has_company_email'),
  has_primary_email: shownPresence('has_primary_email'),
  amount_of_sales_from: shownBound('amount_of_sales_from'),
  amount_of_sales_to: shownBound('amount_of_sales_to'),
  ordinary_profit_from: shownBound('ordinary_profit_from'),
  ordinary_profit_to: shownBound('ordinary_profit_to'),
  number_of_employees_from: shownBound('number_of_employees_from'),
  number_of_employees_to: shownBound('number_of_employees_to'),
  year_of_establishment_from: shownBound('year_of_establishment_from'),
  year_of_establishment_to: shownBound('year_of_establishment_to'),
  tags: shownText('tags'),
  tags_all: shownText('tags_all'),
  tags_none: shownText('tags_none'),
  custom: shown('custom', z.record(z.string(), z.union([z.string(), shownRange]))),
} satisfies Record<Part, z.ZodType>);

export const listSavedConditions = listCall({
  path: '/saved_condition/list',
  summary: '保存した条件の一覧',
  where: { id: idOrBounds, is_shared: flagFilter },
  row: z.object({
    id: id.describe('保存した条件のidです。'),
    name: z.string().describe('条件の名前です。'),
    is_shared: isShared,
    where_info: storedCondition,
    gone: z
      .array(
        z.object({
          field: z.string().describe('条件の項目です。'),
          value: z.string().describe('その値です。グループは名前です。'),
        }),
      )
      .describe('保存したあとに使えなくなった条件です。'),
    version,
    updated_by: z.string().nullable().describe('最後に保存した人です。'),
    updated_at: z.string().describe('最後に保存した日時です。'),
  }),
});

/** Counts the companies of conditions. The number of conditions and the time of a request are limited. */
export const countSavedConditions = call({
  method: 'GET',
  path: '/saved_condition/count',
  summary: '保存した条件に合う会社の数',
  query: z.strictObject({
    sender_group_id: idInQuery.describe('送信者グループのidです。グループを含まない条件は、このグループで数えます。'),
    ids: idsInQuery(CONDITION_CHIPS).describe(
      `保存した条件のidです。コンマで区切って${CONDITION_CHIPS}個まで指定できます。`,
    ),
  }),
  response: z.array(
    z.object({
      id: id.describe('保存した条件のidです。'),
      total: z.int().nullable().describe('合う会社の数です。時間内に数えられなかったときは null です。'),
    }),
  ),
});

export const addSavedCondition = call({
  method: 'POST',
  path: '/saved_condition',
  summary: '条件を保存する',
  errors: ['name_taken', 'too_many_conditions', 'not_found'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z.strictObject({ name: conditionName, is_shared: isShared.optional(), where_info: whereInfo }),
  }),
  response: z.object({
    status: z.literal('added').describe('保存しました。'),
    id: id.describe('保存した条件のidです。'),
  }),
});

export const updateSavedCondition = call({
  method: 'PUT',
  path: '/saved_condition/:id',
  summary: '保存した条件の名前・共有・内容を変える、削除する',
  errors: ['name_taken', 'too_many_conditions', 'not_found', 'condition_changed'],
  params: z.object({ id: idInPath.describe('保存した条件のidです。') }),
  body: z.strictObject({
    update_info: z
      .strictObject({
        name: conditionName.optional(),
        is_shared: isShared.optional(),
        where_info: whereInfo.optional(),
        active: z.literal(0).optional().meta({ description: '0なら削除します。', type: 'integer' }),
      })
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください'),
    version: seenVersion,
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});

/**
 * The list from which a client took the targets of a run. It is recorded for people, and selects no target.
 * null: its companies were chosen one by one. undefined: not stated.
 */
export const listConditions = z
  .strictObject({ status: sendingStatus, ...prospectFilter, ...prospectSort })
  .superRefine(filtersFit)
  .nullish()
  .meta({
    description:
      'アタックリストを作った絞り込みの条件と並び順です。会社を1社ずつ選んだリスト' +
      'なら null です。省略すると、どちらとも記録しません。' +
      '送信の詳細に表示し、同じ条件でもう一度リストを作るために記録します。対象は変わりません。',
    examples: [{ major_industry_type: '製造業', address: '東京' }],
  });
export type ListConditions = z.output<typeof listConditions>;

/** The same in an answer. */
export const recordedConditions = storedCondition
  .omit({ sender_group_id: true })
  .extend({ status: sendingStatus, ...prospectSort })
  .nullable()
  .describe('アタックリストを作った条件と並び順です。');
