import { z } from 'zod';
import { MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { RUN_STATES } from '#domain/sending/delivery-state.ts';
import { isDay } from '#domain/time/calendar.ts';
import { call } from './call.ts';
import { flagFilter, idFilter } from './list-filter.ts';
import { memberName } from './member-name.ts';
import { paging, total } from './paging.ts';
import { run } from './sending.ts';
import { text } from './wire.ts';

const day = (description: string) =>
  z
    .string()
    .refine(isDay, '日付は YYYY-MM-DD の形で指定してください')
    .optional()
    .meta({ description, examples: ['2026-11-01'] });

/** What the history is narrowed to. A person searches within it. */
export const runFilter = {
  from: day('この日（日本時間）からの送信です。'),
  to: day('この日（日本時間）までの送信です。'),
  state: z
    .enum(RUN_STATES)
    .optional()
    .describe('`sending` は送信中か送信待ち、`paused` は一時停止中、`finished` は終わった送信です。'),
  search: text(MAX_SEARCH_LENGTH).optional().describe('件名に含まれる語です。空白で区切ると、すべてを含むものです。'),
};

const listedRun = run.extend({ member_name: memberName }).meta({ schemaName: 'ListedRun' });
export type ListedRun = z.infer<typeof listedRun>;

export const viewSendLogs = call({
  method: 'GET',
  path: '/send_log/view',
  summary: '送信履歴の1ページ',
  description:
    'このツールから送った送信を、新しい順に返します。予約から始まった送信とテスト送信も入ります。ツールの外で送った記録は入りません。',
  query: z.strictObject({
    ...runFilter,
    sender_group_id: idFilter.describe('送信者グループのidです。'),
    template_id: idFilter.describe('テンプレートのidです。'),
    test_send_mode: flagFilter.describe('0なら本番の送信だけ、1ならテスト送信だけです。'),
    ...paging,
  }),
  response: z.object({
    rows: z.array(listedRun).describe('送信です。'),
    total,
    database_rewound: z.boolean().meta({
      description:
        'データベースが過去の状態に戻ったため、運用者の確認を待って、すべての送信と予約を止めているなら true です。',
      examples: [false],
    }),
  }),
});
