import { type ApiResult, call, type InputOf } from '#web/lib/api/call.ts';
import type { Mailbox } from '#web/lib/data/mailboxes.ts';

type Body = InputOf<'updateMailbox'>['body'];
export type MailboxInfo = Body['update_info'];

/** A mailbox as a change names it. */
export type Named = Pick<Mailbox, 'id' | 'version'>;

export type AddInfo = InputOf<'addMailbox'>['body']['add_info'];

export const postMailbox = (add_info: AddInfo, key: string) =>
  call('addMailbox', { body: { add_info } }, { headers: { 'Idempotency-Key': key } });

export const putMailbox = ({ id, version }: Named, rest: Omit<Body, 'version'>) =>
  call('updateMailbox', { params: { id: String(id) }, body: { version, ...rest } });

/** Tries the connection; `from` names another address that is to be allowed. Takes up to 30 s. */
export const checkMailbox = (id: number, from?: string) =>
  call('checkMailbox', { params: { id: String(id) }, body: { ...(from !== undefined && { from }) } });

type Answered<T> = T extends Promise<ApiResult<infer Answer>> ? Answer : never;
export type Checked = Answered<ReturnType<typeof checkMailbox>>;
