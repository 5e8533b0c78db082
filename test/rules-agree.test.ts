import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { ProspectFilter, SortColumn } from '#contract/prospects-filter.ts';
import { PUBLICATION_NOTICES, type PublicationNotice } from '#domain/law/publication.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { DELIVERY_STATES, type DeliveryState } from '#domain/sending/delivery-state.ts';
import {
  blockReason,
  isSuppressed,
  LEFT_OUT_REASONS,
  resendCutoff,
  type Suppression,
} from '#domain/sending/eligibility.ts';
import { splitTerms } from '#domain/text/text-filter.ts';
import { previewAttackList } from '#server/features/attack-list/attack-list.queries.ts';
import { blockReason as blockReasonInSql } from '#server/features/attack-list/eligibility.queries.ts';
import { readList } from '#server/features/prospects/list/list.queries.ts';
import { filterCondition, searchTable } from '#server/features/prospects/list/prospect-filter.queries.ts';
import type { Db } from '#server/platform/database/db.ts';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { compareForList, inRange, matchesSearch, matchesTerms, type SortValue } from './list-rules.ts';
import { addAddressContact, addContact, addDelivery, addRejection, addReservation } from './prospect-history.ts';
import { addProspects, addTenant, type Tenant } from './prospects.ts';

/** Compares the pure rules of src/domain and list-rules.ts with the server's SQL on generated companies. */

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});

const now = Date.UTC(2026, 10, 20, 3, 4, 5, 678);
const daysFromLastday = 7;
const cutoff = resendCutoff(now, daysFromLastday);
const OPEN: readonly DeliveryState[] = ['queued', 'claimed', 'sending', 'unknown'];
const RUNS = { numRuns: 25 };

const mostly = <T>(common: T, other: fc.Arbitrary<T>) => fc.oneof({ weight: 2, arbitrary: fc.constant(common) }, other);

const sentAt = fc.constantFrom(-1, 0, 1, -86_400_000).map((ms) => cutoff + ms);
const REPLY_STATES = ['open', 'handled', 'auto', 'doubtful', 'decided'] as const;
type ReplyState = (typeof REPLY_STATES)[number];
/** The address of the mail that such an answer is about. */
const DOUBTED = 'b@x.jp';
const company = fc.record({
  company_email: fc.constantFrom('a@x.jp', 'A@x.jp', 'b@x.jp', 'b@sub.x.jp', 'x.jp@y.jp', '', null),
  archived: mostly(false, fc.constant(true)),
  notice: mostly<PublicationNotice | null>(null, fc.constantFrom(...PUBLICATION_NOTICES)),
  reply: mostly<ReplyState | null>(null, fc.constantFrom(...REPLY_STATES)),
  active: fc.constantFrom(true, false, null),
  reserved: mostly('no', fc.constantFrom('pending', 'past', 'test')),
  delivery: mostly<DeliveryState | null>(null, fc.constantFrom(...DELIVERY_STATES)),
  testDelivery: mostly<DeliveryState | null>(null, fc.constantFrom(...DELIVERY_STATES)),
  lastSentAt: fc.oneof(fc.constant(null), sentAt),
});
/** Addresses that other companies had: they were mailed, rejected mails, or have an open mail. */
const mailedAddress = fc.record({
  address: fc.constantFrom('a@x.jp', 'b@x.jp', 'x.jp@y.jp'),
  lastSentAt: fc.oneof(fc.constant(null), sentAt),
  rejections: fc.uniqueArray(sentAt, { maxLength: 2 }),
  isOpen: fc.boolean(),
});
const suppression: fc.Arbitrary<Suppression> = fc.record({
  kind: fc.constantFrom('address', 'domain'),
  value: fc.constantFrom('a@x.jp', 'b@sub.x.jp', 'x.jp', 'sub.x.jp', 'y.jp', 'jp'),
});

type Company = typeof company extends fc.Arbitrary<infer C> ? C : never;
type MailedAddress = typeof mailedAddress extends fc.Arbitrary<infer M> ? M : never;

async function recordAddress(db: Db, tenant: Tenant, mailed: MailedAddress): Promise<void> {
  if (mailed.lastSentAt !== null) await addAddressContact(db, tenant, mailed.address, new Date(mailed.lastSentAt));
  for (const [deliveryId, at] of mailed.rejections.entries()) {
    await addRejection(db, tenant, mailed.address, { at: new Date(at), deliveryId });
  }
  if (!mailed.isOpen) return;
  const [other = 0] = await addProspects(db, tenant.accountId, [{ company_email: null }]);
  await addDelivery(db, tenant, other, { state: 'queued', mailTo: mailed.address.toUpperCase() });
}

async function record(db: Db, tenant: Tenant, id: number, history: Company): Promise<void> {
  const { active, reply, reserved, delivery, testDelivery, lastSentAt } = history;
  const key = { account_id: tenant.accountId, sender_group_id: tenant.senderGroupId, prospect_id: id };
  if (active !== null)
    await db
      .insertInto('active_prospect')
      .values({ ...key, active })
      .execute();
  if (reply !== null) {
    const handled_at = reply === 'handled' || reply === 'decided' ? new Date(now) : null;
    await db
      .insertInto('reply')
      .values({
        account_id: tenant.accountId,
        prospect_id: id,
        kind: reply === 'auto' ? 'auto_reply' : 'reply',
        handled_at,
        doubted_address: reply === 'doubtful' || reply === 'decided' ? DOUBTED : null,
      })
      .execute();
  }
  if (reserved !== 'no') {
    // One second apart, so that no two pending reservations share a time.
    const sendAt = new Date(now + id * 1000);
    await addReservation(db, tenant, [id], { sendAt, test: reserved === 'test', pending: reserved !== 'past' });
  }
  if (delivery !== null) await addDelivery(db, tenant, id, { state: delivery });
  if (testDelivery !== null) await addDelivery(db, tenant, id, { state: testDelivery, test: true });
  if (lastSentAt !== null) await addContact(db, tenant, id, new Date(lastSentAt));
}

