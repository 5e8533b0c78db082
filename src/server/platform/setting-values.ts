import { isIP } from 'node:net';
import { z } from 'zod';

/** Returns the schema of a URL. A fault does not repeat the value, which may hold a password. */
export const url = (name: string, protocols: readonly string[], example: string) =>
  z
    .string()
    .refine((text) => {
      const { protocol = '', hostname = '' } = URL.parse(text) ?? {};
      return protocols.includes(protocol) && hostname !== '';
    }, `${name} は ${example} の形にしてください。`)
    .transform((text) => new URL(text));

/** Returns the schema of an integer, both bounds included. */
export const integer = (name: string, min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: ({ input }) => `${name} は ${min}〜${max} の整数にしてください（今の値: ${String(input)}）。`,
    })
    .transform(Number);

/** Returns the schema of a TCP port. */
export const port = (name: string) => integer(name, 1, 65_535);

/** Returns the schema of a host name or an IP address. */
export const host = (name: string) => z.string().regex(/^[\w.:-]+$/, `${name} はホスト名かIPアドレスにしてください。`);

/** Checks for `10.0.0.7` or `10.0.0.0/8`. A range of all addresses would let any client forge its own address. */
export function isAddressRange(text: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const width = { 4: 32, 6: 128 }[isIP(address)];
  if (width === undefined) return false;
  return bits === undefined || (Number(bits) >= 1 && Number(bits) <= width);
}

/** Checks for `192.0.2.53`, `192.0.2.53:53`, `2001:db8::53` or `[2001:db8::53]:53`. */
export function isDnsServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, inBrackets, v4, portText] = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(portText);
  return isIP(inBrackets ?? v4 ?? '') === (inBrackets === undefined ? 4 : 6) && port >= 1 && port <= 65_535;
}

/** Returns the schema of comma-separated values; default: none. */
export const list = () =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((value) => value.trim() || []));
