import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { addTenant } from '#test/prospects.ts';
import { acceptRun, claimMails, countStates, markSending } from '#test/sending.ts';
import { requeueBoxMails, setProfileBox } from '../delivery/boxes/change-box.command.ts';
import { lockBox, loseMailbox, noteBoxMails, noteUnreadMails } from './mailbox-state.command.ts';

const profileOf = async (db: Awaited<ReturnType<typeof emptyDatabase>>['db'], senderId: number) =>
  (await db.selectFrom('sender').select('profile_id').where('id', '=', senderId).executeTakeFirstOrThrow()).profile_id;

test('a lost mailbox must be connected again, which is recorded once', async () => {
  const database = await emptyDatabase();
  const { accountId } = await addTenant(database.db);
  const other = await addTenant(database.db);
  const id = await addTestMailbox(database.db, accountId);
  const others = await addTestMailbox(database.db, other.accountId);
  await database.db.updateTable('mailbox_state').set({ login_refusals: 1, why: 'log_in', pauses: 1 }).execute();
  const lose = () =>
    database.service.db.transaction().execute((tx) => loseMailbox(tx, { accountId, id }, '535 5.7.8 denied'));
  expect([await lose(), await lose()]).toStrictEqual([true, false]);
  const boxes = await database.db.selectFrom('mailbox').select(['id', 'state']).orderBy('id').execute();
  expect(boxes).toStrictEqual([
    { id, state: 'reconnect' },
    { id: others, state: 'ok' },
  ]);
  const state = await database.db.selectFrom('mailbox_state').selectAll().where('mailbox_id', '=', id).execute();
  expect(state).toMatchObject([{ last_fault: '535 5.7.8 denied', login_refusals: 0, why: null, pauses: 0 }]);
  const events = await database.db
    .selectFrom('audit_event')
    .select(['account_id', 'member_id', 'detail'])
    .where('kind', '=', 'mailbox_lost')
    .execute();
  const detail = { mailbox_id: id, address: 'aya@haru.example', reply: '535 5.7.8 denied' };
  expect(events).toStrictEqual([{ account_id: accountId, member_id: null, detail }]);
});

test('a changed mailbox takes its claimed mails back, but not those being sent', async () => {
  const database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  const { accountId } = tenant;
  await acceptRun(database, tenant, 3);
  const [first] = await claimMails(database);
  if (!first) throw new Error('nothing claimed');
  await markSending(database.db, [first]);
  const profileId = await profileOf(database.db, tenant.senderId);
  const id = await addTestMailbox(database.db, accountId);
  const api = database.account(accountId, tenant.memberId);
  await api.transaction((tx) => setProfileBox(tx, { accountId, profileId }, id));
  expect(await countStates(database.db)).toStrictEqual({ queued: 2, sending: 1 });

  await database.db.updateTable('delivery').set({ state: 'claimed' }).where('state', '=', 'sending').execute();
  await api.transaction(async (tx) => {
    expect(await lockBox(tx, { accountId, id })).toMatchObject({ mailbox_id: id });
    await requeueBoxMails(tx, { accountId, id });
  });
  expect(await countStates(database.db)).toStrictEqual({ queued: 3 });
});

test('a mailbox that may send again gets one note a sender with waiting mail', async () => {
  const database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  const { accountId } = tenant;
  await acceptRun(database, tenant, 3);
  await acceptRun(database, tenant, 2);
  const id = await addTestMailbox(database.db, accountId);
  await database.db.updateTable('sender_profile').set({ mailbox_id: id }).execute();
  const note = async () => {
    await database.db.deleteFrom('sender_due').execute();
    await database.account(accountId, tenant.memberId).transaction((tx) => noteBoxMails(tx, { accountId, id }));
    return database.db.selectFrom('sender_due').select(['sender_id']).execute();
  };
  expect(await note()).toStrictEqual([{ sender_id: tenant.senderId }]);
  await database.pool.query(`UPDATE delivery SET not_before = 'infinity'`);
  expect(await note()).toStrictEqual([]);
});

test('mails that wait for the first look into their mailbox are noted with it, and with no later one', async () => {
  const database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  await acceptRun(database, tenant, 1);
  const key = { accountId: tenant.accountId, id: await addTestMailbox(database.db, tenant.accountId) };
  await database.db.updateTable('sender_profile').set({ mailbox_id: key.id }).execute();
  const notesAt = async (read_at: Date | null) => {
    await database.db.deleteFrom('sender_due').execute();
    await database.db.updateTable('mailbox_state').set({ read_at }).execute();
    await database.service.db.transaction().execute((tx) => noteUnreadMails(tx, key));
    return (await database.db.selectFrom('sender_due').select('sender_id').execute()).length;
  };
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  expect([await notesAt(null), await notesAt(ago(62)), await notesAt(ago(58))]).toStrictEqual([1, 1, 0]);
});
