import { z } from 'zod';
import { MAX_EMAIL_LENGTH } from '#domain/limits.ts';
import { type MailAddressFault, parseMailAddress } from '#domain/mail/address.ts';
import { FAILURE_CAUSE_TEXTS, FAILURE_CAUSES } from '#domain/sending/failure-cause-names.ts';

/**
 * The common shapes of calls. A flag is 0 or 1; a date-time is YYYY/MM/DD HH:mm[:ss] in Asia/Tokyo.
 * The meta of a schema holds fields for the API reference. `documentedAs`: the schema shown instead, with values as a
 * caller writes them. `schemaName`: its name among the shared schemas. `exampleAt(now)`: makes an example that must be
 * in the future.
 */

/*
 * PostgreSQL fails if a number exceeds its column's type. A row's id is `bigint`, which fits every valid id. Other
 * numbers, such as a version, are stored as `integer`, and are `int4` here. test/bad-inputs/every-call.test.ts tries
 * each number of each call.
 */

const MAX_ID = Number.MAX_SAFE_INTEGER;
const MAX_INT4 = 2 ** 31 - 1;

/** An id in a JSON body. */
export const id = z
  .int()
  .min(1)
  .max(MAX_ID)
  .meta({ examples: [1] });

/** A number from 1 that PostgreSQL stores as `integer`. */
export const int4 = z
  .int()
  .min(1)
  .max(MAX_INT4)
  .meta({ examples: [1] });

/** A number in a path or query, only of ASCII digits: `1e3`, `１` and ` 1` are refused. */
const digits = (schema: z.ZodType<number, number>) =>
  z
    .string()
    .regex(/^-?\d{1,16}$/)
    .transform(Number)
    .pipe(schema)
    .meta({ documentedAs: schema });

export const idInPath = digits(id);
export const int4InPath = digits(int4);

/** An integer of a query. A client may pass a number, which the URL contains as digits. */
export const intInQuery = (min: number, max: number) => {
  const int = z.int().min(min).max(max);
  return z.union([digits(int), int]).meta({ documentedAs: int });
};

/** An id in a query. */
export const idInQuery = intInQuery(1, MAX_ID);

/** Up to `max` comma-separated ids of a query, each of up to 16 digits. @param message for more ids */
export const idsInQuery = (max: number, message?: string) => {
  const list = z.string().max(max * 17, message);
  return list
    .transform((written) => written.split(','))
    .pipe(z.array(idInPath).max(max, message))
    .meta({ documentedAs: list.regex(/^\d+(,\d+)*$/) });
};

const oneOf = (values: readonly number[]) => z.literal(values).meta({ type: 'integer' });

/** An integer of a query, one of `choices`. */
export const choiceInQuery = (choices: readonly number[]) =>
  intInQuery(1, Math.max(...choices))
    .refine((value) => choices.includes(value))
    .meta({ documentedAs: oneOf(choices) });

export const flag = z.union([z.literal(0), z.literal(1)]).meta({ documentedAs: oneOf([0, 1]) });

/**
 * A text that PostgreSQL can store: no NUL, no lone surrogate.
 * @param missing the message for a missing value; undefined: the default
 */
export const text = (max: number, missing?: string) =>
  z
    .string({ error: ({ input }) => (input === undefined ? missing : undefined) })
    .max(max)
    .refine((value) => !value.includes('\u0000') && value.isWellFormed(), '使えない文字が含まれています');

export const emailText = text(MAX_EMAIL_LENGTH);

/** The version of content that two members may edit. A save states the version that its caller has read. */
export const version = z.string().meta({
  description: '内容を見分ける印です。内容が変わると、印も変わります。',
  examples: ['q3vXbQ0mS1uJ5a2dYpWc7g'],
});

/** The version stated by a save; without it the last save wins. */
export const seenVersion = version
  .max(100)
  .optional()
  .meta({
    description:
      '読んだときの `version` です。そのあとに内容が変わっていれば、何もせずに 409 を返します。省略すると、あとから保存したほうが残ります。',
    examples: ['q3vXbQ0mS1uJ5a2dYpWc7g'],
  });

/** The header of a creating call: a repeated request with the same key gets the first answer. */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{8,200}$/, '操作の識別子（Idempotency-Key）は8〜200文字の英数字・記号にしてください')
    .optional()
    .meta({
      description: 'この操作を見分けるキーです。8〜200文字の半角英数字・記号で、操作ごとに新しく作ります。',
      examples: ['8c1f0d52-6f0e-4c58-9f1e-2b7a3f9d6a10'],
    }),
});

/** The body of every error answer. `message` is Japanese, for the user; `code` is stable, for programs. */
export const errorAnswer = z.object({
  message: z.string().meta({ description: '利用者に見せる文です。', examples: ['アタックリストが0件です'] }),
  code: z
    .string()
    .meta({ description: 'プログラムが見分けるための語です。変わりません。', examples: ['invalid_input'] }),
  details: z
    .array(
      z.object({
        path: z.string().meta({ description: '誤りのある項目です。', examples: ['attack_list'] }),
        message: z.string().meta({ description: '誤りの内容です。', examples: ['アタックリストが0件です'] }),
      }),
    )
    .optional()
    .describe('入力のどこに誤りがあるかです。5件までです。'),
});
export type ErrorAnswer = z.infer<typeof errorAnswer>;

/** The name of the acting member. */
export const memberName = z
  .string()
  .nullable()
  .meta({ description: '操作した人の氏名です。人の操作でなければ null です。', examples: ['田中 直樹'] });

/** The user's messages for faults of a mail address, typed or imported. */
export const MAIL_MESSAGES: Readonly<Record<MailAddressFault, string>> = {
  blank: 'メールアドレスが空です。',
  too_long: 'メールアドレスが長すぎます。',
  control_character: 'メールアドレスに使えない文字（制御文字など）が含まれています。',
  space: 'メールアドレスに空白が含まれています。',
  list: 'メールアドレスの形が正しくありません。',
  group: 'グループ形式のメールアドレスには対応していません。',
  comment: 'メールアドレスにかっこが含まれています。',
  quoted: 'メールアドレスに引用符（"）が含まれています。',
  display_name: '名前を付けず、メールアドレスだけを書いてください。',
  address_literal: 'IPアドレスのメールアドレスには対応していません。',
  no_at: 'メールアドレスに@がありません。',
  local_part: 'メールアドレスの@より前に使えない文字があります。',
  non_ascii_local_part: 'メールアドレスの@より前は半角英数字と記号で書いてください。',
  idn: '日本語ドメインは「xn--」で始まる形（Punycode）で書いてください。',
  domain: 'メールアドレスの@より後が正しくありません。',
};

/** One mail address, as parseMailAddress returns it. */
export const mailAddress = z
  .string()
  .transform((written, context) => {
    const parsed = parseMailAddress(written);
    if (parsed.ok) return parsed.address;
    context.addIssue({ code: 'custom', message: MAIL_MESSAGES[parsed.reason] });
    return z.NEVER;
  })
  .meta({ documentedAs: z.email().max(MAX_EMAIL_LENGTH) });

/** Why a mail did not arrive, read from the servers' replies. */
export const failureCause = z
  .enum(FAILURE_CAUSES)
  .nullable()
  .meta({
    description: `メールサーバーの応答から判断した、送れなかった（届いたかどうかわからない、もう一度試す）原因です。なければ null です。\
${FAILURE_CAUSES.map((cause) => `\`${cause}\` は「${FAILURE_CAUSE_TEXTS[cause].name}」`).join('、')}です。`,
    examples: [null],
  });
