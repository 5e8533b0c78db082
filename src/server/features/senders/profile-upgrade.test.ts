import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeInstallation } from '#test/installation.ts';
import { type Database, openDatabase } from '../../platform/database/db.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { ensureRoles } from '../../platform/database/roles/ensure-roles.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../../migrations');

interface Sender {
  readonly id: number;
  readonly active: boolean;
  /** All that made it: two with equal keys are doubles. */
  readonly key: string;
  /** The key without template and subject. */
  readonly person: string;
}

interface Reservation {
  readonly id: number;
  readonly sender_id: number;
  readonly time: string;
  readonly pending: boolean;
  readonly days: number;
  readonly list: string | null;
  readonly targets: readonly { prospect: number; pending: boolean; row: number }[];
}

interface Pace {
  readonly person: string;
  readonly operator: number | null;
  readonly connections: number;
  readonly chosen: number | null;
  /** The second of its next mail; null: it is not limited by the mail server. */
  readonly probe: number | null;
}

interface State {
  readonly senders: readonly Sender[];
  readonly reservations: readonly Reservation[];
  readonly paces: readonly Pace[];
}

let before: State;
let after: State;
let apiMayMove: boolean;
/** Mails whose profile is that of their sender. */
let ownMails: number;

const PERSON = `concat_ws('|', p.account_id, p.sender_group_id, lower(p.email COLLATE "C"), p.person_in_charge,
  coalesce(p.bcc, '-'), coalesce(p.reply_to, '-'), p.signature)`;

/** @param person the table of persons, and the columns of `sender` and `sender_throttle` that name one */
async function readState({ pool }: Database, [person, ofSender, ofThrottle]: readonly string[]): Promise<State> {
  const read = async <Row extends object>(sql: string) => (await pool.query<Row>(sql)).rows;
  return {
    senders: await read(`
      SELECT s.id, s.active, ${PERSON} AS person,
        concat_ws('|', ${PERSON}, s.template_id, coalesce(s.subject, '')) AS key
      FROM sender AS s JOIN ${person} AS p ON p.account_id = s.account_id AND p.id = s.${ofSender} ORDER BY s.id`),
    reservations: await read(`
      SELECT id, sender_id, concat(send_at, test_send_mode) AS time, active AND NOT is_sent AS pending,
        days_from_lastday AS days, list_conditions::text AS list,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('prospect', prospect_id, 'pending', pending, 'row', row_index)
          ORDER BY row_index), '[]') FROM reservation_target AS t
         WHERE t.account_id = r.account_id AND t.reservation_id = r.id) AS targets
      FROM reservation AS r ORDER BY id`),
    paces: await read(`
      SELECT ${PERSON} AS person, mails_per_minute AS operator, max_connections AS connections,
        chosen_per_minute AS chosen, extract(epoch FROM probe_at)::integer AS probe
      FROM sender_throttle AS t JOIN ${person} AS p ON p.account_id = t.account_id AND p.id = t.${ofThrottle}
      ORDER BY p.id`),
  };
}

