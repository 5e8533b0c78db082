import { type DnsRecord, type Finding, finding, txtRecord } from './health.ts';

/** The SPF result of RFC 7208, 2.6. */
export type SpfResult = 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror';

/** The servers that send a domain's mails, for SPF. */
export interface SpfSending {
  /** The addresses of the SMTP server; empty: a private one, or unknown. */
  readonly addresses: readonly string[];
  /** The name of the SMTP server, or of the service. */
  readonly host: string;
  /** The include that a service requires; null: mails are sent by SMTP. */
  readonly include: string | null;
  /** Whether the return path is of the sender's domain although an include is required: a mailbox of a provider. */
  readonly isMailbox?: boolean;
}

/** The DNS facts about a domain's SPF. */
export interface SpfFacts {
  /** The domain of the return path. */
  readonly domain: string;
  /** All TXT records that begin with v=spf1. */
  readonly records: readonly string[];
  /** The result for an address that sends no mail; null without exactly one record. */
  readonly stranger: SpfResult | null;
  /** Whether the limit of ten look-ups was exceeded. */
  readonly isTooDeep: boolean;
  /** The server's addresses that do not pass. */
  readonly refused: readonly string[];
}

/** Returns the SPF records: those whose version is followed by a space or the end (RFC 7208, 4.5). */
export const spfRecordsOf = (texts: readonly string[]): string[] =>
  texts.filter((text) => /^v=spf1(?: |$)/i.test(text));

/** Judges the SPF of a return path's domain. */
export function spfFinding(facts: SpfFacts, sending: SpfSending): Finding {
  const { domain, records } = facts;
  if (records.length === 0) {
    // A service has its own return path, and is responsible for its SPF.
    return finding('spf', sending.include === null || sending.isMailbox ? 'bad' : 'look', 'SPFレコードがありません。', {
      remedy: isKnown(sending) ? ADD_REMEDY : `${ADD_REMEDY}${UNKNOWN_REMEDY}`,
      record: proposal(domain, [], sending),
    });
  }
  if (records.length > 1) {
    return finding('spf', 'bad', `SPFレコードが${records.length}つあります。`, {
      remedy: 'SPFレコードは1つだけにします。すべてを次の1つにまとめ、ほかを削除してください。',
      found: records,
      record: proposal(domain, records, sending),
    });
  }
  return singleRecordFinding(facts, sending);
}

function singleRecordFinding(
  { domain, records, stranger, isTooDeep, refused }: SpfFacts,
  sending: SpfSending,
): Finding {
  const of = (level: Finding['level'], message: string, remedy = '', record: DnsRecord | null = null) =>
    finding('spf', level, message, { remedy, found: records, record });
  if (isTooDeep) return of('bad', 'SPFレコードの参照が10回を超えています。', TOO_DEEP_REMEDY);
  // Receivers evaluate only a readable record.
  if (stranger === null || !EVALUATED.has(stranger)) return of('bad', 'SPFレコードに誤りがあります。', BROKEN_REMEDY);
  if (stranger === 'pass') {
    return of('bad', 'SPFレコードが、すべてのサーバーからの送信を許しています。', OPEN_REMEDY, closed(domain, records));
  }
  if (sending.include === null && (sending.addresses.length === 0 || refused.length > 0)) {
    const server = refused.length > 0 ? `${sending.host}、${refused.join('、')}` : sending.host;
    const message = `送信サーバー（${server}）がSPFレコードに含まれるかを確かめられません。`;
    return of('look', message, RELAY_REMEDY, refused.length > 0 ? proposal(domain, records, sending) : null);
  }
  // It may stand in a record that is included.
  if (
    sending.isMailbox &&
    sending.include !== null &&
    !mechanisms(records[0] ?? '').includes(`include:${sending.include}`)
  ) {
    const message = `${sending.host}（include:${sending.include}）がSPFレコードに含まれるかを確かめられません。`;
    return of('look', message, ADD_INCLUDE_REMEDY, proposal(domain, records, sending));
  }
  if (stranger === 'neutral') {
    const message = 'SPFレコードの最後が ~all か -all ではありません。';
    return of('look', message, OPEN_REMEDY, closed(domain, records));
  }
  return of('good', 'SPFレコードは正しく設定されています。');
}

const ADD_REMEDY =
  '次のTXTレコードをDNSに追加してください。このドメインからほかのサービスでも送っている場合は、そのサービスが案内する値も加えます。';
const UNKNOWN_REMEDY = 'メールの提供元が案内する値（include:… や ip4:…）を、~all の前に加えてください。';
const TOO_DEEP_REMEDY =
  'include、a、mx、redirect などの参照を合わせて10回以内に減らしてください。使っていないサービスの include を外すのが近道です。';
const BROKEN_REMEDY = 'レコードの書き方と、include している先のレコードを確かめてください。';
const OPEN_REMEDY = 'レコードの最後を ~all か -all にしてください。';
const RELAY_REMEDY =
  'メールが別のサーバーから外に出る場合は、送信サーバーの提供元が案内する値がSPFレコードに入っているかを確かめてください。';

const ADD_INCLUDE_REMEDY = '含まれていなければ、次のTXTレコードに直してください。';

const EVALUATED: ReadonlySet<SpfResult> = new Set(['neutral', 'pass', 'fail', 'softfail']);

const mechanisms = (record: string): string[] => record.trim().split(/\s+/).slice(1);
const isEnd = (term: string): boolean => /^(?:[-+~?]?all|redirect=.*)$/i.test(term);
const ipTerm = (address: string): string => `${address.includes(':') ? 'ip6' : 'ip4'}:${address}`;

const isKnown = ({ addresses, include }: SpfSending): boolean => include !== null || addresses.length > 0;

/**
 * Proposes one record with all present terms and those of the sending servers. If neither is known, it starts with the
 * servers that receive the domain's mail, and ends with ~all: the message promises a record.
 */
function proposal(domain: string, records: readonly string[], { addresses, include }: SpfSending): DnsRecord {
  const terms = records.flatMap(mechanisms);
  const own = include === null ? addresses.map(ipTerm) : [`include:${include}`];
  const all = [...new Set([...terms.filter((term) => !isEnd(term)), ...own])];
  if (all.length === 0) return txtRecord(domain, 'v=spf1 mx ~all');
  return txtRecord(domain, ['v=spf1', ...all, endOf(terms)].join(' '));
}

/** Keeps a strict end, otherwise ends with ~all. */
const endOf = (terms: readonly string[]): string =>
  terms.find((term) => /^(?:-all|redirect=.*)$/i.test(term)) ?? '~all';

/** Replaces an end that passes every sender. @returns null if another record does that, by redirect or include */
function closed(domain: string, records: readonly string[]): DnsRecord | null {
  const terms = records.flatMap(mechanisms);
  if (terms.some((term) => /^redirect=/i.test(term))) return null;
  return txtRecord(domain, ['v=spf1', ...terms.filter((term) => !isEnd(term)), '~all'].join(' '));
}
