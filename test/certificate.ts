import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate and its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface CertificateOptions {
  readonly host?: string;
  /** Days from now until it expires; negative: already expired. Valid from one day before now, or before its end. */
  readonly days?: number;
}

const DAY_MS = 86_400_000;

/**
 * Creates a self-signed certificate (X.509, RFC 5280) for a host.
 * Generated for each run, so that the repository contains no key, and no certificate expires.
 */
export function selfSigned({ host = 'localhost', days = 1 }: CertificateOptions = {}): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const attribute = (id: string, value: string) => der(0x31, sequence(oid(id), der(0x0c, Buffer.from(value))));
  // With an organisation of its own: of two trusted certificates with one name OpenSSL may check the other one's.
  const name = sequence(attribute('55040a', randomBytes(8).toString('hex')), attribute('550403', host));
  const until = Date.now() + days * DAY_MS;
  const validity = sequence(time(Math.min(until, Date.now()) - DAY_MS), time(until));
  const altName = sequence(oid('551d11'), der(0x04, sequence(der(0x82, Buffer.from(host)))));
  const version = der(0xa0, integer(Buffer.from([2])));
  const signed = sequence(
    version,
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(altName)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', signed, privateKey)]));
  const lines = sequence(signed, algorithm, signature)
    .toString('base64')
    .match(/.{1,64}/g);
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...(lines ?? []), '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** Encodes a tag, the length of the contents, and the contents. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const integer = (bytes: Buffer): Buffer => der(0x02, bytes);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
/** Encodes a GeneralizedTime: `20261121123456Z`. */
const time = (at: number): Buffer =>
  der(0x18, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
