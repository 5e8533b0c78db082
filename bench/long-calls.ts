import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type pg from 'pg';
import { MAX_SUPPRESSION_ROWS } from '#contract/answers/suppressions.ts';
import { addDays } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { listLeftOut, previewAttackList } from '#server/features/attack-list/attack-list.queries.ts';
import { changeMany } from '#server/features/companies/bulk.command.ts';
import { erase } from '#server/features/personal-data/erase.command.ts';
import { view } from '#server/features/personal-data/view.command.ts';
import { listActiveProspects, listOwnProspects } from '#server/features/prospects/prospect-list.queries.ts';
import { viewProspects } from '#server/features/prospects/prospects.queries.ts';
import { readReport } from '#server/features/reports/read-report.ts';
import { listReservations } from '#server/features/reservations/reservation-list.queries.ts';
import { readRetention } from '#server/features/retention/retention.command.ts';
import { updateAccountRule } from '#server/features/rule-settings/account-rule.command.ts';
import { addClosingDay } from '#server/features/rule-settings/closing-days.command.ts';
import { listSendLogs, viewSendLogs } from '#server/features/send-logs/run-list.queries.ts';
import { storeSuppressions } from '#server/features/suppression-list/add.command.ts';
import { accountDbOf, type MemberDb } from '#server/platform/database/account-db.ts';
import { type Db, openDatabase } from '#server/platform/database/db.ts';
import { openAs } from '#test/open-as.ts';
import { ms, print } from './figures.ts';
import type { ProspectListData } from './prospect-list-data.ts';
import { onListDatabases } from './prospect-list-database.ts';

/**
 * Measures the longest statement of calls on an account with millions of rows.
 * `npm run bench -- long-calls [--sizes 1000000] [--keep postgres://…]`. Calls above the general limit have their own
 * (Call.statementSeconds, docs/decisions/database-connections.md). Each company has three mails and an address change;
 * a third of the mails wait for the hours of 200 groups. Changes are rolled back.
 */
const { values } = parseArgs({
  options: { sizes: { type: 'string', default: '1000000' }, keep: { type: 'string' } },
});
const GROUPS = 200;
const page = { limit: 200, offset: 0 };

const closingDay = {
  body: {
    add_info: {
      sender_group_id: null,
      first_day: '2026-12-29',
      last_day: '2027-01-03',
      name: '年末年始',
      working: 0,
      yearly: 0,
    } as never,
  },
  key: undefined,
};

await onListDatabases(values.sizes.split(','), values.keep, async (url, size, data) => {
  const owner = openDatabase(url, { connections: 1 });
  const api = openAs('api', url, 1);
  try {
    await fill(owner.db, data);
    const longest = watchStatements(api.pool);
    const { id: memberId } = await owner.db
      .selectFrom('member')
      .select('id')
      .where('account_id', '=', data.accountId)
      .executeTakeFirstOrThrow();
    const account = undoing(accountDbOf(api.db)(data.accountId, memberId));
    print(`| ${size} companies | all, s | its longest statement, s | which |`, '| --- | --- | --- | --- |');
    for (const [name, act] of calls(account, data)) {
      longest();
      const begun = performance.now();
      await act();
      const [took, text] = longest();
      const seconds = [performance.now() - begun, took].map((one) => ms(one / 1000)).join(' | ');
      print(`| ${name} | ${seconds} | ${text.replaceAll(/\s+/g, ' ').replaceAll('|', '/').slice(0, 90)} |`);
    }
  } finally {
    await api.close();
    await owner.close();
  }
});

/** Adds the history, the deferred mails and their groups, unless an earlier run has added them. */
async function fill(db: Db, { accountId, weekGroup }: ProspectListData): Promise<void> {
  const { rows } = await sql`SELECT FROM sender_group WHERE account_id = ${accountId} LIMIT 3`.execute(db);
  if (rows.length > 2) return;
  await db.transaction().execute(async (tx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(tx);
    await sql`
      INSERT INTO sender_group (account_id, group_name)
      SELECT ${accountId}, 'グループ' || n FROM generate_series(3, ${GROUPS}::integer) AS n`.execute(tx);
    await sql`
      INSERT INTO prospect_change (account_id, prospect_id, kind, changes)
      SELECT account_id, id, 'edited', jsonb_build_object('company_email', jsonb_build_array('old@example.jp', company_email))
      FROM prospect WHERE account_id = ${accountId}`.execute(tx);
    await sql`
      UPDATE delivery d SET state = 'queued', put_off = 'limit', not_before = now() + interval '1 day',
        finished_at = NULL, shares_address = true,
        sender_group_id = (SELECT min(id) FROM sender_group WHERE account_id = ${accountId}) + d.id % ${GROUPS}
      WHERE account_id = ${accountId} AND id IN (
        SELECT min(id) FROM delivery WHERE account_id = ${accountId} AND sender_group_id = ${weekGroup} GROUP BY prospect_id)`.execute(
      tx,
    );
  });
  await sql`VACUUM ANALYZE`.execute(db);
}

