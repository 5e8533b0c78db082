import { z } from 'zod';
import { ROLES } from '#domain/account/role.ts';
import { type NameFault, parseName } from '#domain/company/person-name.ts';
import { MAX_EMAIL_LENGTH, MAX_NAME_LENGTH, MAX_PASSWORD_LENGTH } from '#domain/limits.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { call } from '../call.ts';
import { flag, id, idInPath, MAIL_MESSAGES, seenVersion, text, version } from '../wire.ts';

/** The requesting member, with their role. */
export const me = z
  .object({
    id: id.describe('メンバーのidです。'),
    role: z.enum(ROLES).describe('権限です。`viewer`（閲覧のみ）、`sales`（営業）、`admin`（管理者）のいずれかです。'),
  })
  .meta({ schemaName: 'Me', description: 'ログインしているメンバーです。', examples: [{ id: 1, role: 'admin' }] });

const myRights = me
  .extend({
    sender_group_ids: z.array(id).nullable().describe('操作できる送信者グループのidです。すべてなら null です。'),
    may_export: flag.describe('1なら、書き出しを始められます。'),
    two_factor: flag.describe('1なら、二段階認証がオンです。'),
    recovery_codes_left: z.int().describe('まだ使っていない復旧コードの数です。'),
    two_factor_required: flag.describe('1なら、管理者が全員に二段階認証を求めています。'),
  })
  .meta({
    schemaName: 'MyRights',
    description: 'ログインしているメンバーと、できることです。',
    examples: [
      {
        id: 1,
        role: 'admin',
        sender_group_ids: null,
        may_export: 1,
        two_factor: 0,
        recovery_codes_left: 0,
        two_factor_required: 0,
      },
    ],
  });

export const getAccount = call({
  method: 'GET',
  path: '/account/:id',
  audience: 'integrator',
  beforeTwoFactor: true,
  summary: '自分のアカウント',
  description:
    '`email_before_confirmation` は、確認メールのリンクが開かれるのを待っている新しいメールアドレスです。なければ null です。',
  params: z.object({ id: idInPath.describe('アカウントのidです。') }),
  response: z
    .object({
      id: id.describe('アカウントのidです。'),
      email: z.string().meta({ description: 'ログインに使うメールアドレスです。', examples: ['yamada@example.jp'] }),
      name: z.string().meta({ description: '氏名です。', examples: ['山田 太郎'] }),
      company: z.string().meta({ description: '会社名です。', examples: ['株式会社サンプル'] }),
      email_before_confirmation: z
        .string()
        .nullable()
        .meta({ description: '確認を待っている新しいメールアドレスです。', examples: [null] }),
      member: myRights,
      is_demo: z
        .literal(1)
        .optional()
        .describe('お試しのアカウントだけの項目です。メールは外部に送られず、メールボックスはつなげません。'),
      has_primary_email: z
        .literal(1)
        .optional()
        .describe('担当者メールのある主担当が、リストの会社にいるアカウントだけの項目です。'),
      version: version.describe('会社名を見分ける印です。会社名は、アカウントの全員のものです。'),
    })
    .meta({ schemaName: 'Account' }),
});

/** The user's messages for faults of a name. */
export const NAME_MESSAGES: Readonly<Record<NameFault, string>> = {
  blank: `1〜${MAX_NAME_LENGTH}文字で入力してください`,
  too_long: `1〜${MAX_NAME_LENGTH}文字で入力してください`,
  unusable_character: '使えない文字（改行や、文字の向きを変える記号など）が含まれています',
};

/** A name of a person or company, as parseName returns it. */
export const nameText = z
  .string()
  .transform((written, context) => {
    const parsed = parseName(written);
    if (parsed.ok) return parsed.name;
    context.addIssue({ code: 'custom', message: NAME_MESSAGES[parsed.fault] });
    return z.NEVER;
  })
  .meta({ documentedAs: z.string().min(1).max(MAX_NAME_LENGTH) });

/** One address, or blank. The other fields decide whether blank is valid. */
const addressOrBlank = z
  .string()
  .transform((written, context) => {
    const parsed = parseMailAddress(written);
    if (parsed.ok) return parsed.address;
    if (written === '') return written;
    context.addIssue({ code: 'custom', message: MAIL_MESSAGES[parsed.reason] });
    return z.NEVER;
  })
  .meta({ documentedAs: z.email().max(MAX_EMAIL_LENGTH).or(z.literal('')) });

const ONE_FIELD = new Set(['name', 'company', 'email_before_confirmation']);
const CONFIRMATION = 'email,email_before_confirmation,hashed_confirmation_token';

export const updateAccount = call({
  method: 'PUT',
  path: '/account/:id',
  audience: 'integrator',
  needs: 'viewer',
  fieldNeeds: { 'update_info.company': 'admin' },
  summary: 'アカウントの項目を1つ変更する',
  description: `\`update_info\` には \`name\`、\`company\`、\`email_before_confirmation\` のうち1つだけを入れます。

メールアドレスを変えるときは、新しいアドレスを \`email_before_confirmation\` に入れ、確認メールを送り、届いたリンクの値を確認した後、15分以内に、\`email\`（確認したアドレス）、\
空の \`email_before_confirmation\`、空の \`hashed_confirmation_token\` の3つを入れて呼び出します。これでメールアドレスが変わり、すべてのログインが終わり、\
変更前のアドレスにお知らせが届きます。

ログインから15分が過ぎていると、新しいアドレスを入れる呼び出しには \`current_password\` が必要です。送らないプログラムは、ログインし直してから呼び出してください。

\`version\` は、全員のものである \`company\` を変えるときだけ使います。`,
  errors: [
    'same_email',
    'not_confirmed',
    'account_changed',
    'email_taken',
    'password_needed',
    'wrong_password',
    'too_many_guesses',
    ['busy', 'ログインが混み合っているとき。`Retry-After` の秒数を待ってください'],
  ],
  params: z.object({ id: idInPath.describe('アカウントのidです。') }),
  body: z.strictObject({
    update_info: z
      .strictObject({
        name: nameText.optional().describe('氏名です。'),
        company: nameText.optional().describe('会社名です。'),
        email_before_confirmation: addressOrBlank
          .optional()
          .describe('新しいメールアドレスです。確認したアドレスに変えるときは、空にします。'),
        email: addressOrBlank.optional().describe('確認したメールアドレスです。'),
        hashed_confirmation_token: z.literal('').optional().describe('空にします。'),
      })
      .check(({ value, issues }) => {
        const given = Object.keys(value).sort().join();
        const fault = (message: string, path: string[] = []) =>
          issues.push({ code: 'custom', message, path, input: value });
        const pending = 'email_before_confirmation';
        if (given === CONFIRMATION) {
          if (value[pending] !== '') fault('確認済みのメールアドレスに変えるときは、空にしてください', [pending]);
        } else if (!ONE_FIELD.has(given)) fault('変更する項目を1つだけ指定してください');
        else if (value[pending] === '') fault(MAIL_MESSAGES.blank, [pending]);
      })
      .meta({ description: '変更する項目です。', examples: [{ name: '山田 太郎' }] }),
    version: seenVersion,
    current_password: text(MAX_PASSWORD_LENGTH)
      .optional()
      .meta({
        description:
          '現在のパスワードです。新しいメールアドレスを `email_before_confirmation` に入れるとき、ログインから15分が過ぎていれば必要です。',
        examples: ['朝の電車と青い傘と白い犬'],
      }),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    id: id.describe('アカウントのidです。'),
  }),
});
