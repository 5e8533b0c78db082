import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startFresh } from './fresh-start.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The program that test/e2e/scene.ts empties before each file. */
    kaitaku: { readonly url: string; readonly catcherUrl: string; readonly databaseUrl: string };
  }
}

/**
 * One program for all files of the project, started while others run, on a copy of the template database of
 * test/global-setup.ts.
 */
export default async function setup(project: TestProject) {
  const { adminUrl, template } = project.getProvidedContext();
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const name = `kaitaku_e2e_${process.pid}`;
  // As test/db.ts: nobody copies a template that somebody else is copying.
  await admin.query('SELECT pg_advisory_lock(4202612)');
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  await admin.query('SELECT pg_advisory_unlock(4202612)');
  const database = new URL(adminUrl);
  database.pathname = `/${name}`;
  const { url, catcherUrl, stop } = await startFresh({ DATABASE_URL: database.href });
  project.provide('kaitaku', { url, catcherUrl, databaseUrl: database.href });
  return async () => {
    await stop();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  };
}