/** Two accounts in which columns of few values meet in many ways. */
const FILL = `
SELECT setseed(0.2);
INSERT INTO account (company) VALUES ('甲'), ('乙');
INSERT INTO sender_group (account_id, group_name) SELECT id, name FROM account, (VALUES ('A'), ('B')) AS g (name);
INSERT INTO mail_template (account_id, name, text_body, html_body, subject)
  SELECT id, 't', '', '', '件名' FROM account, generate_series(1, 3) ORDER BY id;
INSERT INTO prospect (account_id, identity_key, company_name) SELECT id, n, n FROM account, generate_series(1, 200) AS n ORDER BY id, n;
INSERT INTO sender (account_id, sender_group_id, template_id, subject, person_in_charge, email, bcc, reply_to,
    signature, active)
  SELECT g.account_id, g.id,
    (SELECT min(id) FROM mail_template AS t WHERE t.account_id = g.account_id) + floor(random() * 2.5 + n * 0)::int,
    CASE WHEN random() < 0.7 THEN NULL WHEN random() < 0.5 THEN '件名' ELSE '別の件名' END,
    CASE WHEN random() < 0.7 THEN '森 花子' ELSE '佐藤 学' END,
    CASE WHEN random() < 0.4 THEN 'Hana@x.jp' WHEN random() < 0.6 THEN 'hana@X.jp' ELSE 'manabu@x.jp' END,
    CASE WHEN random() < 0.2 THEN 'copy@x.jp' END,
    CASE WHEN random() < 0.2 THEN 'reply@x.jp' END,
    CASE WHEN random() < 0.2 THEN '営業部' ELSE '' END,
    random() < 0.8
  FROM sender_group AS g, generate_series(1, 60) AS n ORDER BY n, g.id;
INSERT INTO sender_throttle (account_id, sender_id, mails_per_minute, max_connections, chosen_per_minute)
  SELECT account_id, id, CASE WHEN random() < 0.5 THEN 100 + floor(random() * 9)::int END,
    1 + floor(random() * 9)::int, CASE WHEN random() < 0.3 THEN 10 + floor(random() * 9)::int END
  FROM sender WHERE random() < 0.7;
UPDATE sender_throttle SET limited_since = to_timestamp(1), limited_until = to_timestamp(3),
  probe_at = to_timestamp(sender_id) WHERE sender_id % 5 = 0;
INSERT INTO sender_connection (account_id, sender_id, worker_id, connections, lease_until)
  SELECT account_id, sender_id, gen_random_uuid(), 1, now() FROM sender_throttle;
INSERT INTO reservation (account_id, sender_id, sender_group_id, send_at, test_send_mode, active, is_sent,
    days_from_lastday, list_conditions, candidate_dates)
  SELECT account_id, id, sender_group_id, '2027-01-04 09:00+09'::timestamptz + interval '1 hour' * hour, test,
    random() < 0.9, random() < 0.1, 1 + floor(random() * 30)::int,
    CASE WHEN random() < 0.5 THEN '{"sort": "id"}'::jsonb END, '[]'
  FROM sender, generate_series(0, 1) AS hour, (VALUES (true), (false)) AS t (test)
  WHERE sender.active AND random() < 0.6;
INSERT INTO reservation_target (account_id, reservation_id, prospect_id, sender_group_id, test_send_mode, mail_to,
    row_index, pending)
  SELECT r.account_id, r.id, p.id, r.sender_group_id, r.test_send_mode, CASE WHEN r.test_send_mode THEN 't@x.jp' END, n,
    r.active AND NOT r.is_sent
  FROM reservation AS r
  JOIN prospect AS p ON p.account_id = r.account_id
  JOIN generate_series(0, 2) AS n ON p.company_name = (1 + n + r.id % 2)::text
  WHERE r.test_send_mode OR NOT r.active OR r.is_sent;
INSERT INTO reservation_target (account_id, reservation_id, prospect_id, sender_group_id, test_send_mode, row_index)
  SELECT account_id, id, first + place, sender_group_id, false, 0 FROM (
    SELECT r.*, (SELECT min(id) FROM prospect AS p WHERE p.account_id = r.account_id) AS first,
      row_number() OVER (PARTITION BY sender_group_id ORDER BY id) - 1 AS place
    FROM reservation AS r WHERE active AND NOT is_sent AND NOT test_send_mode) AS real;
INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, targets)
  SELECT account_id, sender_group_id, id, true, 7, '{}', 1 FROM sender;
INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, prospect_id, test_send_mode, row_index,
    mail_to, company_name, person_in_charge, message_id, mail_date)
  SELECT account_id, id, sender_group_id, sender_id, (SELECT min(id) FROM prospect AS p WHERE p.account_id = l.account_id),
    true, 0, 't@x.jp', '', '', '', now() FROM send_log AS l`;

beforeAll(async () => {
  const { url, adminUrl, access, prefix, drop } = await makeInstallation();
  const [owner, admin] = [url, adminUrl].map((one) => openDatabase(one, { connections: 1 })) as [Database, Database];
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-migrations-'));
  const apply = async (name: string) => {
    await cp(join(MIGRATIONS, name), join(folder, name));
    await migrate(owner.pool, { folder, rolePrefix: prefix });
  };
  await ensureRoles(owner.pool, access);
  await apply('0001_baseline.sql');
  // As a superuser: forced row level security hides all rows from the owner, who migrates.
  await admin.pool.query(FILL);
  before = await readState(admin, ['sender', 'id', 'sender_id']);
  await apply('0002_sender_profiles.sql');
  after = await readState(admin, ['sender_profile', 'profile_id', 'profile_id']);
  const matching = 'SELECT count(*)::integer AS own FROM delivery AS d JOIN sender AS s USING (account_id, profile_id)';
  ownMails = (await admin.pool.query(`${matching} WHERE s.id = d.sender_id`)).rows[0]?.own ?? 0;
  const asked = `SELECT has_column_privilege($1, 'sender', 'profile_id', 'UPDATE') AS may`;
  apiMayMove = (await admin.pool.query<{ may: boolean }>(asked, [`${prefix}_api`])).rows[0]?.may ?? true;
  return async () => {
    for (const opened of [owner, admin]) await opened.close();
    await rm(folder, { recursive: true });
    await drop();
  };
});

