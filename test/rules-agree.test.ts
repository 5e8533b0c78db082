import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { SortColumn } from '#contract/companies/prospects-filter.ts';
import { PUBLICATION_NOTICES, type PublicationNotice } from '#domain/law/publication.ts';
import { SEND_TO, type SendTo } from '#domain/sending/attack-list.ts';
import { DELIVERY_STATES, type DeliveryState } from '#domain/sending/delivery-state.ts';
import { type BlockReason, LEFT_OUT_REASONS, resendCutoff } from '#domain/sending/eligibility.ts';
import { overDomainLimit } from '#domain/sending/rules/domain-limit.ts';
import { splitTerms } from '#domain/text/text-filter.ts';
import { previewAttackList } from '#server/features/attack-list/attack-list.queries.ts';
import { blockReason } from '#server/features/attack-list/eligibility-rules.queries.ts';
import { readList } from '#server/features/prospects/list/list.queries.ts';
import type { CheckedFilter } from '#server/features/prospects/list/own-condition.queries.ts';
import { filterCondition, searchTable } from '#server/features/prospects/list/prospect-filter.queries.ts';
import { pickTargets } from '#server/features/runs/order.queries.ts';
import type { Db } from '#server/platform/database/db.ts';
import { Problem } from '#server/platform/problem.ts';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { blockReasonsByLedgers } from './left-out-oracle.ts';
import { compareForList, inRange, matchesSearch, matchesTerms, type SortValue } from './list-rules.ts';
import { addPrimary } from './people.ts';
import { addAddressContact, addContact, addDelivery, addRejection, addReservation } from './prospect-history.ts';
import { addGroup, addProspects, addTenant, type Tenant } from './prospects.ts';

/** Compares left-out-oracle.ts and list-rules.ts with the server's SQL on generated companies. */

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});

const now = Date.UTC(2026, 10, 20, 3, 4, 5, 678);
const daysFromLastday = 7;
const cutoff = resendCutoff(now, daysFromLastday);
const RUNS = { numRuns: 25 };

const mostly = <T>(common: T, other: fc.Arbitrary<T>) => fc.oneof({ weight: 2, arbitrary: fc.constant(common) }, other);

const sentAt = fc.constantFrom(-1, 0, 1, -86_400_000).map((ms) => cutoff + ms);
/** What is stored of an answer in each of its states. `doubted_address`: of the mail that it is about. */
const REPLIES = {
  open: {},
  handled: { handled_at: new Date(now) },
  auto: { kind: 'auto_reply' },
  doubtful: { doubted_address: 'b@x.jp' },
  decided: { handled_at: new Date(now), doubted_address: 'b@x.jp' },
} as const;
type ReplyState = keyof typeof REPLIES;
/** Some companies have the address of another one, or of its person. */
const address = fc.constantFrom('a@x.jp', 'A@x.jp', 'b@x.jp', 'b@sub.x.jp', 'x.jp@y.jp', null);
const company = fc.record({
  company_email: fc.oneof(address, fc.constant('')),
  /** The main contact person, who comes before or after what is recorded of the company. */
  person: mostly(null, fc.record({ email: address, isLate: fc.boolean() })),
  archived: mostly(false, fc.constant(true)),
  notice: mostly<PublicationNotice | null>(null, fc.constantFrom(...PUBLICATION_NOTICES)),
  reply: mostly<ReplyState | null>(null, fc.constantFrom(...(Object.keys(REPLIES) as ReplyState[]))),
  active: fc.constantFrom(true, false, null),
  reserved: mostly('no', fc.constantFrom('pending', 'past', 'test')),
  delivery: mostly<DeliveryState | null>(null, fc.constantFrom(...DELIVERY_STATES)),
  testDelivery: mostly<DeliveryState | null>(null, fc.constantFrom(...DELIVERY_STATES)),
  lastSentAt: fc.oneof(fc.constant(null), sentAt),
  /** For each of the two other groups. */
  elsewhere: fc.tuple(fc.oneof(fc.constant(null), sentAt), mostly<number | null>(null, sentAt)),
  openElsewhere: fc.oneof(fc.constant(null), fc.constantFrom(...DELIVERY_STATES)),
});
/** Addresses that other companies had: they were mailed, rejected mails, or have an open mail. */
const mailedAddress = fc.record({
  address: fc.constantFrom('a@x.jp', 'b@x.jp', 'x.jp@y.jp'),
  lastSentAt: fc.oneof(fc.constant(null), sentAt),
  rejections: fc.uniqueArray(sentAt, { maxLength: 2 }),
  isOpen: fc.boolean(),
  elsewhere: fc.oneof(fc.constant(null), sentAt),
  isOpenElsewhere: mostly(false, fc.constant(true)),
});
const suppression = fc.record({
  kind: fc.constantFrom('address' as const, 'domain' as const),
  value: fc.constantFrom('a@x.jp', 'b@sub.x.jp', 'x.jp', 'sub.x.jp', 'y.jp', 'jp'),
});

