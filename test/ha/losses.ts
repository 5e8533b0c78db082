import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Node } from './cluster.ts';

/** Longer than `ttl` of patroni.yml. */
const FROZEN_MS = 35_000;

/** A way to lose the leader, and its return. */
export interface Loss {
  readonly name: string;
  readonly times: number;
  /** Whether the same machine becomes the leader again. */
  readonly inPlace?: true;
  /** How many of the losses run with PgBouncer between the programs and HAProxy. */
  readonly pooled?: number;
  /** Causes the loss. Resolves at once, or when another node is the leader. */
  take(cluster: Cluster, leader: Node): void | Promise<void>;
  /** Brings the old leader back, once another one leads. @param since the loss */
  giveBack(leader: Node, since: number): void | Promise<void>;
}

const ALL: readonly Loss[] = [
  {
    name: 'PostgreSQL and Patroni, kill -9',
    times: 4,
    pooled: 1,
    take: (_, leader) => {
      leader.signalPatroni('SIGKILL');
      leader.signalPostgres('SIGKILL');
    },
    giveBack: (leader) => leader.startPatroni(),
  },
  {
    name: 'Patroni alone, kill -9',
    times: 2,
    take: (_, leader) => leader.signalPatroni('SIGKILL'),
    giveBack: (leader) => leader.startPatroni(),
  },
  {
    name: 'both, SIGSTOP for longer than ttl',
    times: 2,
    take: (_, leader) => {
      leader.signalPatroni('SIGSTOP');
      leader.signalPostgres('SIGSTOP');
    },
    giveBack: async (leader, since) => {
      await sleep(Math.max(0, since + FROZEN_MS - Date.now()));
      // First the server that still considers itself the leader.
      leader.signalPostgres('SIGCONT');
      leader.signalPatroni('SIGCONT');
    },
  },
  {
    name: 'switchover',
    times: 2,
    take: async (cluster) => void (await cluster.patronictl(['switchover', 'kaitaku', '--force'])),
    giveBack: () => {},
  },
  {
    name: 'PostgreSQL alone, kill -9',
    times: 2,
    inPlace: true,
    take: (_, leader) => leader.signalPostgres('SIGKILL'),
    giveBack: () => {},
  },
];

/** `HA_ONLY=SIGSTOP npm run test:ha` runs only the losses whose name contains that. */
export const ONLY = process.env.HA_ONLY ?? '';
export const LOSSES = ALL.filter(({ name }) => name.includes(ONLY));