const pendingOf = ({ reservations }: State) => reservations.filter(({ pending }) => pending);
const byId = <Row extends { id: number }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));

const ascending = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);

/** Returns the sender that an earlier one is now: of doubles in use the first. */
function keptOf(id: number): number {
  const { active, key } = byId(before.senders).get(id) ?? { active: false, key: '' };
  const first = before.senders.find((other) => other.active && other.key === key);
  return active ? (first?.id ?? id) : id;
}

test('senders keep their person, and of doubles in use the first stays in use', () => {
  const wanted = before.senders.map((sender) => ({
    ...sender,
    active: sender.active && keptOf(sender.id) === sender.id,
  }));
  expect(after.senders).toStrictEqual(wanted);
  expect(wanted.filter(({ active }) => active).length).toBeLessThan(
    before.senders.filter(({ active }) => active).length,
  );
});

test('pending reservations of doubles move to the sender that stays, and become one where they have one time', () => {
  const groups = Map.groupBy(pendingOf(before), ({ sender_id, time }) => `${keptOf(sender_id)} ${time}`);
  const wanted = [...groups].map(([key, merged]) => {
    const lists = new Set(merged.map(({ list }) => list));
    return {
      key,
      days: Math.max(...merged.map(({ days }) => days)),
      list: lists.size === 1 ? merged[0]?.list : null,
      prospects: ascending(new Set(merged.flatMap(({ targets }) => targets.map(({ prospect }) => prospect)))),
    };
  });
  const found = pendingOf(after).map(({ sender_id, time, days, list, targets }) => ({
    key: `${sender_id} ${time}`,
    days,
    list,
    prospects: ascending(targets.map(({ prospect }) => prospect)),
  }));
  const inOrder = (rows: typeof found | typeof wanted) => rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  expect(inOrder(found)).toStrictEqual(inOrder(wanted));
  expect(found.length).toBeLessThan(pendingOf(before).length);
});

test('the reservation of the sender that stays takes the others, whose targets follow its own', () => {
  for (const { id, sender_id, targets } of pendingOf(after)) {
    const earlier = byId(before.reservations).get(id);
    const isOwn = earlier?.sender_id === sender_id;
    const same = pendingOf(before).filter(
      (other) => other.time === earlier?.time && keptOf(other.sender_id) === sender_id,
    );
    expect(isOwn || same.every((other) => other.sender_id !== sender_id && other.id >= id)).toBe(true);
    expect(targets.every(({ pending }) => pending)).toBe(true);
    const own = earlier?.targets.map(({ prospect }) => prospect) ?? [];
    expect(targets.slice(0, own.length).map(({ prospect }) => prospect)).toStrictEqual(own);
    if (same.length > 1) expect(targets.map(({ row }) => row)).toStrictEqual(targets.map((_, place) => place));
  }
});

test('a reservation that became part of another holds nothing, and what was over stays', () => {
  for (const { id, pending, targets } of after.reservations) {
    const earlier = byId(before.reservations).get(id);
    if (!pending) expect(targets.filter((target) => target.pending)).toStrictEqual([]);
    if (earlier && !earlier.pending)
      expect({ pending, targets }).toMatchObject({ pending: false, targets: earlier.targets });
  }
});

test('a person has the lowest limits of its senders, and waits if one of them waited', () => {
  const given = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
  const lowest = (values: readonly (number | null)[]) =>
    given(values).length === 0 ? null : Math.min(...given(values));
  const wanted = [...Map.groupBy(before.paces, ({ person }) => person)].map(([person, merged]) => {
    const probes = given(merged.map(({ probe }) => probe));
    return {
      person,
      operator: lowest(merged.map(({ operator }) => operator)),
      connections: Math.min(...merged.map(({ connections }) => connections)),
      chosen: lowest(merged.map(({ chosen }) => chosen)),
      probe: probes.length === 0 ? null : Math.max(...probes),
    };
  });
  const inOrder = (paces: readonly Pace[]) => paces.toSorted((a, b) => (a.person < b.person ? -1 : 1));
  expect(inOrder(after.paces)).toStrictEqual(inOrder(wanted));
  expect(wanted.length).toBeLessThan(before.paces.length);
});

test('each mail has the profile of its sender', () => {
  expect(ownMails).toBe(before.senders.length);
});

test('no request gives a sender another profile', () => {
  expect(apiMayMove).toBe(false);
});
