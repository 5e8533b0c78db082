import { z } from 'zod';
import { parseName } from '#domain/company/person-name.ts';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import {
  CLOSING_DAYS_MAX,
  CLOSING_PRESETS,
  CLOSING_YEARS,
  MAX_CLOSING_DAYS,
  readClosingDay,
} from '#domain/sending/rules/closing-days.ts';
import { NAME_MESSAGES } from './account.ts';
import { call } from './call.ts';
import { flagFilter, idFilter, idOrBounds, listCall } from './list.ts';
import { flag, id, idempotencyHeaders, idInPath, int4 } from './wire.ts';

/** A day of the wire: `YYYY-MM-DD`. */
export const day = z
  .string()
  .max(20)
  .transform((written, context) => {
    const found = readClosingDay(written);
    if (found !== null) return found;
    context.addIssue({
      code: 'custom',
      message: `日付は 2026-12-29 の形で、${CLOSING_YEARS.first}年から${CLOSING_YEARS.last}年までの実在する日にしてください`,
    });
    return z.NEVER;
  })
  .meta({ documentedAs: z.string().regex(/^\d{4}-\d{2}-\d{2}$/) });

const closingName = z
  .string()
  .transform((written, context) => {
    const parsed = parseName(written);
    if (parsed.ok) return parsed.name;
    const message = parsed.fault === 'blank' ? '名称が入力されていません' : NAME_MESSAGES[parsed.fault];
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({ documentedAs: z.string().min(1).max(MAX_NAME_LENGTH), description: '名称です。', examples: ['創立記念日'] });

const groupOrAll = id
  .nullable()
  .meta({ description: '送信者グループのidです。null ならすべてのグループです。', examples: [null] });

const firstDay = day.meta({ description: '最初の日（`YYYY-MM-DD`）です。', examples: ['2026-12-29'] });
const lastDay = day.meta({
  description: `最後の日です。最初の日から${CLOSING_DAYS_MAX}日以内です。`,
  examples: ['2027-01-03'],
});
const working = flag.meta({
  description:
    '1なら、休業日でも祝日でもなく、送信する日です。その曜日に送信時間がなければ、その前の曜日のうち、送信時間がある最も近い曜日の時間です。',
  examples: [0],
});
const yearly = flag.meta({ description: '毎年くり返すなら1です。2月29日は、うるう年だけです。', examples: [0] });

export const closingDay = z.object({
  id: id.describe('休業日のidです。'),
  sender_group_id: groupOrAll,
  first_day: z.string().meta({ description: '最初の日です。', examples: ['2026-12-29'] }),
  last_day: z.string().meta({ description: '最後の日です。', examples: ['2027-01-03'] }),
  name: z.string().meta({ description: '名称です。', examples: ['年末年始'] }),
  working,
  yearly,
  active: flag.meta({ description: '削除したなら0です。', examples: [1] }),
  version: int4.meta({ description: '変更するたびに増える番号です。', examples: [1] }),
});

export const listClosingDays = listCall({
  path: '/closing_day/list',
  name: 'ClosingDay',
  summary: '会社の休業日の一覧',
  description: '最初の日、idの順です。',
  where: { id: idOrBounds, sender_group_id: idFilter, active: flagFilter.meta({ examples: [1] }) },
  row: closingDay,
});

/** The most reservations that an answer names. */
export const AFFECTED_MAX = 100;

/** What an answer says of the reservations that a change of rules falls on. */
export const affectedFields = {
  affected: z
    .array(
      z.object({
        reservation_id: id.describe('予約のidです。'),
        send_at: z.string().meta({ description: '予約日時です。', examples: ['2026/11/24 09:00:00'] }),
        reason: z.string().meta({ description: '時間外の理由です。', examples: ['勤労感謝の日'] }),
      }),
    )
    .meta({ description: `送信時間外になる予約です。予約日時の早い順に${AFFECTED_MAX}件までです。`, examples: [[]] }),
  affected_count: z.int().meta({
    description: '送信時間外になる予約の数です。`affected` に入らないものを含みます。',
    examples: [0],
  }),
  unchecked: z.int().meta({
    description: '予約が多いため、送信時間外になるかどうかを確認していない予約の数です。',
    examples: [0],
  }),
};

export const addClosingDay = call({
  method: 'POST',
  path: '/closing_day',
  needs: 'admin',
  statementSeconds: 300,
  summary: '会社の休業日を追加する',
  description: `休業日は送信時間外として扱います（\`PUT /sending_rules/{sender_group_id}\`）。1つのアカウントに${MAX_CLOSING_DAYS}件までです。\
予約の日時は変えません。休業日に重なる予約を \`affected\` に返します。`,
  errors: ['invalid_period', 'no_open_day', 'too_many_closing_days', 'not_found'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({
        sender_group_id: groupOrAll.default(null),
        first_day: firstDay,
        last_day: lastDay,
        name: closingName,
        working: working.default(0),
        yearly: yearly.default(0),
      })
      .describe('追加する内容です。'),
  }),
  response: z.object({
    status: z.literal('added').describe('追加しました。'),
    id: id.describe('休業日のidです。'),
    ...affectedFields,
  }),
});

export const updateClosingDay = call({
  method: 'PUT',
  path: '/closing_day/:id',
  needs: 'admin',
  statementSeconds: 300,
  summary: '会社の休業日を変更・削除する',
  description: `指定した項目だけを変更します。\`active\` を0にすると削除します。削除から1時間は、1にすると戻せます。\
休業日に重なるか、送信時間外になる予約を \`affected\` に返します。`,
  errors: ['invalid_period', 'no_open_day', 'too_many_closing_days', 'closing_day_changed'],
  params: z.object({ id: idInPath.describe('休業日のidです。') }),
  body: z.strictObject({
    version: int4.optional().describe('読んだときの `version` です。省略すると、あとから保存したほうが残ります。'),
    update_info: z
      .strictObject({
        first_day: firstDay,
        last_day: lastDay,
        name: closingName,
        working,
        yearly,
        active: flag.meta({ description: '0なら削除します。', examples: [1] }),
      })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .describe('変更する項目です。'),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    version: int4.describe('新しい番号です。'),
    ...affectedFields,
  }),
});

const addedMany = z.object({
  status: z.enum(['added', 'no-added']).describe('追加したか、追加するものがなかったかです。'),
  added: z.int().meta({ description: '追加した件数です。', examples: [1] }),
  skipped: z.int().meta({
    description: '同じグループに、同じ最初の日と最後の日の休業日があったため、追加しなかった件数です。',
    examples: [0],
  }),
  ...affectedFields,
});

export const addPresetDays = call({
  method: 'POST',
  path: '/closing_day/preset',
  needs: 'admin',
  statementSeconds: 300,
  summary: '年末年始かお盆を、会社の休業日に追加する',
  description: '年末年始は12月29日から1月3日まで、お盆は8月13日から16日までです。追加したあとに変更できます。',
  errors: ['no_open_day', 'too_many_closing_days', 'not_found'],
  body: z.strictObject({
    preset: z
      .enum(CLOSING_PRESETS)
      .meta({ description: '年末年始（`new_year`）かお盆（`obon`）です。', examples: ['new_year'] }),
    year: z
      .int()
      .min(CLOSING_YEARS.first)
      .max(CLOSING_YEARS.last - 1)
      .meta({ description: '始まる年です。', examples: [2026] }),
    sender_group_id: groupOrAll.default(null),
  }),
  response: addedMany,
});

export const importClosingDays = call({
  method: 'POST',
  path: '/closing_day/import',
  needs: 'admin',
  statementSeconds: 300,
  summary: '会社の休業日を、表からまとめて追加する',
  description: `CSVの行を \`rows\` に入れます。1回に${MAX_CLOSING_DAYS}行までです。1行でも誤りがあれば、どの行も追加しません。`,
  errors: ['no_open_day', 'too_many_closing_days', 'not_found'],
  largeBody: true,
  body: z.strictObject({
    rows: z
      .array(
        z.strictObject({
          day: day.meta({
            description: '日付です。`2026-12-01`、`2026/12/1`、`2026年12月1日`。',
            examples: ['2026-12-01'],
          }),
          name: closingName,
        }),
      )
      .min(1)
      .max(MAX_CLOSING_DAYS)
      .describe('日付と名称です。'),
    sender_group_id: groupOrAll.default(null),
  }),
  response: addedMany,
});