/** Times the statements of a pool. @returns a function that returns the longest time since its last call */
function watchStatements(pool: pg.Pool): () => readonly [ms: number, text: string] {
  let longest: readonly [number, string] = [0, ''];
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (...all: unknown[]) => Promise<unknown>;
    client.query = (async (...all: unknown[]) => {
      const begun = performance.now();
      try {
        return await send(...all);
      } finally {
        const took = performance.now() - begun;
        const text = typeof all[0] === 'string' ? all[0] : (all[0] as { text: string }).text;
        if (took > longest[0]) longest = [took, text];
      }
    }) as never;
  });
  return () => {
    const found = longest;
    longest = [0, ''];
    return found;
  };
}

/** Returns the account with transactions that are always rolled back. */
function undoing(account: MemberDb): MemberDb {
  const undo = new Error('rolled back');
  return {
    ...account,
    transaction: async (work) => {
      let done: { readonly result: Awaited<ReturnType<typeof work>> } | undefined;
      await account
        .transaction(async (tx) => {
          done = { result: await work(tx) };
          throw undo;
        })
        .catch((error: unknown) => {
          if (error !== undo) throw error;
        });
      if (done === undefined) throw new Error('unreachable');
      return done.result;
    },
  };
}

type Act = () => Promise<unknown>;

function calls(account: MemberDb, { yearGroup, weekGroup }: ProspectListData): readonly (readonly [string, Act])[] {
  const now = Date.now();
  const to = dayOf(now);
  const words = Array.from({ length: 100 }, (_, n) => `どこにもない町${n}`).join(',');
  const list = (filter: object) => () =>
    viewProspects(account, weekGroup, {
      ...page,
      filter,
      sort: {},
      status: undefined,
      reservations: { senderId: undefined, reservationId: undefined },
    } as never);
  const bulk = (act: string) => () =>
    changeMany(account, { sender_group_id: yearGroup, act, remarks: '備考', condition: {} } as never, {
      companiesMax: 2_000_000,
    });
  const settings = { filter: {}, sort: {}, daysFromLastday: 30, followUpOf: undefined, limit: 1000 };
  const values = Array.from({ length: MAX_SUPPRESSION_ROWS }, (_, n) => ({
    kind: 'address' as const,
    value: `info@mitsuba-shoji${n}.example`,
  }));
  const blocked = { values, type: 'blocked', note: '', source: 'csv' } as const;
  return [
    ['list with 100 words in 住所', list({ address: words })],
    ['preview', () => previewAttackList(account, weekGroup, settings, now)],
    [
      'left out of the preview',
      () => listLeftOut(account, weekGroup, { ...settings, ...page, offset: 0 } as never, now),
    ],
    ['/prospect/list, the last page', () => listOwnProspects(account, { ...page, offset: 999_000 })],
    [
      '/active_prospect/list, filtered',
      () => listActiveProspects(account, { ...page, where_info: { active: 0 } } as never),
    ],
    ['/send_log/list', () => listSendLogs(account, page)],
    [
      '/send_log/view, by a word',
      () => viewSendLogs(account, { pagenate_count: 50, pagenate_num: 1, search: 'x' } as never, now),
    ],
    ['/reservation/list', () => listReservations(account, page)],
    ['report of a year', () => readReport(account, { from: addDays(to, -365), to }, now)],
    ['mails that a retention would blank', () => readRetention(account)],
    ['what is stored about a person', () => view(account, 'old@example.jp')],
    ['erasure of a person', () => erase(account, { email: 'old@example.jp', record_refusal: 0 })],
    [
      `import of ${MAX_SUPPRESSION_ROWS} suppressions`,
      () => account.transaction((tx) => storeSuppressions(tx, account, blocked)),
    ],
    ['bulk: deactivate all', bulk('deactivate')],
    ['bulk: remarks of all', bulk('append_remarks')],
    ['bulk: suppress all', bulk('suppress')],
    ['bulk: archive all', bulk('archive')],
    ['closing day of all groups', () => addClosingDay(account, closingDay, now)],
    [
      'rule of the account',
      () => updateAccountRule(account, { per_day: 1_000_000 }, { ip: '127.0.0.1', isOfUnknownProxy: false }),
    ],
  ];
}
