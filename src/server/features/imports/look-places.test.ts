import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { importerOf } from '#test/imports.ts';
import { addTenant } from '#test/prospects.ts';
import { workbookOf } from '#test/workbook.ts';
import { withLookPlace } from './look-places.ts';

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
  const held = withLookPlace(accountId, () => promise);
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
  expect(await withLookPlace(accountId + 1, async () => 'looked')).toBe('looked');
  await held[0]?.();
  expect((await by.file(`/import/${id}/look`)).status).toBe(200);
  await held[1]?.();
});

test('a look is refused while many accounts look at workbooks', async () => {
  const { accountId, by, id } = await scene();
  const held = [1, 2, 3, 4, 5, 6].map((more) => holdPlace(accountId + more));
  expect((await by.file(`/import/${id}/look`)).status).toBe(503);
  for (const release of held) await release();
  expect((await by.file(`/import/${id}/look`)).status).toBe(200);
});
