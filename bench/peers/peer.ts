import { createRequire } from 'node:module';
import type { Pool } from 'pg';

/** The options of a worker process of bench/peers.ts. */
export interface PeerOptions {
  readonly peer: string;
  readonly databaseUrl: string;
  /** 0: the peer needs no Redis, or it is not installed. */
  readonly redisPort: number;
  readonly smtpPort: number;
  readonly connections: number;
  /** The number of mails to queue first; 0: the worker continues a killed one's queue. */
  readonly enqueue: number;
}

/** A worker process's measurements: from the start of its queue until the last row is `sent`. */
export interface PeerResult {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Peak MB. */
  readonly rss: number;
}

/** The payload of a job: the values that the letter needs, so that no job reads its row. */
export interface PeerMail {
  readonly id: number;
  readonly to: string;
  readonly company: string;
}

export interface PeerContext extends PeerOptions {
  readonly db: Pool;
  /** Renders a mail, sends it through nodemailer's pool and updates its row. */
  readonly send: (mail: PeerMail) => Promise<void>;
  /** Counts the rows that a peer updated, if it does not send by `send`. */
  readonly recorded: (rows: number) => void;
  /** The number of parallel jobs: two for each connection, as in bench/sending-bare.ts. */
  readonly jobs: number;
}

export interface Peer {
  /** Prepares and fills the queue, without sending. */
  readonly fill: (context: PeerContext, mails: readonly PeerMail[]) => Promise<void>;
  readonly start: (context: PeerContext) => Promise<void>;
}

const require = createRequire(new URL('packages/package.json', import.meta.url));

/** Loads a package of bench/peers/packages. The type checks do not need it installed. */
export const load = <Module>(name: string): Module => require(name) as Module;
