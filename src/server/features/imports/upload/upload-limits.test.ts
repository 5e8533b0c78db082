import { connect } from 'node:net';
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { addMember, openSessionOf } from '#test/accounts.ts';
import { serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importerOf } from '#test/imports.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { eventually, untilBlocked } from '#test/sending.ts';
import { deleteDeadFiles } from '../../stored-files/stored-file.queries.ts';

let database: TestDatabase;
let tenant: Tenant;
let by: Importer;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  by = await importerOf(database, tenant);
});

const MB = 1024 * 1024;

interface Begun {
  readonly status: number;
  readonly body: { readonly id: number; readonly code: string; readonly message: string; readonly discarded: string[] };
}
const begin = async (name: string, bytes = 10, headers = {}, client = by.client) =>
  (await client.post('/import', { add_info: { name, bytes } }, headers)) as Begun;
/** Makes the last part of an upload, or its beginning, lie so many minutes back. */
const age = (id: number, minutes: number) =>
  sql`UPDATE stored_file SET written_at = now() - make_interval(mins => ${minutes})
    WHERE id = (SELECT file_id FROM import_run WHERE id = ${id})`.execute(database.db);
const stateOf = async (id: number) => (await by.client.get(`/import/${id}`)).status;

describe('a member has two open uploads, and an account six', () => {
  test('also where twenty begin at once; the others name what keeps the places', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => begin(`${n}.csv`)));
    const [ok, refused] = [200, 409].map((status) => all.filter((one) => one.status === status));
    expect([ok?.length, refused?.length]).toStrictEqual([2, 18]);
    for (const { body } of refused ?? []) {
      expect(body).toMatchObject({
        code: 'too_many_uploads',
        message: expect.stringMatching(/「\d+\.csv」、「\d+\.csv」が途中/),
      });
    }
    await by.client.post(`/import/${ok?.[0]?.body.id}/discard`, {});
    expect(await begin('次.csv')).toMatchObject({ status: 200, body: { discarded: [] } });
  });

  test('of which a complete one is none', async () => {
    for (const name of ['甲.csv', '乙.csv', '丙.csv']) await by.upload('会社名\n甲\n', name);
    expect(await begin('丁.csv')).toMatchObject({ status: 200 });
  });

  test("and a third takes the place of the member's oldest that got no part for 15 minutes", async () => {
    const [first, second] = [await begin('甲.csv'), await begin('乙.csv')];
    await by.part(first.body.id, 0, Buffer.from('12345'));
    await age(first.body.id, 16);
    await age(second.body.id, 17);
    // A part that comes keeps it.
    await by.part(second.body.id, 0, Buffer.from('12345'));
    const key = { 'idempotency-key': 'the-third' };
    const third = await begin('丙.csv', 10, key);
    expect(third).toMatchObject({ status: 200, body: { discarded: ['甲.csv'] } });
    expect([await stateOf(first.body.id), await stateOf(second.body.id)]).toStrictEqual([404, 200]);
    expect(await by.part(first.body.id, 5, Buffer.from('12345'))).toMatchObject({ status: 404 });
    expect(await begin('丙.csv', 10, key)).toStrictEqual(third);
    await age(second.body.id, 14);
    expect(await begin('丁.csv')).toMatchObject({ status: 409 });
  });

  test("not of another member's, unless they were stopped", async () => {
    const others = [];
    for (let n = 0; n < 3; n += 1) {
      others.push(await addMember(database.db, tenant.accountId));
      for (const name of ['甲.csv', '乙.csv']) {
        const { body } = await begin(name);
        await age(body.id, 60 - n);
        await sql`UPDATE import_run SET member_id = ${others[n]} WHERE id = ${body.id}`.execute(database.db);
      }
    }
    expect(await begin('丙.csv')).toMatchObject({ status: 409, body: { code: 'too_many_uploads' } });
    await sql`UPDATE member SET active = false WHERE id = ${others[2]}`.execute(database.db);
    expect(await begin('丙.csv')).toMatchObject({ status: 200, body: { discarded: ['甲.csv'] } });
  });

  test('and nothing is discarded for an upload that is refused', async () => {
    const [first, second] = [await begin('甲.csv'), await begin('乙.csv')];
    for (const { body } of [first, second]) await age(body.id, 60);
    await sql`UPDATE stored_file SET declared_bytes = ${600 * MB}`.execute(database.db);
    expect(await begin('丙.csv', 500 * MB)).toMatchObject({ status: 409, body: { code: 'account_storage_full' } });
    expect([await stateOf(first.body.id), await stateOf(second.body.id)]).toStrictEqual([200, 200]);
  });
});

