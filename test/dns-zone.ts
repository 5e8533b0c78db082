import dns2, { Packet } from 'dns2';
import { atFileEnd } from './file-end.ts';
import { freePort } from './program.ts';

/** A server failure: an answer without records, or no answer. */
type DnsFault = 'SERVFAIL' | 'REFUSED' | 'silence';

/**
 * The records of one name and type. For TXT an array is one record that consists of several strings.
 * For MX a record is its exchange; their order is their priority.
 */
type Answer = readonly (string | readonly string[])[] | DnsFault;

/** A DNS server on loopback, by UDP and TCP, which is the whole DNS of a test. */
export interface DnsZone {
  /** `address:port`, as DNS_SERVERS names it. */
  readonly server: string;
  /** The answers by `TYPE name`. Names without any are NXDOMAIN, other types of a name NODATA. */
  records: Readonly<Record<string, Answer>>;
  /** The received queries, as `TYPE name`. */
  readonly asked: string[];
  /** The number of queries over TCP, because the UDP answer was truncated. */
  overTcp: number;
}

const TTL = 60;
const RCODES = { SERVFAIL: Packet.RCODE.SERVFAIL, REFUSED: Packet.RCODE.REFUSED } as const;

/** Starts a DNS server until the end of the test file. */
export async function serveZone(records: DnsZone['records'] = {}): Promise<DnsZone> {
  const port = await freePort();
  const zone: DnsZone = { server: `127.0.0.1:${port}`, records, asked: [], overTcp: 0 };
  const server = dns2.createServer({
    udp: true,
    tcp: true,
    handle(request, send, client) {
      const [question] = request.questions;
      if (question === undefined) return;
      const type = Packet.TYPE_NAME[question.type] ?? String(question.type);
      const name = question.name.toLowerCase();
      zone.asked.push(`${type} ${name}`);
      if ('remoteAddress' in client) zone.overTcp += 1;
      const answer = zone.records[`${type} ${name}`];
      if (answer === 'silence') return;
      const response = Packet.createResponseFromRequest(request);
      response.header.ra = 1;
      if (typeof answer === 'string') response.header.rcode = RCODES[answer];
      else if (answer === undefined && !Object.keys(zone.records).some((key) => key.endsWith(` ${name}`))) {
        response.header.rcode = Packet.RCODE.NXDOMAIN;
      } else response.answers = (answer ?? []).map((record, index) => resource(question, record, index));
      void send(response);
    },
  });
  await server.listen({ udp: { port, address: '127.0.0.1' }, tcp: { port, address: '127.0.0.1' } });
  atFileEnd(() => server.close());
  return zone;
}

function resource(
  { name, type, class: cls }: InstanceType<typeof Packet>['questions'][number],
  record: string | readonly string[],
  index: number,
) {
  const base = { name, type, class: cls, ttl: TTL };
  if (type === Packet.TYPE.TXT) return new Packet.Resource({ ...base, data: [record].flat() });
  const [text = ''] = [record].flat();
  if (type === Packet.TYPE.MX) return new Packet.Resource({ ...base, exchange: text, priority: 10 * index });
  if (type === Packet.TYPE.PTR) return new Packet.Resource({ ...base, domain: text });
  return new Packet.Resource({ ...base, address: text });
}
