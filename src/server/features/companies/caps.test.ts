import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_COMPANY_TAGS, MAX_OWN_FIELDS, MAX_OWN_LENGTH, MAX_PEOPLE_OF_COMPANY } from '#domain/limits.ts';
import { emptyDatabase } from '#test/db.ts';
import { importerOf } from '#test/imports.ts';
import { type Ask, ownCapCalls } from '#test/own-cap-calls.ts';
import { addFullOwn } from '#test/own-caps.ts';
import { exportHandler } from '../exports/export-job.ts';
import { startJobWorker } from '../jobs/job-worker.ts';
import { NO_STORAGE_LIMITS } from '../stored-files/storage-limits.ts';

/** More than a page. */
const COMPANIES = 210;

// How long each call blocks the event loop is measured by bench/own-caps.ts, with the same accounts and calls.
test.each(['choice', 'text'] as const)(
  'own fields (%s), tags and people at their caps: each call is answered',
  async (type) => {
    let database = await emptyDatabase();
    // The statistics know another account alone, as in a home with a new one. By them a filter took 18 s.
    await addFullOwn(database.db, type, 3);
    await sql`ANALYZE`.execute(database.db);
    database = await emptyDatabase();
    const full = await addFullOwn(database.db, type, COMPANIES);
    const by = await importerOf(database, full);
    const { db } = database.service;
    const handlers = { export: exportHandler({ db, now: Date.now, limits: NO_STORAGE_LIMITS }) };
    onTestFinished(startJobWorker({ db, log: pino({ level: 'silent' }), handlers, pollMs: 50 }));
    const ask: Ask = async (method, path, body) => {
      const { status, body: answer } =
        body instanceof Buffer
          ? await by.send(method as 'PUT', path, body)
          : await (method === 'GET'
              ? by.client.get(path)
              : method === 'PUT'
                ? by.client.put(path, body)
                : by.client.post(path, body ?? {}));
      return { status, text: JSON.stringify(answer) };
    };
    const detail = (await by.client.get(`/prospect/${full.companies[0]}`)).body as {
      tags: object[];
      custom: Record<string, string>;
      people: object[];
    };
    expect(detail.tags).toHaveLength(MAX_COMPANY_TAGS);
    expect(Object.values(detail.custom)).toHaveLength(MAX_OWN_FIELDS);
    if (type === 'text') expect(Object.values(detail.custom).join('')).toHaveLength(MAX_OWN_LENGTH);
    expect(detail.people).toHaveLength(MAX_PEOPLE_OF_COMPANY);
    for (const { name, work } of ownCapCalls(full))
      await work(ask, 0).catch((error) => expect.fail(`${name}: ${error}`));
  },
);