type Company = typeof company extends fc.Arbitrary<infer C> ? C : never;
type MailedAddress = typeof mailedAddress extends fc.Arbitrary<infer M> ? M : never;

async function recordAddress(db: Db, tenant: Tenant, others: readonly Tenant[], mailed: MailedAddress): Promise<void> {
  const [other] = others;
  if (other && mailed.elsewhere !== null) {
    await addAddressContact(db, other, mailed.address, new Date(mailed.elsewhere));
  }
  if (other && mailed.isOpenElsewhere) await addOpenMail(db, other, mailed.address);
  if (mailed.lastSentAt !== null) await addAddressContact(db, tenant, mailed.address, new Date(mailed.lastSentAt));
  for (const [deliveryId, at] of mailed.rejections.entries()) {
    await addRejection(db, tenant, mailed.address, { at: new Date(at), deliveryId });
  }
  if (mailed.isOpen) await addOpenMail(db, tenant, mailed.address);
}

/** Adds an open mail of a company that has another address now. */
async function addOpenMail(db: Db, tenant: Tenant, address: string): Promise<void> {
  const [id = 0] = await addProspects(db, tenant.accountId, [{ company_email: null }]);
  await addDelivery(db, tenant, id, { state: 'queued', mailTo: address.toUpperCase() });
}

async function record(db: Db, tenant: Tenant, others: readonly Tenant[], id: number, history: Company): Promise<void> {
  for (const [index, other] of others.entries()) {
    const at = history.elsewhere[index] ?? null;
    if (at !== null) await addContact(db, other, id, new Date(at));
    if (index === 0 && history.openElsewhere !== null) {
      await addDelivery(db, other, id, { state: history.openElsewhere });
      await addDelivery(db, other, id, { state: 'queued', test: true });
    }
  }
  const { active, reply, reserved, delivery, testDelivery, lastSentAt } = history;
  const key = { account_id: tenant.accountId, sender_group_id: tenant.senderGroupId, prospect_id: id };
  if (active !== null)
    await db
      .insertInto('active_prospect')
      .values({ ...key, active })
      .execute();
  if (reply !== null) {
    const answer = { account_id: tenant.accountId, prospect_id: id, kind: 'reply', ...REPLIES[reply] };
    await db.insertInto('reply').values(answer).execute();
  }
  if (reserved !== 'no') {
    // One second apart, so that no two pending reservations have the same time.
    const sendAt = new Date(now + id * 1000);
    await addReservation(db, tenant, [id], { sendAt, test: reserved === 'test', pending: reserved !== 'past' });
  }
  if (delivery !== null) await addDelivery(db, tenant, id, { state: delivery });
  if (testDelivery !== null) await addDelivery(db, tenant, id, { state: testDelivery, test: true });
  if (lastSentAt !== null) await addContact(db, tenant, id, new Date(lastSentAt));
}

