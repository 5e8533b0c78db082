import { z } from 'zod';
import { DELIVERY_REASONS } from '#domain/sending/delivery-state.ts';
import { call } from './call.ts';
import { recordedConditions } from './list-conditions.ts';
import { finishedMail } from './mail-preview.ts';
import { memberName } from './member-name.ts';
import { id, idInPath } from './wire.ts';

export const viewRunOrigin = call({
  method: 'GET',
  path: '/send_log/:id/origin',
  summary: '1回の送信の実行者・差出人・条件と、対象外の件数',
  description:
    'だれが、どの送信者から、どの条件のリストに送ったかと、取り消したメールの理由別の件数です。ツールの外で送った記録では 404 です。',
  params: z.object({ id: idInPath.describe('送信ログのidです。') }),
  response: z.object({
    member_name: memberName,
    sender_group_id: id.describe('送信者グループのidです。'),
    sender_id: id.describe('送信者のidです。'),
    from: finishedMail.shape.from,
    days_from_lastday: z.int().meta({ description: '再送信間隔（日）です。', examples: [7] }),
    list_conditions: recordedConditions,
    left_out: z
      .array(
        z.object({
          reason: z.enum(DELIVERY_REASONS).describe('理由です。'),
          count: z.int().describe('件数です。'),
        }),
      )
      .meta({
        description:
          '対象外になって送らなかったメールの、理由別の件数です。多い順です。中止したもの（`run_cancelled`）は入りません。',
        examples: [[{ reason: 'suppressed', count: 2 }]],
      }),
  }),
});
