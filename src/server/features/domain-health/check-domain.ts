import { MAILBOX_KIND_NAMES, type MailboxKind } from '#contract/senders/mailboxes-names.ts';
import type { DomainCheck, Finding } from '#domain/dns/health.ts';
import { mxFinding, oneClickFinding } from '#domain/dns/health.ts';
import { isPublicHttps } from '#domain/law/refusal-place.ts';
import type { MailPath } from '../../platform/mail/mail-path.ts';
import {
  type CheckedPath,
  checkAlignment,
  checkDmarc,
  checkKeys,
  checkSpf,
  keyFor,
  type MailboxPath,
  readDmarc,
} from './check-authentication.ts';
import { openZone, orUnknown, type Zone } from './zone.ts';

/** How mails of a domain leave: by our mail server, or by mailboxes of a kind. */
export type DomainPath = 'relay' | MailboxKind;

/** What the checks depend on besides the DNS. */
export interface CheckSetup {
  readonly mailPath: MailPath;
  /** Whether mails by our mail server leave the machine; false: the mail catcher takes them. */
  readonly leavesMachine: boolean;
  /** The origin of the web client. */
  readonly publicUrl: string;
  /** The resolvers to query; none: the system's. */
  readonly dnsServers: readonly string[];
}

const MAILBOX_PATHS: Readonly<Record<MailboxKind, MailboxPath>> = {
  google: {
    kind: 'mailbox',
    name: MAILBOX_KIND_NAMES.google,
    spfInclude: '_spf.google.com',
    selectors: ['google'],
  },
  microsoft: {
    kind: 'mailbox',
    name: MAILBOX_KIND_NAMES.microsoft,
    spfInclude: 'spf.protection.outlook.com',
    selectors: ['selector1', 'selector2'],
  },
  smtp: { kind: 'mailbox', name: 'メールボックスのサーバー', spfInclude: null, selectors: [] },
};

/**
 * Checks the DNS records of a sender's domain within five seconds.
 * @param used how its senders' mails leave
 * @returns a finding for each check, of the worst path; `unknown` where the DNS did not answer
 */
export async function checkDomain(
  domain: string,
  { mailPath, leavesMachine, publicUrl, dnsServers }: CheckSetup,
  used: readonly DomainPath[] = ['relay'],
): Promise<Finding[]> {
  const leaving = leavesMachine ? used : used.filter((path) => path !== 'relay');
  const kinds = leaving.length > 0 ? leaving : (['relay'] as const);
  const paths = kinds.map((kind) => (kind === 'relay' ? mailPath : MAILBOX_PATHS[kind]));
  const zone = openZone(dnsServers);
  try {
    const dmarc = readDmarc(zone, domain);
    const keys = paths.map((path) => checkKeys(zone, domain, path));
    const ofPaths = (name: DomainCheck, check: (path: CheckedPath, at: number) => Promise<Finding>) =>
      Promise.all(paths.map(async (path, at) => ({ path, finding: await orUnknown(name, check(path, at)) }))).then(
        worstOf,
      );
    const ofTheDns = await Promise.all([
      orUnknown('mx', checkMx(zone, domain)),
      ofPaths('spf', (path) => checkSpf(zone, domain, path)),
      ofPaths('dkim', (_path, at) => keys[at] as Promise<Finding>),
      orUnknown(
        'dmarc',
        dmarc.then((read) => checkDmarc(domain, read)),
      ),
      ofPaths('alignment', async (path, at) => checkAlignment(domain, path, await dmarc, (await keys[at]) as Finding)),
    ]);
    const signs = paths.every((path) => keyFor(domain, path) !== null);
    return [...ofTheDns, oneClickFinding(isPublicHttps(publicUrl), signs)];
  } finally {
    zone.close();
  }
}

/** From the best to the worst. */
const LEVELS: readonly Finding['level'][] = ['good', 'look', 'unknown', 'bad'];

/** Returns the worst finding about the paths of a domain. It names its path where there are several. */
function worstOf(found: readonly { readonly path: CheckedPath; readonly finding: Finding }[]): Finding {
  const [worst, ...others] = found.toSorted(
    (one, other) => LEVELS.indexOf(other.finding.level) - LEVELS.indexOf(one.finding.level),
  ) as [(typeof found)[number], ...typeof found];
  const { path, finding } = worst;
  if (others.length === 0 || finding.level === 'good') return finding;
  const name = path.kind === 'smtp' ? path.host : path.name;
  return { ...finding, message: `${name}から送るメール：${finding.message}` };
}

async function checkMx(zone: Zone, domain: string): Promise<Finding> {
  const records = await zone.records(domain, 'MX');
  if (records.length > 0) {
    const sorted = records.toSorted((one, other) => one.priority - other.priority);
    return mxFinding(
      domain,
      sorted.map(({ exchange }) => exchange),
      true,
    );
  }
  const addresses = await Promise.all([zone.records(domain, 'A'), zone.records(domain, 'AAAA')]);
  return mxFinding(domain, null, addresses.flat().length > 0);
}
