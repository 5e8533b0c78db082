import { existsSync } from 'node:fs';

/** Debian 12's packages, each with one of its files that the test runs. */
const PACKAGES = {
  patroni: '/usr/bin/patroni',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  pgbouncer: '/usr/sbin/pgbouncer',
  pgbackrest: '/usr/bin/pgbackrest',
  'postgresql-15': '/usr/lib/postgresql/15/bin/postgres',
};

/** Ends the run before it begins, with one sentence, if a package is missing. It installs nothing. */
export default function refuseWithout(): void {
  const missing = Object.entries(PACKAGES).flatMap(([name, file]) => (existsSync(file) ? [] : [name]));
  if (missing.length > 0) end(`npm run test:ha needs Debian's packages: apt-get install ${missing.join(' ')}`);
  if (process.getuid?.() !== 0) end('npm run test:ha runs as root, so that PostgreSQL can run as the user postgres.');
}

function end(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
