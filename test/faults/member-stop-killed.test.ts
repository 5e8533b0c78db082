import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { openSession } from '#server/features/auth/session.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addNotice } from '#test/notices.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects } from '#test/prospects.ts';
import { form } from './form.ts';
import { addTeam, changeOf, memberAt, outcome, startWebs, type Team } from './team.ts';
import type { WirePoint } from './wire.ts';
import { kill, startWeb, wireTo } from './workers.ts';

/** The statements of a stop, in their order; each is one of a single transaction. */
const STATEMENTS = {
  'the hand-over': /UPDATE reservation\s+SET member_id/,
  'the end of the sessions': /delete from "session"/,
  'the end of the pending address': /delete from "email_change"/,
  'the end of the mails of notices': /update "notice" set/,
  'the audit': /member_stopped/,
  'the end of the member': /update "member" set "active"/,
  'the end of the invitations': /UPDATE invitation SET cancelled_at/,
};
const END = STATEMENTS['the end of the invitations'];
const COMMIT = /\bcommit\b/i;

const POINTS: readonly (readonly [name: string, point: WirePoint, isStopped: boolean])[] = [
  ...Object.entries(STATEMENTS).flatMap(([name, at]) => [
    [`before ${name}`, { after: at, at, when: 'asked' }, false] as const,
    [`after ${name}`, { after: at, at, when: 'answered' }, false] as const,
  ]),
  ['before the commit', { after: END, at: COMMIT, when: 'asked' }, false],
  ['after the commit', { after: END, at: COMMIT, when: 'answered' }, true],
];

/** Adds an admin with all that a stop ends or hands over. */
async function addLeaver(database: TestDatabase): Promise<Team> {
  const { db, login } = database;
  const team = await addTeam(database, 'admin');
  const { accountId: account_id, leaverId: member_id, memberId: invited_by } = team;
  const companies = Array.from({ length: 2 }, (_, at) => ({ company_email: `info${at}@team${account_id}.example` }));
  for (const id of await addProspects(db, account_id, companies)) {
    const sendAt = new Date(Date.now() + id * 86_400_000);
    const reservation = await addReservation(db, team, [id], { sendAt });
    await db.updateTable('reservation').set({ member_id }).where('id', '=', reservation).execute();
    await addNotice(db, { accountId: account_id, memberId: member_id }, id);
  }
  await db.updateTable('notice').set({ mail_due_at: new Date() }).where('member_id', '=', member_id).execute();
  await openSession(login, { accountId: account_id, memberId: member_id }, Date.now());
  const secret_hash = Buffer.from(`${account_id}`);
  const expires_at = new Date(Date.now() + 86_400_000);
  await db.insertInto('password_reset').values({ account_id, member_id, secret_hash, expires_at }).execute();
  await db.insertInto('email_change').values({ account_id, member_id, email: 'new@a.example' }).execute();
  for (const by of [member_id, invited_by]) {
    const invitation = { account_id, email: `by${by}@a.example`, role: 'sales', invited_by: by, expires_at };
    await db.insertInto('invitation').values(invitation).execute();
  }
  return team;
}

/** Counts what the leaver has. */
async function belongings({ db }: TestDatabase, { accountId, leaverId, memberId }: Team) {
  const { rows } = await sql<Record<string, number>>`
    SELECT (SELECT active::integer FROM member WHERE id = ${leaverId}) AS active,
      (SELECT count(*)::integer FROM session WHERE member_id = ${leaverId}) AS sessions,
      (SELECT count(*)::integer FROM password_reset WHERE member_id = ${leaverId}) AS resets,
      (SELECT count(*)::integer FROM email_change WHERE member_id = ${leaverId}) AS addresses,
      (SELECT count(*)::integer FROM notice WHERE member_id = ${leaverId} AND mail_due_at IS NOT NULL) AS mails,
      (SELECT count(*)::integer FROM reservation WHERE member_id = ${leaverId}) AS reservations,
      (SELECT count(*)::integer FROM reservation WHERE member_id = ${memberId} AND version = 2) AS handed,
      (SELECT count(*)::integer FROM invitation WHERE account_id = ${accountId} AND cancelled_at IS NULL) AS invitations,
      (SELECT count(*)::integer FROM audit_event WHERE account_id = ${accountId} AND kind = 'member_stopped') AS audit
  `.execute(db);
  return rows[0];
}

const BEFORE = {
  active: 1,
  sessions: 1,
  resets: 1,
  addresses: 1,
  mails: 2,
  reservations: 2,
  handed: 0,
  invitations: 2,
  audit: 0,
};
const AFTER = {
  active: 0,
  sessions: 0,
  resets: 0,
  addresses: 0,
  mails: 0,
  reservations: 0,
  handed: 2,
  invitations: 1,
  audit: 1,
};

/** The number of processes killed at a time. */
const AT_ONCE = 4;

test(
  `${form.stops} × kill -9 of web in a stop: all of it or nothing; a second stop finishes (seed ${form.seed})`,
  async () => {
    const database = await emptyDatabase();
    const [other] = await startWebs(database);
    const points = form.sample(POINTS, POINTS.length);
    for (let from = 0; from < form.stops; from += AT_ONCE) {
      const some = Array.from(
        { length: Math.min(AT_ONCE, form.stops - from) },
        (_, n) => points[(from + n) % points.length] ?? expect.unreachable(),
      );
      await Promise.all(
        some.map(async ([name, point, isStopped]) => {
          const team = await addLeaver(database);
          expect([name, await belongings(database, team)]).toStrictEqual([name, BEFORE]);
          const { wire, url: databaseUrl } = await wireTo(database);
          const { web, url } = await startWeb(databaseUrl, 1, database, team.accountId);
          const admin = await memberAt(database, url + API_BASE, team, team.memberId);
          const again = await memberAt(database, other, team, team.memberId);
          const [stop, second] = await Promise.all(
            [admin, again].map((client) =>
              changeOf(client, team.leaverId, { active: 0 }, { hand_over_to: team.memberId }),
            ),
          );
          const reached = wire.stopAt(point);
          const unanswered = stop?.().catch(() => 'no answer');
          await reached;
          await kill(web);
          await wire.close();
          expect(await unanswered).toBe('no answer');
          expect([name, await belongings(database, team)]).toStrictEqual([name, isStopped ? AFTER : BEFORE]);
          expect([name, outcome((await second?.()) ?? expect.unreachable())]).toStrictEqual([name, 'done']);
          expect([name, await belongings(database, team)]).toStrictEqual([name, AFTER]);
        }),
      );
    }
  },
  120_000 + form.stops * 5000,
);
