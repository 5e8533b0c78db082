import { createRequire } from 'node:module';
import type { Pool } from 'pg';

/** How a worker process of bench/peers.ts is started. */
export interface PeerOptions {
  readonly peer: string;
  readonly databaseUrl: string;
  /** 0: the peer needs no Redis, or there is none. */
  readonly redisPort: number;
  readonly smtpPort: number;
  readonly connections: number;
  /** Mails to put into the queue first; 0: a worker that goes on with the queue of a killed one. */
  readonly enqueue: number;
}

/** What a worker process measures of itself: from the start of its queue until the last row is `sent`. */
export interface PeerResult {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Peak MB. */
  readonly rss: number;
}

/** The payload of a job: what the letter is rendered with, so that no job reads its row. */
export interface PeerMail {
  readonly id: number;
  readonly to: string;
  readonly company: string;
}

export interface PeerContext extends PeerOptions {
  readonly db: Pool;
  /** Renders a mail, sends it through nodemailer's pool and updates its row. */
  readonly send: (mail: PeerMail) => Promise<void>;
  /** Counts rows that a peer which sends by itself has updated. */
  readonly recorded: (rows: number) => void;
  /** Jobs under way at once: as many as bench/sending-bare.ts has, two for each connection. */
  readonly jobs: number;
}

export interface Peer {
  /** Prepares the queue and fills it. Nothing is sent yet. */
  readonly fill: (context: PeerContext, mails: readonly PeerMail[]) => Promise<void>;
  readonly start: (context: PeerContext) => Promise<void>;
}

const require = createRequire(new URL('packages/package.json', import.meta.url));

/** Loads a package of bench/peers/packages. The type checks do not need it installed. */
export const load = <Module>(name: string): Module => require(name) as Module;
