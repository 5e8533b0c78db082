import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { form } from '#test/faults/form.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { bounceSoftly, type ReceiptMachine, receiptMachine } from '#test/receipt-machine.ts';
import { saveState } from '#test/saved-state.ts';
import { claimMails, finishDeliveries, markSending, unbalancedRuns } from '#test/sending.ts';
import { Problem } from '../../../platform/problem.ts';
import { erase } from '../../personal-data/erase.command.ts';
import { giveBack } from '../../reservations/give-back.command.ts';
import { blankBatch } from '../../retention/blank.command.ts';
import { acceptSend } from '../../runs/accept.command.ts';
import { decideUnknown } from '../../runs/decide-unknown.command.ts';
import { retryDelivery } from '../../runs/retry.command.ts';
import { steerRun } from '../../runs/run-control.command.ts';
import { sweepLostClaims } from '../results/sweep.queries.ts';

/**
 * Sending, bounces, retries, moves, erasures, blanking and restarts of the worker in any order (decisions/receipts).
 * A sound database is never taken for one that was set back, and one that was set back always is, where it lacks a mail
 * and the contact of its address.
 */

type Step = readonly [act: Act, choice: number];

/** A mail that the mail server took. Moments are counted by acts. */
interface Taken {
  readonly mail: number;
  readonly claimNo: number;
  readonly prospect: number;
  readonly address: string;
  readonly at: number;
  isMerged: boolean;
  /** Its receipt has the hash of the address. */
  isHashed: boolean;
}

interface Saved {
  readonly at: number;
  readonly setBack: () => Promise<void>;
  /** The mails. */
  readonly mails: ReadonlySet<number>;
  /** Those that wait. */
  readonly waiting: ReadonlySet<number>;
  /** The addresses of the companies. */
  readonly companies: ReadonlyMap<number, string | null>;
}

interface Scene {
  readonly database: TestDatabase;
  readonly tenant: Tenant;
  readonly machine: ReceiptMachine;
  now: number;
  /** When each mail was accepted. */
  readonly accepted: Map<number, number>;
  readonly taken: Taken[];
  /** Tries that the sweep made unknown. */
  readonly unknown: { readonly mail: number; readonly at: number }[];
  /** When an address was recorded as contacted, and when that was forgotten. */
  readonly contacts: { readonly address: string; readonly at: number; readonly isErased: boolean }[];
  /** When an address was erased: where it was asked for, or as an earlier one of an erased company. */
  readonly erasures: { readonly address: string; readonly at: number }[];
  readonly saved: Saved[];
}

async function makeScene(): Promise<Scene> {
  const database = await emptyDatabase();
  const [tenant, machine] = [await addTenant(database.db), await receiptMachine(database)];
  const nothing = { taken: [], unknown: [], contacts: [], erasures: [], saved: [] };
  return { database, tenant, machine, now: 0, accepted: new Map(), ...nothing };
}

const select = async <Row>({ database }: Scene, query: string): Promise<Row[]> =>
  (await database.pool.query(query)).rows as Row[];
const memberOf = ({ database, tenant }: Scene) => ({
  ...database.account(tenant.accountId, tenant.memberId),
  memberId: tenant.memberId,
});
const pick = <Item>(items: readonly Item[], choice: number): Item | undefined => items[choice % (items.length || 1)];

const companiesOf = (scene: Scene) =>
  select<{ id: number; email: string }>(
    scene,
    'SELECT id, email_search AS email FROM prospect WHERE archived_at IS NULL ORDER BY id',
  );
const mailsIn = (scene: Scene, ...states: readonly string[]) =>
  select<{ id: number; send_log_id: number; claim_no: number }>(
    scene,
    `SELECT id, send_log_id, claim_no FROM delivery WHERE state IN ('${states.join("', '")}') ORDER BY id`,
  );

