import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '../certificate.ts';
import { freePort } from '../program.ts';
import { eventually } from '../sending.ts';

export interface Dovecot {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Where a Postfix asks whether a log-in is right. */
  readonly authSocket: string;
  /** Its Maildir, owned by the user `nobody`. */
  readonly maildir: string;
  /** Delivers a mail into the inbox, as a mail server does. */
  deliver(mail: Buffer): void;
  /** Returns the paths of the mails in all folders that no client has seen. */
  unseen(): string[];
  log(): string;
  /** Ends it with all its connections, and restarts it on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const OWNER = 'nobody:nogroup';
const IMAPS_PORT = 993;

interface DovecotOptions {
  /** A Maildir of the user `nobody`; default: a new one. */
  readonly maildir?: string;
  /** Serves IMAP by TLS on port 993, as a provider does, and checks the log-ins of a Postfix. */
  readonly certificate?: Certificate;
}

const tlsLines = (folder: string) => `ssl = required
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
service auth {
  unix_listener ${folder}/auth {
    mode = 0666
  }
}
`;

/** Starts Debian's Dovecot with IMAP on loopback, with its own folder, separate from the system's. Needs root. */
export async function startDovecot({ maildir: given, certificate }: DovecotOptions = {}): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-dovecot-'));
  chmodSync(folder, 0o755);
  const port = certificate ? IMAPS_PORT : await freePort();
  const password = 'only-for-this-test';
  const maildir = given ?? join(folder, 'mail');
  for (const part of ['cur', 'new', 'tmp']) mkdirSync(join(maildir, part), { recursive: true });
  execFileSync('chown', ['-R', OWNER, maildir]);
  const config = join(folder, 'dovecot.conf');
  if (certificate) {
    writeFileSync(join(folder, 'cert.pem'), certificate.cert);
    writeFileSync(join(folder, 'key.pem'), certificate.key, { mode: 0o600 });
  }
  writeFileSync(
    config,
    `base_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
${certificate ? tlsLines(folder) : 'ssl = no\ndisable_plaintext_auth = no\n'}mail_location = maildir:${maildir}
first_valid_uid = 1
mail_uid = nobody
mail_gid = nogroup
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=${folder}
}
service imap-login {
  inet_listener imap {
    port = ${certificate ? 0 : port}
  }
  inet_listener imaps {
    port = ${certificate ? port : 0}
  }
}
`,
  );
  const log = () => readFileSync(join(folder, 'log'), { encoding: 'utf8', flag: 'a+' });
  let starts = 0;
  const run = async () => {
    const child = spawn('/usr/sbin/dovecot', ['-F', '-c', config], { stdio: 'ignore', detached: true });
    starts += 1;
    await eventually(log, (text) => text.split('starting up').length > starts);
    return child;
  };
  // Processes of open connections outlive it: end the whole group, as a service manager does.
  const end = async () => {
    if (child.pid === undefined || child.exitCode !== null) return;
    process.kill(-child.pid, 'SIGTERM');
    await once(child, 'exit');
  };
  let child = await run();
  let delivered = 0;
  return {
    port,
    user: 'inbox',
    authSocket: join(folder, 'auth'),
    maildir,
    password,
    deliver(mail) {
      delivered += 1;
      const name = `${1_700_000_000 + delivered}.M${delivered}.kaitaku`;
      writeFileSync(join(maildir, 'tmp', name), mail);
      execFileSync('chown', [OWNER, join(maildir, 'tmp', name)]);
      renameSync(join(maildir, 'tmp', name), join(maildir, 'new', name));
    },
    unseen: () =>
      execFileSync('find', [maildir, '-type', 'f', '-regex', '.*/\\(new\\|cur\\)/[^/]*', '-not', '-name', '*:2,*S*'], {
        encoding: 'utf8',
      })
        .split('\n')
        .filter(Boolean),
    log,
    async restart() {
      await end();
      child = await run();
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
