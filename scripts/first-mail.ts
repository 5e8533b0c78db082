import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SmtpSink } from '#test/smtp-sink.ts';

/** Tests a new installation: from an empty database to a delivered mail. */

const LOGIN = { email: 'you@example.co.jp', password: '青い湖と三本の古い杉と白い舟' };
const MAIL_WITHIN_MS = 60_000;

/**
 * Creates a user with a list of companies.
 * @param run runs a command of the program and waits for its end
 * @param list a file of companies
 */
export async function makeUser(run: (args: readonly string[], input?: string) => Promise<void>, list: string) {
  const names = ['--name', '山田 花子', '--company', '株式会社花'];
  const legal = ['--postal-code', '100-0001', '--address', '東京都千代田区千代田1-1', '--phone', '03-0000-0000'];
  const refusal = ['--refusal-email', 'stop@example.co.jp'];
  await run(['account', 'create', '--email', LOGIN.email, ...names, ...legal, ...refusal], `${LOGIN.password}\n`);
  await run(['prospect', 'import', list, '--account', LOGIN.email]);
}

/** Calls the API as the specification's client does. @returns its answer */
async function call(address: string, token: string, path: string, body?: object, method = 'POST'): Promise<unknown> {
  const answer = await fetch(`${address}/api/v1${path}`, {
    method: body ? method : 'GET',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  assert.equal(answer.status, 200, `${path}: ${await answer.clone().text()}`);
  return answer.json();
}

/** Confirms the sender's address with the mailed link, as its owner does. */
async function confirmAddress(address: string, token: string, senderId: number, sink: SmtpSink): Promise<void> {
  await call(address, token, `/sender/${senderId}/confirmation`, {});
  const [, text = ''] = /base64\r\n\r\n([\w+/=\r\n]+)/.exec(sink.mails[0]?.source.toString() ?? '') ?? [];
  const key = /sender-confirmation\/([\w-]{43})/.exec(Buffer.from(text, 'base64').toString())?.[1] ?? '';
  await call(address, '', '/sender_confirmation', { key });
}

/** Logs in, sends a mail, and waits until a worker has delivered it to the mail server. */
export async function sendFirstMail(address: string, sink: SmtpSink): Promise<void> {
  const { token } = (await call(address, '', '/auth/login', LOGIN)) as { token: string };
  const [sender] = (await call(address, token, '/sender/list')) as { id: number; sender_group_id: number }[];
  assert.ok(sender, 'the new account has no sender');
  await confirmAddress(address, token, sender.id, sink);
  const legal = `/legal_profile/${sender.sender_group_id}`;
  await call(address, token, legal, { update_info: { confirmed: 1 } }, 'PUT');
  const list = `/prospect/view?sender_group_id=${sender.sender_group_id}&pagenate_count=20`;
  const { rows } = (await call(address, token, list)) as { rows: { id: number; company_email: string | null }[] };
  const company = rows.find(({ company_email }) => company_email);
  assert.ok(company, 'nobody of the imported list has an address');
  const attack_list = [{ prospect_id: company.id }];
  await call(address, token, `/mail/send/${sender.id}`, { test_send_mode: 0, attack_list });
  // The first mail is the address's confirmation.
  for (const end = Date.now() + MAIL_WITHIN_MS; sink.mails.length < 2; await sleep(200)) {
    assert.ok(Date.now() < end, 'no mail arrives');
  }
  assert.deepEqual(
    sink.mails.map(({ to }) => to),
    [[LOGIN.email], [company.company_email]],
  );
  for (const end = Date.now() + MAIL_WITHIN_MS; ; await sleep(200)) {
    const { rows } = (await call(address, token, list)) as { rows: { id: number; sent_at: string | null }[] };
    if (rows.some(({ id, sent_at }) => id === company.id && sent_at !== null)) return;
    assert.ok(Date.now() < end, 'the mail is not shown as sent');
  }
}