test.each([false, true])('SQL and oracle give the same reason; across groups: %s', async (acrossGroups) => {
  const { db } = database;
  const companies = fc.array(company, { minLength: 1, maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(
      companies,
      fc.uniqueArray(suppression, { selector: (s) => s.kind + s.value, maxLength: 2 }),
      fc.uniqueArray(mailedAddress, { selector: ({ address }) => address, maxLength: 2 }),
      async (rows, suppressions, mailed) => {
        const tenant = await addTenant(db);
        const others = [await addGroup(db, tenant), await addGroup(db, tenant)];
        await db
          .insertInto('account_rule')
          .values({ account_id: tenant.accountId, across_groups: acrossGroups })
          .execute();
        for (const entry of suppressions) {
          await db
            .insertInto('suppression')
            .values({ ...entry, account_id: tenant.accountId, reason: 'test' })
            .execute();
        }
        for (const one of mailed) await recordAddress(db, tenant, others, one);
        const ids = await addProspects(
          db,
          tenant.accountId,
          rows.map(({ company_email, archived, notice }) => ({
            company_email,
            archived_at: archived ? new Date() : null,
            publication_notice: notice,
          })),
        );
        for (const [index, row] of rows.entries()) {
          const id = ids[index] ?? 0;
          if (row.person?.isLate === false) await addPrimary(db, tenant, id, row.person);
          await record(db, tenant, others, id, row);
          if (row.person?.isLate === true) await addPrimary(db, tenant, id, row.person);
        }
        for (const sendTo of SEND_TO) await expectAgreement(tenant, ids, { acrossGroups, sendTo });
      },
    ),
    RUNS,
  );
});

async function expectAgreement(
  tenant: Tenant,
  ids: readonly number[],
  { acrossGroups, sendTo }: { readonly acrossGroups: boolean; readonly sendTo: SendTo },
): Promise<void> {
  const { db } = database;
  const inSql = await db
    .selectFrom('prospect')
    .select(
      sql<string | null>`${blockReason({ ...tenant, sendTo, cutoff: new Date(cutoff), acrossGroups })}`.as('reason'),
    )
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
  const byLedgers = await blockReasonsByLedgers(db, tenant, { now, daysFromLastday, sendTo });
  const byRule = ids.map((id) => byLedgers.get(id) ?? null);
  expect(inSql.map(({ reason }) => reason)).toStrictEqual(byRule);

  const settings = { filter: {}, sort: {}, daysFromLastday, sendTo, limit: 1000 };
  const preview = await previewAttackList(database.account(tenant.accountId), tenant.senderGroupId, settings, now);
  expect(preview.rows.map((row) => row.prospect_id)).toStrictEqual(ids.filter((_, index) => byRule[index] === null));
  const countsOf = (reasons: readonly (BlockReason | null)[]) => {
    const countOf = (reason: BlockReason | null) => reasons.filter((told) => told === reason).length;
    return {
      matched: reasons.length - countOf('archived'),
      eligible: countOf(null),
      left_out: Object.fromEntries(LEFT_OUT_REASONS.map((reason) => [reason, countOf(reason)])),
    };
  };
  expect(preview).toMatchObject(countsOf([...byLedgers.values()]));

  // All match the filter, so it is read by a scan.
  const scanned = await previewAttackList(
    database.account(tenant.accountId),
    tenant.senderGroupId,
    { ...settings, filter: { has_company_url: 'no' } },
    now,
  );
  expect(scanned).toStrictEqual(preview);

  // Chosen companies are checked one by one, by the same rule.
  const chosen = await previewAttackList(
    database.account(tenant.accountId),
    tenant.senderGroupId,
    { ...settings, filter: { address: '南極' }, limit: 1, chosen: ids.toReversed() },
    now,
  );
  // When the interval releases the first of them is tested beside its query.
  const { next_at: _release, ...counted } = chosen;
  expect(counted).toStrictEqual({ rows: preview.rows.toReversed(), ...countsOf(byRule) });
}

/** Companies of few domains: one of free mail, one that many companies may have, and two others. */
const crowd = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'A', 'd'),
    domain: fc.constantFrom('x.jp', 'X.jp', 'y.co.jp', 'gmail.com', 'many.jp'),
    isAside: mostly(false, fc.constant(true)),
  }),
  { minLength: 1, maxLength: 20 },
);

test('the SQL and the oracle agree on which companies exceed the limit of their domain', async () => {
  const { db } = database;
  await fc.assert(
    fc.asyncProperty(
      crowd,
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(0, 45, 50),
      async (rows, perDomain, many) => {
        const tenant = await addTenant(db);
        await db.insertInto('account_rule').values({ account_id: tenant.accountId, per_domain: perDomain }).execute();
        // Archived ones count too: an index contains them.
        const others = Array.from({ length: many }, (_, n) => ({
          company_email: `${n}@many.jp`,
          archived_at: new Date(),
        }));
        await addProspects(db, tenant.accountId, others);
        const companies = rows.map(({ name, domain }) => ({ company_email: `${name}@${domain}` }));
        const ids = await addProspects(db, tenant.accountId, companies);
        const settings = { filter: {}, sort: {}, daysFromLastday, limit: 1000 };
        const account = database.account(tenant.accountId);
        const { rows: listed, domain_rule } = await previewAttackList(account, tenant.senderGroupId, settings, now);
        const aside = new Set(ids.filter((_, index) => rows[index]?.isAside));
        const ticked = listed.filter(({ prospect_id }) => !aside.has(prospect_id));
        const shared = new Set(domain_rule?.shared_domains);
        const cut = overDomainLimit(ticked, { perDomain: domain_rule?.per_domain ?? 0, shared });
        const pick = async (targets: typeof ticked) => {
          const scope = { ...tenant, daysFromLastday, sendTo: 'company' as const, test: false, now };
          const picked = await account.transaction((tx) => pickTargets(tx, targets, scope));
          if (picked instanceof Problem) return expect.unreachable();
          const over = picked.skipped.filter(({ reason }) => reason === 'domain_limit');
          return { over: new Set(over.map(({ prospect_id }) => prospect_id)), mailed: picked.targets };
        };
        const all = await pick(ticked);
        expect(all.over).toStrictEqual(cut);
        // The targets that the client sends of it get the same mails.
        const sent = await pick(ticked.filter(({ prospect_id }) => !cut.has(prospect_id)));
        expect([sent.over.size, sent.mailed.length]).toStrictEqual([0, all.mailed.length]);
      },
    ),
    RUNS,
  );
});

