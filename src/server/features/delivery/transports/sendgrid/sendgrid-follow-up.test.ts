import { expect, test } from 'vitest';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import { emptyDatabase } from '#test/db.ts';
import { mailingBy } from '#test/mailing.ts';
import { giveSendGridTemplates } from '#test/mails.ts';
import { addTenant } from '#test/prospects.ts';
import { testSendGrid } from '#test/sendgrid.ts';
import { untilSettled, workerBy } from '#test/sending.ts';
import { sentRun } from '#test/sent-run.ts';
import { sendGridTemplates, sendGridTransport } from './sendgrid-transport.ts';

test('a follow-up names its first mail in its headers, and has its subject', async () => {
  const database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  const fake = await testSendGrid();
  await giveSendGridTemplates(database.db);
  await database.db.updateTable('sender').set({ subject: '{{ company_name }}様へ' }).execute();
  const first = await sentRun(database, tenant, 2, { transport: sendGridTemplates });
  await database.db.updateTable('sender').set({ subject: 'ほかの件名' }).execute();

  const body = {
    test_send_mode: 0 as const,
    attack_list: first.prospectIds.map((prospect_id) => ({ prospect_id })),
    days_from_lastday: 7,
    follow_up_of: first.id,
  };
  const request = { senderId: tenant.senderId, body, idempotencyKey: null, ...mailingBy(sendGridTemplates) };
  const account = database.account(tenant.accountId, tenant.memberId);
  expect(await acceptSend(account, request, Date.now())).toMatchObject({ status: 'accepted', accepted: 2 });
  workerBy(database, sendGridTransport(fake), { connections: 1 });
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 4 });
  const followed = await database.db
    .selectFrom('delivery')
    .select('message_id')
    .where('send_log_id', '=', first.id)
    .orderBy('row_index')
    .execute();
  expect(fake.mails).toMatchObject(
    followed.map(({ message_id }, n) => ({
      headers: { 'In-Reply-To': message_id, References: message_id },
      dynamic_template_data: { subject: `Re: 株式会社${n}様へ` },
    })),
  );
});
