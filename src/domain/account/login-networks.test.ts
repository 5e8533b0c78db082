import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readNetworks } from './login-networks.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7/32', '203.0.113.7'],
  ['203.0.113.0/24', '203.0.113.0/24'],
  [' 203.0.113.0 / 24 ', '203.0.113.0/24'],
  ['２０３．０．１１３．０／２４', '203.0.113.0/24'],
  ['２０３。０。１１３。７', '203.0.113.7'],
  ['203.0.113.128/25', '203.0.113.128/25'],
  ['128.0.0.0/1', '128.0.0.0/1'],
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['2001:DB8::/32', '2001:db8:0:0:0:0:0:0/32'],
  ['2001:db8:0:8000::/49', '2001:db8:0:8000:0:0:0:0/49'],
  ['2001:db8::1', '2001:db8:0:0:0:0:0:1'],
  ['::1/128', '0:0:0:0:0:0:0:1'],
])('%s is the network %s', (line, network) => {
  expect(readNetworks([line])).toStrictEqual({ networks: [network], faults: [] });
});

const FORM = '203.0.113.7 か 203.0.113.0/24 の形で入力してください';
const REPEATED = '同じネットワークが上の行にあります';
const ALL = '/0 は、すべてのネットワークです。制限しないときは、何も入力しないでください';
const MAPPED = 'IPv4のアドレスは 203.0.113.7 の形で入力してください';

test.each([
  ['', FORM],
  ['unknown', FORM],
  ['example.jp', FORM],
  ['203.0.113', FORM],
  ['203.0.113.256', FORM],
  ['203.0.113.07', FORM],
  ['203.0.113.7:443', FORM],
  ['203.0.113.0/33', FORM],
  ['203.0.113.0/', FORM],
  ['203.0.113.0/-1', FORM],
  ['203.0.113.0/24/24', FORM],
  ['203.0.113.0/255.255.255.0', FORM],
  ['203.0.113.1-203.0.113.9', FORM],
  ['203.0.113.*', FORM],
  ['203.0.113.7 203.0.113.8', FORM],
  ['203.0.113.7,203.0.113.8', FORM],
  ['2001:db8::/129', FORM],
  ['2001:db8:::1', FORM],
  ['\u0000203.0.113.7', FORM],
  ['fe80::1%eth0', '「%」の付いたアドレスは使えません'],
  ['fe80::1％eth0', '「%」の付いたアドレスは使えません'],
  ['::ffff:203.0.113.7', MAPPED],
  ['::ffff:203.0.113.7/120', MAPPED],
  ['::FFFF:cb00:7107', MAPPED],
  ['0.0.0.0/0', ALL],
  ['203.0.113.7/0', ALL],
  ['::/0', ALL],
  ['203.0.113.7/24', 'ネットワークなら 203.0.113.0/24、1つのアドレスなら 203.0.113.7 と入力してください'],
  ['203.0.113.129/25', 'ネットワークなら 203.0.113.128/25、1つのアドレスなら 203.0.113.129 と入力してください'],
  ['2001:db8::1/64', 'ネットワークなら 2001:db8::/64、1つのアドレスなら 2001:db8::1 と入力してください'],
])('%j is refused: %s', (line, message) => {
  expect(readNetworks([line])).toStrictEqual({ networks: [], faults: [{ at: 0, message }] });
});

test('each fault names its own line; a network stands once, however it is written', () => {
  const lines = ['203.0.113.7', '10.0.0.0/8', 'x', '２０３.0.113.7/32', '2001:db8::/32', '2001:0db8:0::/32'];
  expect(readNetworks(lines)).toStrictEqual({
    networks: ['203.0.113.7', '10.0.0.0/8', '2001:db8:0:0:0:0:0:0/32'],
    faults: [
      { at: 2, message: FORM },
      { at: 3, message: REPEATED },
      { at: 5, message: REPEATED },
    ],
  });
});

test('a network of every length is read, and one with a bit behind it is refused', () => {
  const parts = fc.oneof(
    fc.tuple(fc.constant(8), fc.array(fc.nat(255), { minLength: 4, maxLength: 4 })),
    fc.tuple(fc.constant(16), fc.array(fc.nat(65_535), { minLength: 8, maxLength: 8 })),
  );
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 128 }), ([width, numbers], wanted) => {
      const length = Math.min(wanted, width * numbers.length);
      const write = (bits: string) => {
        const all = bits.match(new RegExp(`.{${width}}`, 'g')) ?? [];
        return all
          .map((part) => Number.parseInt(part, 2).toString(width === 8 ? 10 : 16))
          .join(width === 8 ? '.' : ':');
      };
      const bits = numbers.map((part) => part.toString(2).padStart(width, '0')).join('');
      const first = bits.slice(0, length).padEnd(bits.length, '0');
      const isMapped = width === 16 && first.startsWith('0'.repeat(80) + '1'.repeat(16));
      fc.pre(!isMapped);
      expect(readNetworks([`${write(first)}/${length}`]).faults).toStrictEqual([]);
      expect(readNetworks([`${write(bits)}/${length}`]).faults.length).toBe(bits === first ? 0 : 1);
    }),
  );
});
