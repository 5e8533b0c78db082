import { z } from 'zod';
import { call } from '../call.ts';
import { id, idInPath, int4, text } from '../wire.ts';

/** The account's own registrations of Kaitaku at Google and Microsoft, and the consents of mailboxes' owners. */

const provider = z.enum(['google', 'microsoft']).describe('提供元です。');
const client_id = text(500).trim().min(1).describe('提供元に登録したアプリケーションのクライアントIDです。');
const tenant = text(253).trim().min(1).describe('MicrosoftのテナントIDか、テナントのドメインです。');
const fromProvider = text(4096).min(1);

export const getOAuthApp = call({
  method: 'GET',
  path: '/oauth_app/:provider',
  needs: 'admin',
  summary: 'メールボックスのための、提供元での登録',
  params: z.object({ provider }),
  response: z.object({
    registration: z
      .object({
        client_id,
        tenant: tenant.nullable(),
        fault: z.string().nullable().describe('提供元が登録を断ったわけです。断っていなければ null です。'),
      })
      .nullable()
      .describe('登録です。まだなければ null です。シークレットは返しません。'),
    redirect_uri: z.string().describe('提供元に登録するリダイレクトURIです。'),
    log_in: z
      .object({ client_id, tenant: tenant.nullable() })
      .nullable()
      .describe('会社のIDでのログインの、同じ提供元の登録です。なければ null です。'),
    mailboxes: z.int().describe('この登録でつないでいるメールボックスの数です。'),
    version: z.string().describe('内容のハッシュです。変更のときに送ると、ほかの人の変更を上書きしません。'),
  }),
});

export const updateOAuthApp = call({
  method: 'PUT',
  path: '/oauth_app/:provider',
  needs: 'admin',
  summary: 'メールボックスのための、提供元での登録を変更する',
  errors: ['client_secret_needed', 'company_log_in_off', 'oauth_app_changed', 'no_secret_key'],
  params: z.object({ provider }),
  body: z.strictObject({
    version: text(100).optional(),
    update_info: z
      .strictObject({
        client_id: client_id.optional(),
        tenant: tenant.optional(),
        secret: text(1000)
          .min(1)
          .optional()
          .describe('クライアントシークレットです。省くと、変わりません。返しません。'),
        as_log_in: z.literal(1).optional().describe('会社のIDでのログインの登録と同じにします。'),
      })
      .refine((info) => (info.as_log_in === 1) === (info.client_id === undefined), {
        path: ['client_id'],
        message: 'クライアントIDを入力してください',
      }),
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});

export const authorizeMailbox = call({
  method: 'POST',
  path: '/mailbox/:id/authorize',
  isSecret: true,
  summary: 'メールボックスの許可を、提供元で始める',
  errors: ['not_found', 'app_missing', 'no_https', 'no_secret_key', 'too_many_checks'],
  params: z.object({ id: idInPath.describe('メールボックスのidです。') }),
  response: z.object({ url: z.string().describe('提供元の画面です。10分以内に、1回だけ戻れます。') }),
});

export const authorizedMailbox = call({
  method: 'POST',
  path: '/mailbox/authorized',
  summary: '提供元から戻って、メールボックスをつなぐ',
  errors: ['consent_failed', 'other_address', 'no_secret_key'],
  body: z.strictObject({
    state: fromProvider.describe('提供元が返した `state` です。'),
    code: fromProvider.describe('提供元が返した `code` です。'),
  }),
  response: z.object({
    status: z.literal('connected'),
    id: id.describe('メールボックスのidです。'),
    address: z.string().describe('つないだメールアドレスです。`POST /mailbox/{id}/check` で確かめると、送れます。'),
    version: int4.describe('内容の番号です。'),
  }),
});
