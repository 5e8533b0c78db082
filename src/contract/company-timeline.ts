import { z } from 'zod';
import { DELIVERY_REASONS, SHOWN_STATES } from '#domain/sending/delivery-state.ts';
import { call } from './call.ts';
import { ofCompany } from './company.ts';
import { failureCause } from './failure-cause.ts';
import { memberName } from './member-name.ts';
import { flag, id, intInQuery } from './wire.ts';

/** What a row of the history can be. */
export const TIMELINE_KINDS = [
  'mail',
  'recorded',
  'added',
  'imported',
  'import_undone',
  'edited',
  'archived',
  'restored',
  'activated',
  'deactivated',
  'remarked',
  'suppressed',
  'replied',
  'auto_replied',
] as const;
export type ChangeKind = Exclude<(typeof TIMELINE_KINDS)[number], 'mail' | 'recorded' | 'replied' | 'auto_replied'>;

const value = z.union([z.string(), z.number(), z.null()]);

const timelineEvent = z
  .object({
    kind: z.enum(TIMELINE_KINDS).meta({
      description:
        '`mail` はメール、`recorded` はほかの手段で送った記録、`added` は登録、`imported` は取り込みによる変更、`import_undone` は取り込みの取り消し、' +
        '`edited` は編集、' +
        '`archived`・`restored` はアーカイブと戻したこと、`activated`・`deactivated`・`remarked` は' +
        'グループでの有効・無効・備考の一括変更、`suppressed` は配信停止への登録、`replied` は返信（手動の印を含む）、`auto_replied` は自動返信です。',
      examples: ['mail'],
    }),
    at: z.string().meta({ description: '日時です。', examples: ['2026/11/20 12:00:03'] }),
    member_name: memberName,
    sender_group_id: id.nullable().describe('送信者グループのidです。'),
    send_log_id: id.nullable().describe('送信ログのidです。'),
    delivery_id: id.nullable().describe('配信のidです（`GET /delivery/{id}` でメールを読めます）。'),
    subject: z
      .string()
      .nullable()
      .meta({ description: '件名のひな形です。', examples: ['受発注業務の効率化のご提案'] }),
    mail_to: z
      .string()
      .nullable()
      .meta({ description: '宛先です。', examples: ['info@midori.example.jp'] }),
    state: z
      .enum(SHOWN_STATES)
      .nullable()
      .meta({ description: 'メールの状態です。', examples: ['sent'] }),
    reason: z
      .enum(DELIVERY_REASONS)
      .nullable()
      .meta({ description: '対象外になった理由です。', examples: [null] }),
    cause: failureCause,
    smtp_reply: z
      .string()
      .nullable()
      .meta({ description: 'メールサーバーの最後の応答です。', examples: ['250 2.0.0 Ok: queued as 4F2A1'] }),
    test_send_mode: flag.nullable().meta({ description: 'テスト送信なら1です。', examples: [0] }),
    import_run_id: id.nullable().meta({ description: '取り込みのidです。', examples: [null] }),
    file_name: z
      .string()
      .nullable()
      .meta({ description: '取り込んだファイルの名前です。', examples: [null] }),
    changes: z
      .array(
        z.object({
          field: z.string().meta({ description: '項目です。', examples: ['address'] }),
          old: value.meta({ description: '前の値です。', examples: ['東京都港区1-1'] }),
          new: value.meta({ description: '新しい値です。', examples: ['東京都港区2-2'] }),
        }),
      )
      .describe('変わった項目です。'),
  })
  .meta({ schemaName: 'TimelineEvent' });
export type TimelineEvent = z.infer<typeof timelineEvent>;

const MAX_TIMELINE_ROWS = 200;

export const viewTimeline = call({
  method: 'GET',
  path: '/prospect/:id/timeline',
  summary: '会社の履歴（メール、取り込み、編集）',
  description: '新しい順です。',
  params: ofCompany,
  query: z.strictObject({
    limit: intInQuery(1, MAX_TIMELINE_ROWS)
      .default(50)
      .describe(`返す件数の上限です（1〜${MAX_TIMELINE_ROWS}、省略すると50）。`),
    offset: intInQuery(0, 1_000_000).default(0).describe('先頭から飛ばす件数です（省略すると0）。'),
  }),
  isList: true,
  response: z.array(timelineEvent),
});