const words = fc.string({ unit: fc.constantFrom(...'東京ITｉt業カﾞガ%_\\ 　1１'), minLength: 1, maxLength: 4 });
const list = fc
  .array(words, { maxLength: 3 })
  .chain((items) => fc.constantFrom(',', '、', '，').map((by) => items.join(by)));
const amount = fc.oneof(fc.constant(null), fc.integer({ min: -3, max: 3 }), fc.maxSafeInteger());
const bound = fc.option(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.maxSafeInteger()), { nil: undefined });
const prospect = fc.record({
  company_name: words,
  address: fc.option(words),
  company_email: fc.option(words),
  major_industry_type: fc.option(list),
  company_url: fc.constantFrom(null, '', 'https://x.jp'),
  amount_of_sales: amount,
});
const filter = fc.record({
  search: fc.option(words, { nil: undefined }),
  address: fc.option(list, { nil: undefined }),
  company_email: fc.option(list, { nil: undefined }),
  major_industry_type: fc.option(list, { nil: undefined }),
  has_company_url: fc.constantFrom(undefined, 'yes' as const, 'no' as const),
  amount_of_sales_from: bound,
  amount_of_sales_to: bound,
}) satisfies fc.Arbitrary<CheckedFilter>;

/** Keeps one filter of a conjunction, because six random ones together match almost nothing. */
const oneFilter = fc.tuple(filter, fc.nat()).map(([all, pick]) => {
  const entries = Object.entries(all).filter(([, value]) => value !== undefined);
  const kept = entries.slice(pick % Math.max(1, entries.length)).slice(0, 1);
  return Object.fromEntries(kept) as CheckedFilter;
});

const SORTS = ['company_name', 'address', 'amount_of_sales'] as const satisfies readonly SortColumn[];

test('the SQL and the pure rules agree on which companies a filter matches, and on their order', async () => {
  const { db } = database;
  const prospects = fc.array(prospect, { minLength: 1, maxLength: 15 });
  const orders = fc.tuple(fc.constantFrom(...SORTS), fc.constantFrom('asc' as const, 'desc' as const));
  const filters = fc.array(fc.oneof(filter, oneFilter), { minLength: 8, maxLength: 8 });
  let letThrough = 0;
  await fc.assert(
    fc.asyncProperty(prospects, filters, orders, async (rows, wanted, [sort, order]) => {
      const tenant = await addTenant(db);
      const ids = await addProspects(db, tenant.accountId, rows);
      const stored = rows.map((row, index) => ({ ...row, id: ids[index] ?? 0 }));
      for (const one of wanted) {
        const prospects = searchTable().where(filterCondition(tenant.accountId, one, 'scan'));
        const page = { sort: { sort, order }, offset: 0, limit: 100 };
        const { ids: inSql } = await readList(db, tenant, { kind: 'filtered', define: () => ({ prospects }) }, page);
        const byRule = stored
          .filter((row) => passes(row, one))
          .map((row) => ({ id: row.id, value: row[sort] as SortValue }))
          .sort((a, b) => compareForList(a, b, order))
          .map(({ id }) => id);
        expect(inSql).toStrictEqual(byRule);
        letThrough += byRule.length;
      }
    }),
    RUNS,
  );
  expect(letThrough).toBeGreaterThan(0);
});

function passes(row: typeof prospect extends fc.Arbitrary<infer P> ? P : never, wanted: CheckedFilter): boolean {
  const hasUrl = row.company_url !== null && row.company_url !== '';
  return (
    matchesSearch(row, wanted.search ?? '') &&
    matchesTerms(row.address, splitTerms(wanted.address ?? '')) &&
    matchesTerms(row.company_email, splitTerms(wanted.company_email ?? '')) &&
    matchesTerms(row.major_industry_type, splitTerms(wanted.major_industry_type ?? '')) &&
    (wanted.has_company_url === undefined || hasUrl === (wanted.has_company_url === 'yes')) &&
    inRange(row.amount_of_sales, { from: wanted.amount_of_sales_from, to: wanted.amount_of_sales_to })
  );
}
