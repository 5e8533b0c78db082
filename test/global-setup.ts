import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { accessTo } from './open-as.ts';
import { startTestPostgres } from './reaper.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server on which test databases are created, and the migrated template that they copy. */
    adminUrl: string;
    template: string;
    /** The prefix of the names of the run's databases. */
    testDatabases: string;
  }
}

interface Server {
  readonly adminUrl: string;
  readonly template: string;
  readonly testDatabases: string;
  stop(): Promise<void>;
}

/** A global, because each project of vitest.config.ts loads this file again. */
const run = globalThis as { kaitakuServer?: Promise<Server>; kaitakuProjects?: number };

/**
 * Starts one PostgreSQL for a whole run: the server of DATABASE_URL, or an embedded one in a temporary folder.
 * Every test file gets a copy of one migrated template database (test/db.ts).
 */
export default async function setup(project: TestProject) {
  run.kaitakuProjects = (run.kaitakuProjects ?? 0) + 1;
  run.kaitakuServer ??= start();
  const { adminUrl, template, testDatabases, stop } = await run.kaitakuServer;
  project.provide('adminUrl', adminUrl);
  project.provide('template', template);
  project.provide('testDatabases', testDatabases);
  return async () => {
    run.kaitakuProjects = (run.kaitakuProjects ?? 1) - 1;
    if (run.kaitakuProjects > 0) return;
    delete run.kaitakuServer;
    await stop();
  };
}

async function start(): Promise<Server> {
  const server = await startServer();
  const template = `kaitaku_template_${process.pid}`;
  const testDatabases = `kaitaku_test_${process.pid}_`;
  const admin = new pg.Client({ connectionString: server.adminUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${template}`);
  const url = new URL(server.adminUrl);
  url.pathname = `/${template}`;
  await prepareDatabase(accessTo(url.href));
  await numberMembersApart(url.href);
  return {
    adminUrl: server.adminUrl,
    template,
    testDatabases,
    stop: async () => {
      await admin.query(`DROP DATABASE ${template}`);
      await dropDatabases(admin, testDatabases);
      await admin.end();
      await server.stop();
    },
  };
}

/** Drops the databases that the workers of the run have shared. */
async function dropDatabases(admin: pg.Client, prefix: string): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
    [prefix],
  );
  for (const { name } of rows) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
}

/** Shifts the ids of members, so that a test fails if code uses a member's id as an account's. */
async function numberMembersApart(url: string): Promise<void> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query('ALTER TABLE member ALTER COLUMN id RESTART WITH 1000001');
  await owner.end();
}

async function startServer(): Promise<{ adminUrl: string; stop(): Promise<void> }> {
  if (process.env.DATABASE_URL) return { adminUrl: process.env.DATABASE_URL, stop: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-test-'));
  // Started by root, the server runs as `nobody`, who must reach its data in this folder.
  await chmod(folder, 0o755);
  // The programs of the last stage together open more than the default 100 connections.
  const postgres = await startTestPostgres(folder, ['fsync=off', 'max_connections=300']);
  return {
    adminUrl: postgres.url,
    stop: async () => {
      await postgres.stop();
      await rm(folder, { recursive: true });
    },
  };
}
