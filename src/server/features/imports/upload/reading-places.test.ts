import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { importerOf } from '#test/imports.ts';
import { addTenant } from '#test/prospects.ts';
import { workbookOf } from '#test/workbook.ts';
import { withReadingPlace } from '../read/workbook/reading-places.ts';

const workbook = workbookOf({ sheets: [{ rows: [['会社名'], ['甲']] }] });

async function scene() {
  const database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  const by = await importerOf(database, tenant, { worker: false });
  return { accountId: tenant.accountId, by, id: await by.upload(workbook) };
}

/** Holds a place for looks until it is called. */
function holdPlace(accountId: number): () => Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = withReadingPlace(accountId, () => promise);
  return () => {
    resolve();
    return held;
  };
}

test('a third look at a workbook of an account is refused, and one of another account is not', async () => {
  const { accountId, by, id } = await scene();
  const held = [holdPlace(accountId), holdPlace(accountId)];
  const refused = await by.file(`/import/${id}/look`);
  expect([refused.status, refused.headers.get('retry-after')]).toStrictEqual([503, '5']);
  expect(await refused.json()).toMatchObject({ code: 'busy', message: expect.stringContaining('少し待ってから') });
  expect(await withReadingPlace(accountId + 1, async () => 'looked')).toBe('looked');
  await held[0]?.();
  expect((await by.file(`/import/${id}/look`)).status).toBe(200);
  await held[1]?.();
});

test('while many accounts read workbooks, another one can read one, and no second', async () => {
  const { accountId, by, id } = await scene();
  const held = [1, 2, 3, 4, 5].flatMap((more) => [holdPlace(accountId + more), holdPlace(accountId + more)]);
  expect((await by.file(`/import/${id}/look`)).status).toBe(200);
  held.push(holdPlace(accountId));
  expect((await by.file(`/import/${id}/look`)).status).toBe(503);
  for (const release of held) await release();
});

test('a file of suppressions that is a workbook needs a place too', async () => {
  const { accountId, by } = await scene();
  const held = [holdPlace(accountId), holdPlace(accountId)];
  const send = (file: Buffer) => by.send('POST', '/suppression/import?class=refused&dry_run=1', file);
  expect(await send(workbook)).toMatchObject({ status: 503, body: { code: 'busy' } });
  expect(await send(Buffer.from('info@x.jp'))).toMatchObject({ status: 200 });
  for (const release of held) await release();
  expect(await send(workbook)).toMatchObject({ status: 200 });
});
