import { z } from 'zod';
import { parseName } from '#domain/company/person-name.ts';
import { CONDITION_CHIPS, MAX_NAME_LENGTH, MAX_SAVED_CONDITIONS } from '#domain/limits.ts';
import { NAME_MESSAGES } from './account.ts';
import { call } from './call.ts';
import { flagFilter, idOrBounds, listCall } from './list.ts';
import { sendingStatus, VIEW_STATUSES } from './prospects.ts';
import { filtersFit, PROSPECT_FILTER_RULES, prospectFilter, prospectSort } from './prospects-filter.ts';
import { flag, id, idempotencyHeaders, idInPath, idInQuery, idsInQuery, seenVersion, version } from './wire.ts';

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
    documentedAs: z.string().min(1).max(MAX_NAME_LENGTH),
    description: '条件の名前です。自分だけの条件の中、全員で使う条件の中で、それぞれ重複できません。',
    examples: ['製造・東京'],
  });

/** The parts of a saved condition, each with its own schema: a part that a later version refuses loses no other. */
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
  )
  .describe('絞り込みの条件です。');

const isShared = flag.meta({ description: '1なら全員で使う条件、0なら自分だけの条件です。', examples: [0] });

type Part = keyof typeof CONDITION_PARTS;

/** The schema of a part in an answer, described as in a request. */
const shown = <S extends z.ZodType>(part: Part, schema: S) =>
  schema.optional().describe(CONDITION_PARTS[part].description ?? '');
const shownText = (part: Part) => shown(part, z.string());
const shownPresence = (part: Part) => shown(part, z.enum(['yes', 'no']));
const shownBound = (part: Part) => shown(part, z.int());

/** The condition in an answer. */
const storedCondition = z
  .object({
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
    amount_of_sales_from: shownBound('amount_of_sales_from'),
    amount_of_sales_to: shownBound('amount_of_sales_to'),
    ordinary_profit_from: shownBound('ordinary_profit_from'),
    ordinary_profit_to: shownBound('ordinary_profit_to'),
    number_of_employees_from: shownBound('number_of_employees_from'),
    number_of_employees_to: shownBound('number_of_employees_to'),
    year_of_establishment_from: shownBound('year_of_establishment_from'),
    year_of_establishment_to: shownBound('year_of_establishment_to'),
  } satisfies Record<Part, z.ZodType>)
  .meta({ description: 'いま使える条件です。', examples: [{ major_industry_type: '製造業', address: '東京' }] });

export const listSavedConditions = listCall({
  path: '/saved_condition/list',
  name: 'SavedCondition',
  summary: '保存した条件の一覧',
  description: '自分だけの条件と、全員で使う条件です。idの順です。ほかの人が自分だけで使う条件は入りません。',
  where: { id: idOrBounds, is_shared: flagFilter },
  row: z.object({
    id: id.describe('保存した条件のidです。'),
    name: z.string().meta({ description: '条件の名前です。', examples: ['製造・東京'] }),
    is_shared: isShared,
    where_info: storedCondition,
    gone: z
      .array(
        z.object({
          field: z.string().meta({ description: '条件の項目です。', examples: ['sender_group_id'] }),
          value: z.string().meta({ description: 'その値です。グループは名前です。', examples: ['関西営業部'] }),
        }),
      )
      .describe(
        '保存したあとに使えなくなった条件です。無効にした送信者グループや、なくなった項目・値です。`where_info` には入りません。',
      ),
    version,
    updated_by: z
      .string()
      .nullable()
      .meta({ description: '最後に保存した人です。', examples: ['田中 直樹'] }),
    updated_at: z.string().meta({ description: '最後に保存した日時です。', examples: ['2026/11/20 09:00:00'] }),
  }),
});

/** Counts what conditions find. The number of conditions and the time of a request are limited. */
export const countSavedConditions = call({
  method: 'GET',
  path: '/saved_condition/count',
  summary: '保存した条件に合う会社の数',
  description: `指定した保存した条件のそれぞれに、いま合う会社の数です。送信者グループを含む条件は、そのグループで数えます。使えなくなった条件は除いて数えます。\
ほかの人が自分だけで使う条件と、ない条件は、答えに入りません。`,
  query: z.strictObject({
    sender_group_id: idInQuery.describe('送信者グループのidです。グループを含まない条件は、このグループで数えます。'),
    ids: idsInQuery(CONDITION_CHIPS).meta({
      description: `保存した条件のidです。コンマで区切って${CONDITION_CHIPS}個まで指定できます。`,
      examples: ['1,2'],
    }),
  }),
  response: z.array(
    z.object({
      id: id.describe('保存した条件のidです。'),
      total: z
        .int()
        .nullable()
        .meta({ description: '合う会社の数です。時間内に数えられなかったときは null です。', examples: [128] }),
    }),
  ),
});

export const addSavedCondition = call({
  method: 'POST',
  path: '/saved_condition',
  summary: '条件を保存する',
  description: `自分だけの条件は1人${MAX_SAVED_CONDITIONS}まで、全員で使う条件は1つのアカウントに${MAX_SAVED_CONDITIONS}までです。

${PROSPECT_FILTER_RULES}`,
  errors: ['name_taken', 'too_many_conditions', 'not_found'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({ name: conditionName, is_shared: isShared.optional(), where_info: whereInfo })
      .meta({ examples: [{ name: '製造・東京', where_info: { major_industry_type: '製造業', address: '東京' } }] })
      .describe('追加する内容です。'),
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
  description: `指定した項目だけを変更します。

- 全員で使う条件は、だれでも変更できます。\`is_shared\` を0にすると、変更した人だけの条件になります。
- \`active\` を0にすると削除します。元に戻せません。`,
  errors: ['name_taken', 'too_many_conditions', 'not_found', 'condition_changed'],
  params: z.object({ id: idInPath.describe('保存した条件のidです。') }),
  body: z.strictObject({
    update_info: z
      .strictObject({
        name: conditionName.optional(),
        is_shared: isShared.optional(),
        where_info: whereInfo.optional(),
        active: z
          .literal(0)
          .optional()
          .meta({ type: 'integer', description: '0なら削除します。', examples: [0] }),
      })
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .meta({ examples: [{ name: '製造・関東' }] })
      .describe('変更する項目です。'),
    version: seenVersion,
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});

/**
 * From which list a client took the targets of a run. It is recorded for people, and picks nothing.
 * null: its companies were chosen one by one. undefined: the client does not say.
 */
export const listConditions = z
  .strictObject({ status: sendingStatus, ...prospectFilter, ...prospectSort })
  .superRefine(filtersFit)
  .nullish()
  .meta({
    description:
      'アタックリストを作った絞り込みの条件と並び順です。会社を1社ずつ選んだリスト（`GET /attack_list/preview` の `prospect_ids`）' +
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
  .meta({
    description:
      'アタックリストを作った条件と並び順です。会社を1社ずつ選んだか（`companies_chosen`）、記録がないか、' +
      'ちがうリストを1つの予約に加えたなら null です。条件なしの全体なら空です。',
    examples: [{ major_industry_type: '製造業', address: '東京' }],
  });
