import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Certificate } from '#test/certificate.ts';
import { freePort } from '#test/program.ts';

const NOBODY = 65_534;

export interface Postfix {
  readonly port: number;
  /** The Maildir with all mails that it delivers, owned by the user `nobody`. */
  readonly maildir: string;
  /** Returns the files of the delivered mails. */
  delivered(): string[];
  /** Returns the number of mails accepted but not delivered yet. */
  waiting(): number;
  /** Returns its log, for a failed test. */
  log(): string;
  stop(): void;
}

interface PostfixOptions {
  /** The domains for which it delivers mails itself. */
  readonly domains?: readonly string[];
  /** The port of the server that gets all other mails. */
  readonly relayPort?: number;
  /** The Maildir, owned by the user `nobody`, for all mails that it delivers itself; default: a new one. */
  readonly maildir?: string;
  /** Takes mails by STARTTLS and log-in alone, as a provider's submission port does. */
  readonly submission?: Submission;
}

interface Submission {
  readonly port: number;
  readonly certificate: Certificate;
  /** The socket of a Dovecot that checks log-ins. */
  readonly authSocket: string;
}

const submissionLines = (folder: string) => `
smtpd_tls_cert_file = ${folder}/config/cert.pem
smtpd_tls_key_file = ${folder}/config/key.pem
smtpd_tls_security_level = encrypt
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = permit_sasl_authenticated, reject
`;

const main = (folder: string, { domains, relayPort, maildir, submission }: PostfixOptions) => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
mail_owner = postfix
myhostname = relay.example
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtputf8_enable = yes
virtual_mailbox_domains = ${domains?.join(', ') ?? 'static:all'}
${relayPort === undefined ? '' : `relayhost = [127.0.0.1]:${relayPort}\ndisable_dns_lookups = yes`}
virtual_mailbox_maps = static:${basename(maildir ?? 'all')}/
virtual_mailbox_base = ${maildir ? dirname(maildir) : `${folder}/mail`}
virtual_uid_maps = static:${NOBODY}
virtual_gid_maps = static:${NOBODY}
virtual_minimum_uid = 1
${submission ? `${submissionLines(folder)}smtpd_sasl_path = ${submission.authSocket}` : ''}
`;

const master = (port: number) => `
127.0.0.1:${port} inet n - n - - smtpd
tlsmgr unix - - n 1000? 1 tlsmgr
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
smtp unix - - n - - smtp
relay unix - - n - - smtp
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`;

/** The queues of mails that are not delivered yet. */
const WAITING = ['maildrop', 'incoming', 'active', 'deferred'];

/**
 * Starts Debian's Postfix on loopback in its own folder, apart from the system's.
 * It accepts mail for every domain and delivers it to one Maildir, unless the options say otherwise. Needs root, as
 * Postfix does.
 */
export async function startPostfix(options: PostfixOptions = {}): Promise<Postfix> {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-postfix-'));
  chmodSync(folder, 0o755);
  const [config, mail] = [join(folder, 'config'), join(folder, 'mail')];
  for (const path of [config, mail, join(folder, 'queue'), join(folder, 'data')]) mkdirSync(path);
  chownSync(mail, NOBODY, NOBODY);
  execFileSync('chown', ['postfix', join(folder, 'data')]);
  const port = options.submission?.port ?? (await freePort());
  writeFileSync(join(config, 'main.cf'), main(folder, options));
  writeFileSync(join(config, 'master.cf'), master(port));
  if (options.submission) {
    writeFileSync(join(config, 'cert.pem'), options.submission.certificate.cert);
    writeFileSync(join(config, 'key.pem'), options.submission.certificate.key, { mode: 0o600 });
  }
  const postfix = (command: string) => execFileSync('/usr/sbin/postfix', ['-c', config, command], { stdio: 'ignore' });
  postfix('start');
  const maildir = options.maildir ?? join(mail, 'all');
  const inbox = join(maildir, 'new');
  return {
    port,
    maildir,
    delivered: () => {
      try {
        return readdirSync(inbox).map((name) => join(inbox, name));
      } catch {
        return [];
      }
    },
    waiting: () =>
      Number(
        execFileSync('find', WAITING.map((name) => join(folder, 'queue', name)).concat('-type', 'f'), {
          encoding: 'utf8',
        }).split('\n').length - 1,
      ),
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
    stop: () => {
      postfix('stop');
      rmSync(folder, { recursive: true });
    },
  };
}
