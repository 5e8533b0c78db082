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
import { NAME_MESSAGES } from '../account/account.ts';
import { call } from '../call.ts';
import { flagFilter, idFilter, idOrBounds, listCall } from '../list.ts';
import { flag, id, idempotencyHeaders, idInPath, int4 } from '../wire.ts';

/** A day in the API: `YYYY-MM-DD`. */
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
  .meta({ description: '名称です。', documentedAs: z.string().min(1).max(MAX_NAME_LENGTH) });

const groupOrAll = id.nullable().describe('送信者グループのidです。null ならすべてのグループです。');

const firstDay = day.describe('最初の日（`YYYY-MM-DD`）です。');
const lastDay = day.describe(`最後の日です。最初の日から${CLOSING_DAYS_MAX}日以内です。`);
const working = flag.describe('1なら、休業日でも祝日でもなく、送信する日です。');
const yearly = flag.describe('毎年くり返すなら1です。2月29日は、うるう年だけです。');

export const closingDay = z.object({
  id: id.describe('休業日のidです。'),
  sender_group_id: groupOrAll,
  first_day: z.string().describe('最初の日です。'),
  last_day: z.string().describe('最後の日です。'),
  name: z.string().describe('名称です。'),
  working,
  yearly,
  active: flag.describe('削除したなら0です。'),
  version: int4.describe('変更するたびに増える番号です。'),
});

export const listClosingDays = listCall({
  path: '/closing_day/list',
  summary: '会社の休業日の一覧',
  where: { id: idOrBounds, sender_group_id: idFilter, active: flagFilter },
  row: closingDay,
});

/** The most reservations that an answer names. */
export const AFFECTED_MAX = 100;

/** The reservations in the answer of a change of rules that affects them. */
export const affectedFields = {
  affected: z
    .array(
      z.object({
        reservation_id: id.describe('予約のidです。'),
        send_at: z.string().describe('予約日時です。'),
        reason: z.string().describe('時間外の理由です。'),
      }),
    )
    .describe(`送信時間外になる予約です。予約日時の早い順に${AFFECTED_MAX}件までです。`),
  affected_count: z.int().describe('送信時間外になる予約の数です。`affected` に入らないものを含みます。'),
  unchecked: z.int().describe('予約が多いため、送信時間外になるかどうかを確認していない予約の数です。'),
};

export const addClosingDay = call({
  method: 'POST',
  path: '/closing_day',
  needs: 'admin',
  statementSeconds: 300,
  summary: '会社の休業日を追加する',
  errors: ['invalid_period', 'no_open_day', 'too_many_closing_days', 'not_found'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z.strictObject({
      sender_group_id: groupOrAll.default(null),
      first_day: firstDay,
      last_day: lastDay,
      name: closingName,
      working: working.default(0),
      yearly: yearly.default(0),
    }),
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
        active: flag.describe('0なら削除します。'),
      })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください'),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    version: int4.describe('新しい番号です。'),
    ...affectedFields,
  }),
});

const addedMany = z.object({
  status: z.enum(['added', 'no-added']).describe('追加したか、追加するものがなかったかです。'),
  added: z.int().describe('追加した件数です。'),
  skipped: z.int().describe('同じグループに、同じ最初の日と最後の日の休業日があったため、追加しなかった件数です。'),
  ...affectedFields,
});

export const addPresetDays = call({
  method: 'POST',
  path: '/closing_day/preset',
  needs: 'admin',
  statementSeconds: 300,
  summary: '年末年始かお盆を、会社の休業日に追加する',
  errors: ['no_open_day', 'too_many_closing_days', 'not_found'],
  body: z.strictObject({
    preset: z.enum(CLOSING_PRESETS).describe('年末年始（`new_year`）かお盆（`obon`）です。'),
    year: z
      .int()
      .min(CLOSING_YEARS.first)
      .max(CLOSING_YEARS.last - 1)
      .describe('始まる年です。'),
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
  errors: ['no_open_day', 'too_many_closing_days', 'not_found'],
  largeBody: true,
  body: z.strictObject({
    rows: z
      .array(
        z.strictObject({
          day: day.describe('日付です。`2026-12-01`、`2026/12/1`、`2026年12月1日`。'),
          name: closingName,
        }),
      )
      .min(1)
      .max(MAX_CLOSING_DAYS),
    sender_group_id: groupOrAll.default(null),
  }),
  response: addedMany,
});