describe('a second part of an account at the same time', () => {
  /** Holds the row of an upload, so that its next part waits in the database. */
  async function hold(id: number): Promise<() => Promise<void>> {
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM import_run WHERE id = $1 FOR UPDATE', [id]);
    let isHeld = true;
    const release = async () => {
      if (isHeld) await client.query('ROLLBACK').finally(() => client.release());
      isHeld = false;
    };
    onTestFinished(release);
    return release;
  }
  const running = { status: 409, body: { code: 'part_running' } };

  test('is refused before it takes a connection, which the pool does not have', async () => {
    const { id } = (await begin('甲.csv')).body;
    const release = await hold(id);
    const first = by.part(id, 0, Buffer.from('12345'));
    await untilBlocked(database);
    const gate = Promise.withResolvers<void>();
    onTestFinished(() => gate.resolve());
    const taken = Array.from({ length: 3 }, () => database.api.connection().execute(() => gate.promise));
    const others = await Promise.all(Array.from({ length: 12 }, () => by.part(id, 0, Buffer.from('12345'))));
    expect(others).toMatchObject(others.map(() => running));
    gate.resolve();
    await Promise.all(taken);
    await release();
    expect(await first).toMatchObject({ status: 200 });
    expect(await by.part(id, 5, Buffer.from('67890'))).toMatchObject({ status: 200 });
  });

  test('is refused by another process too, which does not wait', async () => {
    const { id } = (await begin('甲.csv')).body;
    const { id: second } = (await begin('乙.csv')).body;
    const elsewhere = await importerOf(database, tenant, { worker: false });
    const release = await hold(id);
    const first = by.part(id, 0, Buffer.from('12345'));
    await untilBlocked(database);
    expect(await elsewhere.part(second, 0, Buffer.from('12345'))).toMatchObject(running);
    await release();
    await first;
    expect(await elsewhere.part(second, 0, Buffer.from('12345'))).toMatchObject({ status: 200 });
  });

  test('is refused while the first is on its way, until that connection closes', async () => {
    const { address } = await serveApp(database);
    const authorization = `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`;
    const { id } = (await begin('甲.csv')).body;
    const { hostname, port, pathname } = new URL(`${address}/import/${id}/content`);
    const head = [`PUT ${pathname}?start=0 HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`];
    const type = ['Content-Type: application/octet-stream', 'Content-Length: 10'];
    /** Sends the first half of a part. */
    const sendHalf = () => {
      const socket = connect(Number(port), hostname);
      socket.write([...head, ...type, '', '12345'].join('\r\n'));
      return socket;
    };
    let half = sendHalf();
    // One that begins elsewhere: it stores nothing, wherever it comes in between.
    const part = async () => {
      const headers = { authorization, 'content-type': 'application/octet-stream' };
      const response = await fetch(`${address}/import/${id}/content?start=5`, {
        method: 'PUT',
        headers,
        body: '67890',
      });
      const { code } = (await response.json()) as { code: string };
      return [response.status, code, response.headers.get('retry-after')];
    };
    await eventually(
      () => {
        // Refused itself: it came while the other one was there.
        if (half.bytesRead > 0) half = sendHalf();
        return part();
      },
      ([, code]) => code === 'part_running',
    );
    expect(await part()).toStrictEqual([409, 'part_running', '1']);
    half.destroy();
    await eventually(part, ([, code]) => code === 'wrong_start');
  });

  test('is no matter of another account, and a refused part gives the place back', async () => {
    const { id } = (await begin('甲.csv')).body;
    const other = await addTenant(database.db);
    const their = await importerOf(database, other, { worker: false });
    const { id: theirs } = (await begin('乙.csv', 10, {}, their.client)).body;
    const release = await hold(id);
    const first = by.part(id, 0, Buffer.from('12345'));
    await untilBlocked(database);
    expect(await their.part(theirs, 0, Buffer.alloc(0))).toMatchObject({ status: 400 });
    expect(await their.part(theirs, 0, Buffer.alloc(5 * MB))).toMatchObject({ status: 413 });
    expect(await their.part(theirs, 0, Buffer.from('12345'))).toMatchObject({ status: 200 });
    await release();
    await first;
  });
});

