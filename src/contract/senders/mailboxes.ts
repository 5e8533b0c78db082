import { z } from 'zod';
import { MAX_EMAIL_LENGTH, MAX_MAILBOXES, MAX_NAME_LENGTH } from '#domain/limits.ts';
import { call } from '../call.ts';
import { idOrBounds, listCall } from '../list.ts';
import { flag, id, idempotencyHeaders, idInPath, int4, mailAddress, text } from '../wire.ts';
import {
  MAILBOX_IDS,
  MAILBOX_KINDS,
  MAILBOX_PAUSES,
  MAILBOX_PORTS,
  MAILBOX_STATES,
  MAILBOX_STEP_STATES,
  MAILBOX_STEPS,
} from './mailboxes-names.ts';

/** Mailboxes by which mails leave and in which they are answered (decisions/mailboxes). */

const MAX_SECRET_LENGTH = 1000;

const kind = z.enum(MAILBOX_KINDS).describe('種類です。`smtp` はパスワードでつなぎます。');
/** Without control characters: \x01 separates the fields of a log-in by token. */
const line = (max: number) =>
  text(max).refine((value) => !/\p{Cc}/u.test(value), '改行やタブなどの制御文字は使えません');
const name = line(MAX_NAME_LENGTH).trim().min(1).describe('メールボックスの名前です。');
const host = text(253).min(1).describe('SMTPサーバーのホスト名です。');
const port = z.int().describe('SMTPのポート（465、587、2525）です。');
const chosenPort = port.refine(
  (value) => (MAILBOX_PORTS as readonly number[]).includes(value),
  `ポートは${MAILBOX_PORTS.join('、')}のどれかにしてください`,
);
const security = z.enum(['tls', 'starttls']).describe('`tls` は最初から、`starttls` はSTARTTLSで暗号化します。');
const username = line(MAX_EMAIL_LENGTH).min(1).describe('ログインに使うユーザー名です。');
const imapHost = text(253).nullable().describe('返信を読むIMAPサーバー（ポート993）です。読まないなら null です。');
const reads = flag.describe('1なら、このメールボックスに届く返信とエラーメールを読みます。');
const perDay = z.int().min(1).max(10_000).describe('1日に送る通数の上限です。');
const perMinute = z.int().min(1).max(60).describe('1分に送る通数の上限です。');
const version = int4.describe('内容の番号です。変更のときに送ると、ほかの人の変更を上書きしません。');
const ownerId = id.nullable().describe('持ち主のメンバーのidです。共有なら null です。');

const connection = {
  smtp_host: host,
  smtp_port: chosenPort,
  security,
  username,
  imap_host: imapHost,
  reads_replies: reads,
};

export const listMailboxes = listCall({
  path: '/mailbox/list',
  summary: 'メールボックスの一覧',
  where: { id: idOrBounds },
  row: z.object({
    id: id.describe('メールボックスのidです。'),
    kind,
    name: z.string().describe('名前です。'),
    address: z.string().describe('メールアドレスです。'),
    owner_id: ownerId,
    owner: z.string().nullable().describe('持ち主の氏名です。共有なら null です。'),
    is_mine: flag.describe('自分のものなら1です。'),
    may_change: flag.describe('変更できるなら1です（自分のもの。管理者はすべて）。'),
    smtp_host: z.string().describe('SMTPサーバーです。'),
    smtp_port: port,
    security,
    username: z.string().describe('ユーザー名です。変更できない人には空です。'),
    imap_host: z.string().nullable().describe('IMAPサーバーです。'),
    reads_replies: reads,
    takes_refusals: flag.describe('1なら、送ったメールがこのメールボックスを配信停止の宛先にしています。'),
    other_from: z.array(z.string()).describe('このメールボックスから使える、ほかの差出人のアドレスです。'),
    ids: z.enum(MAILBOX_IDS).describe('送ったメールのMessage-IDが届くまでに変わるかです。'),
    state: z.enum(MAILBOX_STATES).describe('接続の状態です。'),
    checked_at: z.string().nullable().describe('最後に確かめた日時です。'),
    paused_until: z.string().nullable().describe('送信を止めているなら、再開する日時です。'),
    why: z.enum(MAILBOX_PAUSES).nullable().describe('送信を止めているわけです。'),
    last_fault: z.string().nullable().describe('サーバーの最後の返事です。'),
    read_at: z.string().nullable().describe('最後に読んだ日時です。'),
    read_fault: z.string().nullable().describe('読めないわけです。'),
    per_day: perDay,
    per_minute: perMinute,
    used_today: z.int().describe('今日送った通数です。'),
    senders: z.array(z.object({ id, name: z.string() })).describe('このメールボックスから送る、有効な差出人です。'),
    version,
  }),
  maxRows: MAX_MAILBOXES,
});

