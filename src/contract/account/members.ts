import { z } from 'zod';
import { ROLES } from '#domain/account/role.ts';
import { MAX_PASSWORD_LENGTH, MAX_SENDER_GROUPS } from '#domain/limits.ts';
import { call } from '../call.ts';
import { flag, id, idInPath, text, version } from '../wire.ts';

export const role = z
  .enum(ROLES)
  .describe('権限です。`viewer`（閲覧のみ）、`sales`（営業）、`admin`（管理者）のいずれかです。');

/** The sender groups in which a member of the role `sales` acts. */
export const senderGroupIds = z
  .array(id)
  .min(1)
  .max(MAX_SENDER_GROUPS)
  .nullable()
  .describe('操作できる送信者グループのidです。すべてなら null です。営業のほかは null です。');

export const listMembers = call({
  method: 'GET',
  path: '/member/list',
  summary: 'メンバーの一覧',
  response: z.array(
    z.object({
      id: id.describe('メンバーのidです。'),
      name: z.string().describe('氏名です。'),
      email: z.string().describe('メールアドレスです。'),
      role,
      sender_group_ids: senderGroupIds,
      active: flag.describe('利用を停止した人は0です。'),
      is_me: flag.describe('呼び出した本人なら1です。'),
      version: version.describe('役割、グループ、利用の停止を見分ける印です。'),
      last_login_at: z.string().nullable().optional().describe('最後のログインの日時です。管理者にだけ返します。'),
      two_factor: flag.optional().describe('1なら、二段階認証がオンです。管理者にだけ返します。'),
      reservations: z
        .int()
        .optional()
        .describe('まだ送信していない予約のうち、この人のものの件数です。管理者にだけ返します。'),
    }),
  ),
});

export const updateMember = call({
  method: 'PUT',
  path: '/member/:id',
  needs: 'admin',
  summary: 'メンバーの役割、グループ、利用の停止を変更する',
  errors: [
    'member_changed',
    'last_admin',
    'hand_over_needed',
    'has_open_mails',
    'too_many_members',
    'password_needed',
    'wrong_password',
    'too_many_guesses',
  ],
  params: z.object({ id: idInPath.describe('メンバーのidです。') }),
  body: z.strictObject({
    version,
    current_password: text(MAX_PASSWORD_LENGTH)
      .optional()
      .describe('現在のパスワードです。二段階認証を解除するときだけ確かめます。ログインから15分以内なら要りません。'),
    update_info: z
      .strictObject({
        role,
        sender_group_ids: senderGroupIds,
        active: flag,
        two_factor: z
          .literal(0)
          .describe('0にすると、二段階認証を解除し、ログインを終えます（スマートフォンをなくしたとき）。'),
      })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください'),
    hand_over_to: id.optional().describe('利用を停止する人の予約を引き継ぐメンバーのidです。'),
    confirmed: z
      .literal(1)
      .optional()
      .describe('利用を停止する人のメールボックスから送るメールと予約があっても、停止します（送信されなくなります）。'),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    version,
    sessions_ended: z.int().describe('終わったログインの数です。'),
  }),
});

export const sendMemberPasswordReset = call({
  method: 'POST',
  path: '/member/:id/password_reset',
  needs: 'admin',
  summary: 'メンバーにパスワードの再設定のメールを送る',
  errors: ['member_stopped', 'too_many_mails', 'mail_not_sent'],
  params: z.object({ id: idInPath.describe('メンバーのidです。') }),
  response: z.object({ status: z.literal('sent').describe('送信しました。') }),
});