async function send(scene: Scene, { dies }: { readonly dies: boolean }): Promise<void> {
  const { database, machine } = scene;
  const claims = await claimMails(database);
  const marks = await markSending(database.service.db, claims);
  const marked = claims.filter((_, index) => marks[index]);
  if (marked.length === 0) return;
  machine.keep(marked);
  for (const { id: mail, claimNo, prospectId: prospect, mailTo: address } of marked) {
    scene.taken.push({ mail, claimNo, prospect, address, at: scene.now, isMerged: false, isHashed: false });
    if (!dies) scene.contacts.push({ address, at: scene.now, isErased: false });
  }
  if (dies) return;
  const outcome = { kind: 'sent', reply: '250 taken' } as const;
  await finishDeliveries(
    database.service.db,
    marked.map((claim) => ({ claim, outcome })),
  );
}

/** A mail that counts as sent by its receipt is a contact, unless its address was erased. */
async function merge(scene: Scene): Promise<void> {
  const open = new Map((await mailsIn(scene, 'sending', 'unknown', 'queued')).map((mail) => [mail.id, mail.claim_no]));
  await scene.machine.merge();
  const sent = new Set((await mailsIn(scene, 'sent')).map(({ id }) => id));
  for (const taken of scene.taken.filter(({ isMerged }) => !isMerged)) {
    taken.isMerged = true;
    const becameSent = open.get(taken.mail) === taken.claimNo && sent.has(taken.mail);
    if (becameSent && !isErasedAfter(scene, taken)) {
      scene.contacts.push({ address: taken.address, at: scene.now, isErased: false });
    }
  }
}

const isErasedAfter = ({ erasures }: Scene, taken: Taken, until = Number.POSITIVE_INFINITY): boolean =>
  erasures.some(({ address, at }) => address === taken.address && at > taken.at && at <= until);

async function erasePerson(scene: Scene, choice: number): Promise<void> {
  const addresses = [...new Set((await select<{ email: string }>(scene, KNOWN_ADDRESSES)).map(({ email }) => email))];
  const address = pick(addresses, choice);
  if (address === undefined) return;
  const mailed = await select<{ email: string }>(
    scene,
    `SELECT DISTINCT address_key AS email FROM delivery JOIN prospect p ON p.id = prospect_id
    WHERE address_key IS NOT NULL AND email_search = '${address}'`,
  );
  const erased = await erase(memberOf(scene), { email: address, record_refusal: 0 });
  if (erased instanceof Problem) return;
  scene.contacts.push({ address, at: scene.now, isErased: true });
  for (const email of new Set([address, ...mailed.map((mail) => mail.email)])) {
    scene.erasures.push({ address: email, at: scene.now });
  }
}

const KNOWN_ADDRESSES = `
  SELECT email_search AS email FROM prospect WHERE email_search <> ''
  UNION SELECT address_key FROM delivery WHERE address_key IS NOT NULL
  UNION SELECT address_key FROM address_contact ORDER BY 1`;

/** Makes all ended runs seven months old, and blanks what may be blanked. */
async function blank({ database, tenant }: Scene): Promise<void> {
  await database.pool.query(`
    UPDATE send_log SET ended_at = now() - interval '7 months', blanked_at = NULL WHERE NOT EXISTS (
      SELECT FROM delivery WHERE send_log_id = send_log.id AND state IN ('queued', 'claimed', 'sending'));
    UPDATE delivery SET finished_at = finished_at - interval '7 months'
    WHERE finished_at > now() - interval '6 months' AND send_log_id IN (SELECT id FROM send_log WHERE ended_at < now());
    INSERT INTO mail_retention (account_id, months) VALUES (${tenant.accountId}, 6)
    ON CONFLICT (account_id) DO UPDATE SET next_at = now()`);
  while ((await blankBatch(database.service.db)) !== null);
}

const steer = (wanted: 'paused' | 'sending') => async (scene: Scene, choice: number) => {
  const mail = pick(await mailsIn(scene, 'queued', 'failed', 'sent'), choice);
  if (mail) await steerRun(memberOf(scene), mail.send_log_id, wanted, giveBack);
};

