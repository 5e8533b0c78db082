import { beforeEach, expect, test } from 'vitest';
import type { AccountDb } from '#server/platform/account-db.ts';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { addManyProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { countStates } from '#test/sending.ts';
import { acceptSend } from './accept.command.ts';
import { templateFault } from './prepare-run.ts';

const MANY = 1000;
/** Fewer than withRehearsal() puts up with. */
const EDITS = 2;
/** 25 mails a turn; nobody has to wait for the first. */
const TURNS = MANY / 25 - 1;

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await testDatabase();
  tenant = await addTenant(database.db);
  await addManyProspects(database.db, tenant.accountId, MANY);
});

/** Counts the turns of the event loop that others get while `work` goes on and `isCounted` holds. */
async function turnsOfOthers(work: () => Promise<unknown>, isCounted = () => true): Promise<number> {
  let turns = 0;
  let running = true;
  const count = () => {
    if (isCounted()) turns += 1;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  await work();
  running = false;
  return turns;
}

/** To every company there is. */
async function sending(account: AccountDb): Promise<() => ReturnType<typeof acceptSend>> {
  const rows = await database.db.selectFrom('prospect').select('id as prospect_id').orderBy('id').execute();
  const body = { test_send_mode: 0, attack_list: rows } as const;
  return () =>
    acceptSend(account, { senderId: tenant.senderId, body, idempotencyKey: null, transport: 'smtp' }, Date.now());
}

test('a long list leaves turns of the event loop to others', async () => {
  const mail = {
    subject: '件名',
    text_body: '{{ company_name }}',
    html_body: '',
    sender: { person_in_charge: '', email: 'a@a.example', bcc: [] },
    account: { name: '', company: '' },
    candidate_dates: [],
  };
  const targets = Array.from({ length: MANY }, (_, n) => ({ company_name: `会社${n}`, person_in_charge: '' }));
  expect(await turnsOfOthers(() => templateFault(mail, targets))).toBeGreaterThanOrEqual(TURNS);
});

test('a send renders its mails while it holds no transaction', async () => {
  let open = 0;
  const account = database.account(tenant.accountId);
  const counted =
    (run: AccountDb['transaction']): AccountDb['transaction'] =>
    async (work) => {
      open += 1;
      return run(work).finally(() => {
        open -= 1;
      });
    };
  const watched = { id: account.id, transaction: counted(account.transaction), snapshot: counted(account.snapshot) };
  const send = await sending(watched);
  const turns = await turnsOfOthers(send, () => open === 0);
  expect(turns).toBeGreaterThanOrEqual(TURNS);
  expect(await countStates(database.db)).toStrictEqual({ queued: MANY });
});

test.each([
  ['template', () => database.db.updateTable('mail_template').set({ text_body: '{{ oops }}' }).execute()],
  ['company', () => database.db.updateTable('prospect').set({ company_name: 'A\r\nBcc: x@x.example' }).execute()],
])('a %s that is edited between the rendering and the transaction is rendered again', async (_, edit) => {
  await database.db.updateTable('sender').set({ subject: '{{ company_name }}様' }).execute();
  const account = database.account(tenant.accountId);
  const snapshot: AccountDb['snapshot'] = async (work) => {
    const seen = await account.snapshot(work);
    await edit();
    return seen;
  };
  const send = await sending({ ...account, snapshot });
  expect(await send()).toMatchObject({ status: 400, code: 'invalid_template' });
  expect(await countStates(database.db)).toStrictEqual({});
});

test('what is edited in between is rendered before another transaction, not within the first', async () => {
  const account = database.account(tenant.accountId);
  let begun = 0;
  const transaction: AccountDb['transaction'] = async (work) => {
    begun += 1;
    const text_body = `{{ company_name }} ${Math.min(begun, EDITS)}`;
    if (begun <= EDITS) await database.db.updateTable('mail_template').set({ text_body }).execute();
    return account.transaction(work);
  };
  const send = await sending({ ...account, transaction });
  expect(await send()).toMatchObject({ status: 'accepted', accepted: MANY });
  expect(begun).toBe(EDITS + 1);
});

test('a fault that was found before the transaction is told there, and not looked for again', async () => {
  await database.db.updateTable('sender').set({ subject: '{{ company_name }}様' }).execute();
  const last = database.db
    .updateTable('prospect')
    .where('id', '=', ({ selectFrom }) => selectFrom('prospect').select(({ fn }) => fn.max('id').as('id')));
  await last.set({ company_name: 'A\r\nBcc: x@x.example' }).execute();
  const account = database.account(tenant.accountId);
  // Set right in between: who looked again would find nothing.
  const transaction: AccountDb['transaction'] = async (work) => {
    await last.set({ company_name: '会社' }).execute();
    return account.transaction(work);
  };
  const send = await sending({ ...account, transaction });
  expect(await send()).toMatchObject({ status: 400, code: 'invalid_template' });
  expect(await send()).toMatchObject({ status: 'accepted', accepted: MANY });
});
