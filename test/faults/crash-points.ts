import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { TestDatabase } from '#test/db.ts';
import type { Program } from '#test/program.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, type Tenant } from '#test/prospects.ts';
import type { Fault, Moment, SmtpSink } from '#test/smtp-sink.ts';
import type { Wire, WirePoint } from './wire.ts';
import { startWeb } from './workers.ts';

interface Links {
  readonly wire: Wire;
  readonly sink: SmtpSink;
  readonly database: TestDatabase;
  readonly tenant: Tenant;
}

/** A point where a worker is killed, and the state that its mail must reach. */
export interface CrashPoint {
  readonly name: string;
  /** Starts the process to kill; default: a worker. */
  readonly process?: (url: string, links: Links) => Promise<Program> | Program;
  /** Prepares what the worker needs to reach the point. @returns the number of mails that adds */
  readonly scene?: (database: TestDatabase, tenant: Tenant) => Promise<number>;
  /** Resolves when the next worker has reached the point and cannot continue. */
  readonly reached: (links: Pick<Links, 'wire' | 'sink'>) => Promise<unknown>;
  /** The state after another worker has taken over. */
  readonly becomes: 'sent' | 'unknown';
  /** How often the sink then has the mail. */
  readonly arrives: 0 | 1;
}

// Match the queries of features/delivery; COMMIT is Kysely's.
const CLAIM = /state = 'claimed', worker_id/;
export const MARK = /delivery_marks/;
const FINISH = /delivery_results[\s\S]*"sent"/;
const SWEEP = /WITH swept AS/;
const MERGE = /AS receipt \(/;
const COMMIT = /\bcommit\b/i;

const database =
  (after: RegExp, at: RegExp, when: WirePoint['when']): CrashPoint['reached'] =>
  ({ wire }) =>
    wire.stopAt({ after, at, when });

/** Makes the sink fail once in this way, at this moment. */
const mailServer =
  (at: Moment, fault: Fault): CrashPoint['reached'] =>
  ({ sink }) =>
    new Promise((reached) => {
      sink.fault = (moment) => {
        if (moment !== at) return null;
        sink.fault = () => null;
        reached(undefined);
        return fault;
      };
    });

/** Withholds the 354 from later mails, so that the first mail's outcome is written without other marks. */
const withoutOtherMarks =
  (reached: CrashPoint['reached']): CrashPoint['reached'] =>
  (links) => {
    let asked = 0;
    links.sink.fault = (moment) => {
      if (moment !== 'DATA') return null;
      asked += 1;
      return asked > 1 ? 'silence' : null;
    };
    return reached(links);
  };

/** Makes the sink stop answering within the body of the second mail. Resolves when that body has begun. */
const secondBody: CrashPoint['reached'] = ({ sink }) =>
  new Promise((reached) => {
    sink.fault = (moment, _, taken) => {
      if (moment !== 'body' || taken !== 1) return null;
      reached(undefined);
      return 'silence';
    };
  });

/** Blocks all mails meanwhile, so that the worker can be killed only at this point. */
const besidesMails =
  (point: WirePoint): CrashPoint['reached'] =>
  ({ wire, sink }) => {
    sink.fault = (moment) => (moment === 'greeting' ? 'silence' : null);
    return wire.stopAt(point);
  };

/** Adds a mail whose worker died long ago, after its body had begun. */
async function loseOne({ db }: TestDatabase): Promise<0> {
  await sql`
    UPDATE delivery SET state = 'sending', claim_no = claim_no + 1, worker_id = ${randomUUID()}, lease_until = 'epoch'
    WHERE id = (SELECT max(id) FROM delivery WHERE state IN ('queued', 'claimed'))`.execute(db);
  return 0;
}

/** Adds a company that was never mailed, because one with the address of an open mail would be left out. */
async function addStranger({ db }: TestDatabase, { accountId }: Tenant): Promise<number[]> {
  return addProspects(db, accountId, [{ company_email: `${randomUUID()}@a.example` }]);
}

/** Adds a due reservation for one company. */
async function reserveOne(database: TestDatabase, tenant: Tenant): Promise<1> {
  const ids = await addStranger(database, tenant);
  await addReservation(database.db, tenant, ids, { sendAt: new Date(Date.now() - 1000) });
  return 1;
}

/** Starts a `web` and makes it send to one more company. */
async function sendOneByWeb(url: string, { sink, database, tenant }: Links): Promise<Program> {
  const { senderId, accountId } = tenant;
  const [prospect_id] = await addStranger(database, tenant);
  const { web, client } = await startWeb(url, sink.port, database, accountId);
  const body = { test_send_mode: 0, attack_list: [{ prospect_id }], days_from_lastday: 7 };
  void client.post(`/mail/send/${senderId}`, body).catch(() => 'no answer');
  return web;
}

/** A sweep that has stored lost mails on disk, but whose commit never reaches the database. */
const IN_SWEEP: WirePoint = { after: SWEEP, at: COMMIT, when: 'asked' };
/** A reservation has become a run, but the commit is missing. */
const IN_RESERVATION: WirePoint = { after: /insert into "send_log"/, at: COMMIT, when: 'asked' };

/**
 * The points at which a worker is killed.
 * Before the mark: another worker sends the mail. From the commit of the mark to the server's 250: unknown, whether it
 * arrived or not, and never sent again. After the 250: sent, because the worker has a receipt on disk. The program
 * needs no hook: the worker waits for an answer that the test withholds.
 */
export const CRASH_POINTS: readonly CrashPoint[] = [
  { name: 'its claim not committed', reached: database(CLAIM, COMMIT, 'asked'), becomes: 'sent', arrives: 1 },
  {
    name: 'its claim committed, unheard of',
    reached: database(CLAIM, COMMIT, 'answered'),
    becomes: 'sent',
    arrives: 1,
  },
  { name: 'not greeted yet', reached: mailServer('greeting', 'silence'), becomes: 'sent', arrives: 1 },
  { name: 'no 354 yet', reached: mailServer('DATA', 'silence'), becomes: 'sent', arrives: 1 },
  { name: '354 read, the mark not made', reached: database(MARK, MARK, 'asked'), becomes: 'sent', arrives: 1 },
  { name: 'the mark made, no byte sent', reached: database(MARK, MARK, 'answered'), becomes: 'unknown', arrives: 0 },
  { name: 'within the body', reached: mailServer('body', 'silence'), becomes: 'unknown', arrives: 0 },
  { name: 'after the final dot', reached: mailServer('dot', 'silence'), becomes: 'unknown', arrives: 1 },
  {
    name: '250 read, not written',
    reached: withoutOtherMarks(database(FINISH, FINISH, 'asked')),
    becomes: 'sent',
    arrives: 1,
  },
  // The previous mail's receipt proves its outcome, so only one mail of the connection is unknown, not two.
  {
    name: 'within the body, the outcome of the mail before not written',
    reached: (links) => Promise.all([database(FINISH, FINISH, 'asked')(links), secondBody(links)]),
    becomes: 'unknown',
    arrives: 0,
  },
  {
    name: 'the outcome written, unheard of',
    reached: withoutOtherMarks(database(FINISH, FINISH, 'answered')),
    becomes: 'sent',
    arrives: 1,
  },
  {
    name: 'sweeping up a mail that had begun',
    scene: loseOne,
    reached: besidesMails(IN_SWEEP),
    becomes: 'unknown',
    arrives: 0,
  },
  {
    name: 'a reservation all but started',
    scene: reserveOne,
    reached: besidesMails(IN_RESERVATION),
    becomes: 'sent',
    arrives: 1,
  },
];

export const CLAIM_UNCOMMITTED: WirePoint = { after: CLAIM, at: COMMIT, when: 'asked' };
/** The request to send is committed, but its client gets no answer. */
export const ACCEPTED: WirePoint = { after: /insert into "send_log"/, at: COMMIT, when: 'answered' };

/** The point in `web` that is paired with each point of a worker. */
export const IN_WEB: CrashPoint = {
  name: 'a request to send committed, its client unanswered',
  scene: async () => 1,
  process: sendOneByWeb,
  reached: ({ wire }) => wire.stopAt(ACCEPTED),
  becomes: 'sent',
  arrives: 1,
};

const pointNamed = (name: string): CrashPoint => {
  const point = CRASH_POINTS.find((one) => one.name === name);
  if (!point) throw new Error(`no point ${name}`);
  return point;
};

/** Makes a point during the recovery of what the previous worker left: it adds no mail, and must lose none. */
const recovery = (name: string, point: WirePoint): CrashPoint => ({
  name,
  reached: besidesMails(point),
  becomes: 'sent',
  arrives: 1,
});
const SWEEPS = [
  recovery('sweeping that up', IN_SWEEP),
  recovery('having swept that up, unheard of', { ...IN_SWEEP, when: 'answered' }),
];
const MERGES = [
  recovery('merging its receipt', { after: MERGE, at: FINISH, when: 'asked' }),
  recovery('having merged its receipt, unheard of', { after: MERGE, at: FINISH, when: 'answered' }),
];
const LEFT = [
  'its claim committed, unheard of',
  'the mark made, no byte sent',
  'within the body',
  'after the final dot',
];
const KNOWN = '250 read, not written';

/** Pairs of a killed worker and a second worker that is killed during the recovery. */
export const NESTED: readonly (readonly [CrashPoint, CrashPoint])[] = [
  ...[...LEFT, KNOWN].flatMap((name) => SWEEPS.map((sweep) => [pointNamed(name), sweep] as const)),
  ...MERGES.map((merge) => [pointNamed(KNOWN), merge] as const),
];

/** The points with SendGrid: all mails of a request get the same state. */
export const SENDGRID_POINTS: readonly CrashPoint[] = [
  'its claim not committed',
  'its claim committed, unheard of',
  '354 read, the mark not made',
  'the mark made, no byte sent',
  '250 read, not written',
]
  .map(pointNamed)
  .concat({
    name: 'the outcome written, unheard of',
    reached: database(FINISH, FINISH, 'answered'),
    becomes: 'sent',
    arrives: 1,
  });