const ACTS = {
  async import(scene, choice) {
    const email = `person${choice % 3}@a.example`;
    if ((await companiesOf(scene)).some((company) => company.email === email)) return;
    const company = { company_name: '会社', company_email: email };
    await addProspects(scene.database.db, scene.tenant.accountId, [company]);
  },
  async accept(scene) {
    const attack_list = (await companiesOf(scene)).map(({ id }) => ({ prospect_id: id, company_email: '' }));
    if (attack_list.length === 0) return;
    const body = { test_send_mode: 0, attack_list, datetime_list: null, days_from_lastday: 0 } as const;
    const request = { senderId: scene.tenant.senderId, body, idempotencyKey: null, ...TEST_MAILING };
    await acceptSend(memberOf(scene), request, Date.now());
    for (const { id } of await mailsIn(scene, 'queued')) {
      if (!scene.accepted.has(id)) scene.accepted.set(id, scene.now);
    }
  },
  send: (scene) => send(scene, { dies: false }),
  'send and die': (scene) => send(scene, { dies: true }),
  async sweep({ database, machine, taken, unknown }) {
    await sql`UPDATE delivery SET lease_until = 'epoch' WHERE lease_until IS NOT NULL`.execute(database.db);
    await sweepLostClaims(database.service.db, (databaseId, mails) => {
      machine.keepUnknown(databaseId, mails);
      const isSwept = ({ mail, claimNo }: Taken) => mails.some((one) => one.id === mail && one.claimNo === claimNo);
      unknown.push(...taken.filter(isSwept));
    });
  },
  merge,
  async bounce(scene, choice) {
    const mail = pick(await mailsIn(scene, 'sent'), choice);
    if (mail) await bounceSoftly(scene.database, { accountId: scene.tenant.accountId, id: mail.id });
  },
  pause: steer('paused'),
  resume: steer('sending'),
  async retry(scene, choice) {
    const mail = pick(await mailsIn(scene, 'failed'), choice);
    if (mail) await retryDelivery(memberOf(scene), mail.id, Date.now());
  },
  decide,
  async move(scene, choice) {
    const { id = 0 } = pick(await companiesOf(scene), choice) ?? {};
    const email = `moved${scene.now}@a.example`;
    await sql`UPDATE prospect SET company_email = ${email}, email_search = ${email} WHERE id = ${id}`.execute(
      scene.database.db,
    );
  },
  erase: erasePerson,
  blank,
  async restart(scene) {
    scene.machine.endGathering();
    await scene.machine.eraseAddresses();
    for (const taken of scene.taken) taken.isHashed ||= taken.isMerged && isErasedAfter(scene, taken);
  },
  async 'operator merges'({ machine }) {
    expect(await machine.restore()).toStrictEqual({ sent: 0, unknown: 0, contacted: 0, taken: 0 });
  },
  save,
} satisfies Record<string, (scene: Scene, choice: number) => Promise<void>>;
type Act = keyof typeof ACTS;

async function perform(scene: Scene, [act, choice]: Step): Promise<void> {
  scene.now += 1;
  await ACTS[act](scene, choice);
}

/** A member sends an unknown mail again: its address counts as contacted. */
async function decide(scene: Scene, choice: number): Promise<void> {
  const mail = pick(await mailsIn(scene, 'unknown'), choice);
  if (!mail) return;
  const [row] = await select<{ email: string | null }>(
    scene,
    `SELECT address_key AS email FROM delivery WHERE id = ${mail.id}`,
  );
  const decided = { state: 'queued', claimNo: mail.claim_no } as const;
  const answer = await decideUnknown(memberOf(scene), mail.id, decided, Date.now());
  if (answer instanceof Problem || !row?.email) return;
  scene.contacts.push({ address: row.email, at: scene.now, isErased: false });
}

async function save(scene: Scene): Promise<void> {
  const mails = await select<{ id: number }>(scene, 'SELECT id FROM delivery');
  const waiting = await mailsIn(scene, 'queued', 'claimed');
  const companies = await select<{ id: number; email: string }>(
    scene,
    'SELECT id, email_search AS email FROM prospect',
  );
  scene.saved.push({
    at: scene.now,
    setBack: await saveState(scene.database),
    mails: new Set(mails.map(({ id }) => id)),
    waiting: new Set(waiting.map(({ id }) => id)),
    companies: new Map(companies.map(({ id, email }) => [id, email])),
  });
}