const mailboxErrors = ['address_taken', 'invalid_host', 'no_secret_key'] as const;

export const addMailbox = call({
  method: 'POST',
  path: '/mailbox',
  fieldNeeds: { 'add_info.is_shared': 'admin' },
  summary: 'メールボックスを追加する',
  errors: [...mailboxErrors, 'too_many_mailboxes', 'not_in_demo'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({
        kind,
        name,
        address: mailAddress.describe('メールアドレスです。'),
        is_shared: flag.optional().describe('1なら共有です（管理者だけ）。省くと自分のものです。'),
        // Those of Google and Microsoft are known.
        ...z.object(connection).partial().shape,
      })
      .refine(({ kind, smtp_host }) => kind !== 'smtp' || smtp_host !== undefined, {
        path: ['smtp_host'],
        message: 'SMTPサーバーを入力してください',
      }),
  }),
  response: z.object({ status: z.literal('added'), id: id.describe('メールボックスのidです。'), version }),
});

export const updateMailbox = call({
  method: 'PUT',
  path: '/mailbox/:id',
  fieldNeeds: { 'update_info.is_shared': 'admin' },
  summary: 'メールボックスを変更する、つなぐ、切断する',
  errors: ['not_found', ...mailboxErrors, 'above_limit', 'mailbox_changed', 'reads_refusals', 'has_open_mails'],
  params: z.object({ id: idInPath.describe('メールボックスのidです。') }),
  body: z.strictObject({
    version,
    confirmed: z.literal(1).optional().describe('送信されなくなるメールと予約があっても、切断します。'),
    update_info: z
      .strictObject({
        name,
        address: mailAddress.describe('メールアドレスです。変えると、確かめるまで送れません。'),
        ...connection,
        per_day: perDay,
        per_minute: perMinute,
        remove_from: mailAddress.describe(
          '使うのをやめる、ほかの差出人のアドレスです。そのアドレスから送る予定のメールは取り消されます。',
        ),
        is_shared: flag.describe('1なら共有、0なら自分のものにします（管理者だけ）。'),
        password: text(MAX_SECRET_LENGTH).min(1).describe('パスワードです。返しません。'),
        active: z.literal(0).describe('切断します。パスワードは削除されます。'),
      })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .refine(
        ({ active, ...others }) => active === undefined || Object.values(others).every((value) => value === undefined),
        { path: ['active'], message: '切断するときは、ほかの項目を変更できません' },
      ),
  }),
  response: z.object({ status: z.literal('updated'), id, version }),
});

export const checkMailbox = call({
  method: 'POST',
  path: '/mailbox/:id/check',
  summary: 'メールボックスの接続を確かめる',
  errors: ['not_found', 'too_many_checks', 'no_secret_key', 'mailbox_off'],
  params: z.object({ id: idInPath.describe('メールボックスのidです。') }),
  body: z.strictObject({
    from: mailAddress.optional().describe('使えるか確かめる、ほかの差出人のアドレスです。省くと自分のアドレスです。'),
  }),
  response: z.object({
    state: z.enum(MAILBOX_STATES).describe('確かめたあとの状態です。'),
    steps: z.array(
      z.object({
        step: z.enum(MAILBOX_STEPS).describe('確かめたことです。'),
        state: z.enum(MAILBOX_STEP_STATES).describe('結果です。`look` は、使えますが確かめたい点です。'),
        text: z.string().describe('利用者に見せる文です。'),
      }),
    ),
    version,
  }),
});
