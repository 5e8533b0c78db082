import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importProspects } from '#server/features/imports/merge/import.command.ts';
import { makeCp932Csv, makeProspectsCsv } from '../scripts/make-examples.ts';
import { emptyDatabase } from './db.ts';
import { addTenant } from './prospects.ts';

const EXAMPLES = join(import.meta.dirname, '../examples');

const FILES = [
  { name: 'prospects.csv', made: () => Buffer.from(makeProspectsCsv()), encoding: 'utf-8', rows: 1000 },
  { name: 'prospects-cp932.csv', made: makeCp932Csv, encoding: 'cp932', rows: 50 },
];

it.each(FILES)('$name is the output of scripts/make-examples.ts', async ({ name, made }) => {
  expect((await readFile(join(EXAMPLES, name))).equals(made())).toBe(true);
});

it.each(FILES)('$name is imported whole, and nobody can be mailed with it', async ({ name, encoding, rows }) => {
  const database = await emptyDatabase();
  const { accountId } = await addTenant(database.db);
  const answer = await importProspects(database, { accountId, file: join(EXAMPLES, name) });
  expect(answer).toMatchObject({
    imported: true,
    encoding,
    rowsRead: rows,
    added: rows,
    report: [],
    ignoredColumns: [],
  });

  const found = await database.pool.query<{ real: number; mails: number; losses: number }>(
    `SELECT count(*) FILTER (WHERE company_email NOT LIKE '%.example' OR company_url NOT LIKE 'https://%.example/%') AS real,
            count(company_email) AS mails, count(*) FILTER (WHERE ordinary_profit < 0) AS losses FROM prospect`,
  );
  expect(found.rows[0]?.real).toBe(0);
  expect(found.rows[0]?.mails).toBeGreaterThan(rows * 0.8);
  expect(found.rows[0]?.losses).toBeGreaterThan(0);
});