/** Whether an address counted as contacted at a moment, and not only since before another one. */
function wasContacted({ contacts }: Scene, address: string, until: number, since = 0): boolean {
  const last = contacts.findLast((contact) => contact.address === address && contact.at <= until);
  return last !== undefined && !last.isErased && last.at >= since;
}

async function expectSound(scene: Scene): Promise<void> {
  expect(await scene.machine.compare()).toStrictEqual({ denied: 0, lost: [] });
  expect(await scene.machine.compareUnknown()).toBe(0);
  expect(await unbalancedRuns(scene.database.db)).toStrictEqual([]);
  const contacted = await select<{ address: string }>(scene, 'SELECT address_key AS address FROM address_contact');
  const addresses = new Set(scene.contacts.map(({ address }) => address));
  expect(new Set(contacted.map(({ address }) => address))).toStrictEqual(
    new Set([...addresses].filter((address) => wasContacted(scene, address, scene.now))),
  );
  const plain = scene.taken.filter(({ isHashed }) => !isHashed).map(({ address }) => address);
  expect(scene.machine.text().match(/(?<="address":")[^"]*/g) ?? []).toHaveLength(plain.length);
}

async function expectMissed(scene: Scene, { at: then, setBack, mails, waiting, companies }: Saved): Promise<void> {
  const { machine, taken } = scene;
  await setBack();
  const later = scene.unknown.filter(({ at }) => at > then);
  // Where the row is missing the company decides.
  if (later.some(({ mail }) => waiting.has(mail))) expect(await machine.compareUnknown()).toBeGreaterThan(0);
  else if (later.length === 0) expect(await machine.compareUnknown()).toBe(0);
  const isMissing = ({ mail, prospect, address, at, isHashed }: Taken): boolean => {
    // A mail that waits is permitted by its row: only a contact since it was accepted is its own.
    const since = mails.has(mail) ? scene.accepted.get(mail) : 0;
    if (at <= then || wasContacted(scene, address, then, since)) return false;
    return !isHashed || mails.has(mail) || companies.get(prospect) === address;
  };
  const lost = taken.filter((one) => one.isHashed && !isErasedAfter(scene, one, then));
  const compared = await machine.compare();
  if (taken.some(isMissing)) expect(compared.denied).toBeGreaterThan(0);
  // A receipt with a hash no longer says whether its address counts as contacted. Its row, or its company, may deny it.
  else if (lost.length === 0) expect(compared.denied).toBe(0);
  expect(compared.lost).toHaveLength(new Set(lost.map(({ address }) => address)).size);
  await machine.restore();
  expect((await machine.compare()).denied).toBe(0);
  expect(await machine.compareUnknown()).toBe(0);
}

const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom(...(Object.keys(ACTS) as Act[])), fc.nat(20));
const steps = (...acts: readonly Act[]): Step[] => acts.map((act) => [act, 0]);
/** The cases of which nobody had thought. */
const KNOWN = [
  steps('bounce', 'retry', 'pause', 'erase', 'restart'),
  // The mail left for the old address, and waited for the new one.
  steps('accept', 'send and die', 'sweep', 'move', 'decide', 'merge'),
  // The same, and the old address is erased while the mail waits.
  [...steps('accept', 'send and die', 'sweep', 'move', 'decide'), ['erase', 1] as const, ...steps('merge', 'restart')],
];

const NAME = 'any order of sends, bounces, retries, erasures and restarts: no false alarm, no true one missed';
test(NAME, { timeout: 60_000 + form.sequences * 10_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), fc.nat(20), async (acts, choice) => {
      const scene = await makeScene();
      try {
        for (const act of [...steps('import', 'save', 'accept', 'save', 'send', 'merge'), ...acts]) {
          await perform(scene, act);
          await expectSound(scene);
        }
        await expectMissed(scene, pick(scene.saved, choice) ?? expect.unreachable());
      } finally {
        scene.machine.remove();
      }
    }),
    { numRuns: form.sequences, examples: KNOWN.map((acts) => [acts, 1]) },
  );
});
