import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startFresh } from './fresh-start.ts';

/** The key of the seals: with a database of one's own the program makes none. */
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

interface SharedProgram {
  readonly url: string;
  readonly catcherUrl: string;
  readonly databaseUrl: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** One program for each worker of the project. test/e2e/scene.ts empties it before each file. */
    programs: readonly SharedProgram[];
  }
}

/** Starts a program for each worker on its own copy of the template database. */
export default async function setup(project: TestProject) {
  const { adminUrl, template } = project.getProvidedContext();
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const databases = Array.from(
    { length: project.config.maxWorkers },
    (_, index) => `kaitaku_e2e_${process.pid}_${index + 1}`,
  );
  // As in test/db.ts: only one connection at a time can copy a template.
  await admin.query('SELECT pg_advisory_lock(4202612)');
  for (const name of databases) await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  await admin.query('SELECT pg_advisory_unlock(4202612)');
  const programs = await Promise.all(
    databases.map(async (name) => {
      const database = new URL(adminUrl);
      database.pathname = `/${name}`;
      return { databaseUrl: database.href, ...(await startFresh({ DATABASE_URL: database.href, SECRET_KEY })) };
    }),
  );
  project.provide(
    'programs',
    programs.map(({ url, catcherUrl, databaseUrl }) => ({ url, catcherUrl, databaseUrl })),
  );
  return async () => {
    await Promise.all(programs.map(({ stop }) => stop()));
    for (const name of databases) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  };
}
