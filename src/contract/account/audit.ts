import { z } from 'zod';
import { MAX_AUDIT_DAYS, MAX_AUDIT_ROWS } from '#domain/limits.ts';
import { isDay } from '#domain/time/calendar.ts';
import { call } from '../call.ts';
import { idFilter, paging } from '../list.ts';
import { flag, id } from '../wire.ts';
import { AUDIT_GROUP_NAMES, AUDIT_SUBJECTS, type AuditGroup, periodFault } from './audit-names.ts';

const GROUPS = Object.keys(AUDIT_GROUP_NAMES) as AuditGroup[];
const SUBJECT = new RegExp(`^(?:${AUDIT_SUBJECTS.join('|')}):[1-9]\\d{0,15}$`);
/** Later and earlier days have no neighbours that a date can write. */
const isNearDay = (text: string): boolean => isDay(text) && text > '1900' && text < '9000';
const day = z.string().refine(isNearDay, '日付は YYYY-MM-DD の形で指定してください').optional();

/** Which events of the audit are meant. One day given, the other bounds the longest period that it permits. */
export const auditFilter = {
  from: day.meta({
    description: `この日（日本時間）からの操作です。省略すると、\`to\` までの${MAX_AUDIT_DAYS}日間です。`,
    examples: ['2026-11-01'],
  }),
  to: day.meta({
    description: 'この日（日本時間）までの操作です。どちらも省略すると、今日までです。',
    examples: ['2026-11-30'],
  }),
  member: idFilter.describe('操作したメンバーのidです。'),
  kinds: z
    .string()
    .max(GROUPS.join().length)
    .transform((written) => written.split(','))
    .pipe(z.array(z.enum(GROUPS)))
    .optional()
    .meta({
      description: '操作の種類です。コンマで区切ります。',
      documentedAs: z.string(),
      examples: ['log_in,members'],
    }),
  subject: z
    .string()
    .regex(SUBJECT, '対象は run:1 の形で指定してください')
    .optional()
    .meta({ description: '操作の対象です。種類とidをコロンでつなぎます。', examples: ['run:1'] }),
};

/** Refuses a period that ends before it begins, or is too long. */
export function periodFits(
  days: { readonly from?: string | undefined; readonly to?: string | undefined },
  { addIssue }: { readonly addIssue: (issue: { code: 'custom'; path: string[]; message: string }) => void },
): void {
  const message = periodFault(days);
  if (message !== undefined) addIssue({ code: 'custom', path: ['to'], message });
}

const auditRow = z.object({
  id: id.describe('操作のidです。'),
  at: z.string().describe('日時です。'),
  member_id: id.nullable().describe('操作したメンバーのidです。メンバーでなければ null です。'),
  who: z.string().describe('操作した人です。'),
  text: z.string().describe('操作です。'),
  subject: z
    .object({
      type: z.enum(AUDIT_SUBJECTS).describe('対象の種類です。配信と返信では、その会社です。'),
      id: id.describe('そのidです。'),
      name: z.string().describe('対象の名前です。'),
      is_gone: flag.describe('削除されていれば1です。'),
    })
    .nullable()
    .describe('対象です。なければ null です。'),
});
export type AuditRow = z.infer<typeof auditRow>;

export const viewAudit = call({
  method: 'GET',
  path: '/audit/view',
  needs: 'admin',
  summary: '操作履歴の1ページ（新しい順）',
  query: z.strictObject({ ...auditFilter, ...paging }).superRefine(periodFits),
  response: z.object({
    rows: z.array(auditRow).describe('操作です。'),
    total: z.int().describe(`全体の件数です。${MAX_AUDIT_ROWS.toLocaleString('ja-JP')}件まで数えます。`),
    is_more: flag.describe('それより多ければ1です。新しい操作から、数えた件数まで見られます。'),
  }),
});