describe('the file of a finished import', () => {
  const faulty = '会社名,代表メール\n甲,a@example.jp\n乙,壊れた\n';
  const bytesHeld = async () => {
    const { rows } = await sql<{ held: number; pieces: number }>`
      SELECT (SELECT coalesce(sum(greatest(bytes, declared_bytes)), 0)::integer FROM stored_file) AS held,
        (SELECT count(*)::integer FROM stored_file_piece) AS pieces`.execute(database.db);
    return rows[0];
  };

  test('is deleted; its faults and its undo stay', async () => {
    const id = await by.importText(faulty);
    const before = await (await by.file(`/import/${id}/faults`)).text();
    expect(before).toContain('壊れた');
    expect(await by.client.post(`/import/${id}/file/delete`, {})).toMatchObject({ status: 200 });
    expect(await by.client.post(`/import/${id}/file/delete`, {})).toMatchObject({ status: 200 });
    expect(await bytesHeld()).toStrictEqual({ held: 0, pieces: 0 });
    expect(await by.read(id)).toMatchObject({ state: 'imported', uploaded: 0 });
    expect(await (await by.file(`/import/${id}/faults`)).text()).toBe(before);
    expect(await by.job(`/import/${id}/undo`)).toMatchObject({ state: 'done' });
    expect(await by.read(id)).toMatchObject({ state: 'undone', undone: { removed: 1 } });
    const { rows } = await sql`SELECT FROM audit_event WHERE kind = 'import_file_deleted'`.execute(database.db);
    expect(rows).toHaveLength(1);
  });

  test('is not deleted before it is imported, nor while a job works', async () => {
    const id = await by.upload(faulty);
    const remove = () => by.client.post(`/import/${id}/file/delete`, {});
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'not_imported' } });
    await by.job(`/import/${id}/check`, {});
    await by.job(`/import/${id}/run`, { mode: 'leave_out' });
    await sql`UPDATE job SET state = 'running' WHERE id = (SELECT job_id FROM import_run WHERE id = ${id})`.execute(
      database.db,
    );
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'import_busy' } });
    expect((await bytesHeld())?.pieces).toBe(1);
  });
});

describe('what checks have found', () => {
  const reviewed = async () => {
    const { rows } = await sql<{ bytes: number; lines: number }>`
      SELECT coalesce(sum(review_bytes), 0)::integer AS bytes, (SELECT count(*)::integer FROM import_line) AS lines
      FROM stored_file`.execute(database.db);
    return rows[0];
  };

  test('is counted, anew with each check, and less once the file is deleted', async () => {
    await by.importText('会社名,代表者\n甲,田中\n');
    const id = await by.upload('会社名,代表者\n甲,鈴木\n,名のない会社\n');
    await by.job(`/import/${id}/check`, {});
    const once = await reviewed();
    expect(once).toMatchObject({ lines: 2, bytes: expect.toSatisfy((bytes: number) => bytes > 50 && bytes < 500) });
    await by.job(`/import/${id}/check`, {});
    // The ids of the lines may have another digit.
    expect((await reviewed())?.bytes).toBeLessThan((once?.bytes ?? 0) + 10);
    await by.job(`/import/${id}/run`, { mode: 'leave_out' });
    await by.client.post(`/import/${id}/file/delete`, {});
    expect((await reviewed())?.lines).toBe(1);
    expect((await reviewed())?.bytes).toBeLessThan(once?.bytes ?? 0);
  });

  test('is 1 GB at most: a check beyond it ends, says what to delete, and leaves nothing', async () => {
    const old = await by.importText('会社名\n甲\n');
    await sql`UPDATE stored_file SET review_bytes = ${1024 * MB}`.execute(database.db);
    const id = await by.upload('会社名,住所\n,名のない会社\n', '乙.csv');
    expect(await by.job(`/import/${id}/check`, {})).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/^保存できる確認の結果は、アカウント全体で1 GBまでです。取り込み「見込み客.csv」/),
    });
    expect(await by.read(id)).toMatchObject({ state: 'uploaded', review: null });
    expect((await reviewed())?.lines).toBe(0);
    await by.client.post(`/import/${old}/file/delete`, {});
    expect(await by.job(`/import/${id}/check`, {})).toMatchObject({ state: 'done' });
  });
});

test('an upload that expired is forgotten after a week, an import is not', async () => {
  await by.importText('会社名\n甲\n');
  await by.upload('会社名\n乙\n');
  await sql`UPDATE stored_file SET expires_at = now()`.execute(database.db);
  await deleteDeadFiles(database.service.db);
  const states = async () => {
    const rows = await database.db.selectFrom('import_run').select('state').orderBy('id').execute();
    return rows.map(({ state }) => state);
  };
  expect(await states()).toStrictEqual(['imported', 'uploaded']);
  await sql`UPDATE import_run SET created_at = now() - interval '8 days'`.execute(database.db);
  await deleteDeadFiles(database.service.db);
  expect(await states()).toStrictEqual(['imported']);
});

test('an account remembers the columns of 200 heading rows, the last ones', async () => {
  await sql`
    INSERT INTO import_mapping (account_id, heading_hash, columns, updated_at)
    SELECT ${tenant.accountId}, sha256(n::text::bytea), '[]', now() - n * interval '1 minute'
    FROM generate_series(1, 250) AS n`.execute(database.db);
  const id = await by.upload('会社名,住所\n甲,東京都\n');
  const table = { separator: 'comma', header_row: 1, columns: [{ index: 0, field: 'company_name', unit: '' }] };
  await by.job(`/import/${id}/check`, { table, remember: 1 });
  expect((await by.client.get(`/import/${id}/look`)).body).toMatchObject({ mapping: 'saved' });
  expect(await database.db.selectFrom('import_mapping').select('account_id').execute()).toHaveLength(200);
});