test('why a company is left out', async () => {
  const { db } = database;
  const companies = fc.array(company, { minLength: 1, maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(
      companies,
      fc.uniqueArray(suppression, { selector: (s) => s.kind + s.value, maxLength: 2 }),
      fc.uniqueArray(mailedAddress, { selector: ({ address }) => address, maxLength: 2 }),
      async (rows, suppressions, mailed) => {
        const tenant = await addTenant(db);
        for (const entry of suppressions) {
          await db
            .insertInto('suppression')
            .values({ ...entry, account_id: tenant.accountId, reason: 'test' })
            .execute();
        }
        for (const one of mailed) await recordAddress(db, tenant, one);
        const ids = await addProspects(
          db,
          tenant.accountId,
          rows.map(({ company_email, archived, notice }) => ({
            company_email,
            archived_at: archived ? new Date() : null,
            publication_notice: notice,
          })),
        );
        for (const [index, row] of rows.entries()) await record(db, tenant, ids[index] ?? 0, row);
        const mailedAt = new Map<string, MailedAddress>(mailed.map((one) => [one.address, one]));

        const inSql = await db
          .selectFrom('prospect')
          .select(sql<string | null>`${blockReasonInSql({ ...tenant, cutoff: new Date(cutoff) })}`.as('reason'))
          .where('id', 'in', ids)
          .orderBy('id')
          .execute();
        const isAnyInDoubt = rows.some(({ reply }) => reply === 'doubtful');
        const byRule = rows.map((row) => {
          const address = mailedAt.get(addressKey(row.company_email ?? ''));
          return blockReason(
            {
              archived: row.archived,
              active: row.active ?? true,
              email: row.company_email,
              suppressed: row.company_email !== null && isSuppressed(row.company_email, suppressions),
              maybeRefused:
                row.reply === 'doubtful' || (isAnyInDoubt && addressKey(row.company_email ?? '') === DOUBTED),
              replied: row.reply === 'open',
              refusedByNotice: row.notice === 'refused',
              reserved: row.reserved === 'pending',
              openDelivery: (row.delivery !== null && OPEN.includes(row.delivery)) || address?.isOpen === true,
              lastSentAt: row.lastSentAt,
              addressLastSentAt: address?.lastSentAt ?? null,
              rejectedAt: address && address.rejections.length > 0 ? Math.max(...address.rejections) : null,
            },
            { now, daysFromLastday },
          );
        });
        expect(inSql.map(({ reason }) => reason)).toStrictEqual(byRule);

        const settings = { filter: {}, sort: {}, daysFromLastday, limit: 1000 };
        const preview = await previewAttackList(
          database.account(tenant.accountId),
          tenant.senderGroupId,
          settings,
          now,
        );
        expect(preview.rows.map((row) => row.prospect_id)).toStrictEqual(
          ids.filter((_, index) => byRule[index] === null),
        );
        const others = mailed.filter(({ isOpen }) => isOpen).length;
        const countOf = (reason: string | null) => byRule.filter((told) => told === reason).length;
        expect(preview).toMatchObject({
          matched: rows.length - countOf('archived') + others,
          eligible: countOf(null),
          left_out: Object.fromEntries(
            LEFT_OUT_REASONS.map((reason) => [reason, countOf(reason) + (reason === 'no_email' ? others : 0)]),
          ),
        });

        // Chosen companies are judged one by one, by the same rule.
        const chosen = await previewAttackList(
          database.account(tenant.accountId),
          tenant.senderGroupId,
          { ...settings, filter: { address: '南極' }, limit: 1, chosen: ids.toReversed() },
          now,
        );
        expect(chosen).toStrictEqual({
          rows: preview.rows.toReversed(),
          matched: rows.length - countOf('archived'),
          eligible: countOf(null),
          left_out: Object.fromEntries(LEFT_OUT_REASONS.map((reason) => [reason, countOf(reason)])),
        });
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
}) satisfies fc.Arbitrary<ProspectFilter>;

/** Keeps one filter of a conjunction, as six random ones together match almost nothing. */
const oneFilter = fc.tuple(filter, fc.nat()).map(([all, pick]) => {
  const entries = Object.entries(all).filter(([, value]) => value !== undefined);
  const kept = entries.slice(pick % Math.max(1, entries.length)).slice(0, 1);
  return Object.fromEntries(kept) as ProspectFilter;
});

const SORTS = ['company_name', 'address', 'amount_of_sales'] as const satisfies readonly SortColumn[];

test('which companies a filter lets through, and their order', async () => {
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
        const prospects = searchTable().where(filterCondition(tenant.accountId, one));
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

function passes(row: typeof prospect extends fc.Arbitrary<infer P> ? P : never, wanted: ProspectFilter): boolean {
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
