import { expect, test } from 'vitest';
import { addressOf, networkOf, wideNetworkOf } from './network.ts';

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', 'unknown'],
  ['unknown', 'unknown'],
  ['203.0.113.9:4711', 'unknown'],
  ['<script>', 'unknown'],
])('%s counts as %s', (ip, network) => expect(networkOf(ip)).toBe(network));

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:0DB8::0009', '2001:db8:0:0:0:0:0:9'],
  ['2001:db8:0:0:0:0:0:9', '2001:db8:0:0:0:0:0:9'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
  ['<script>', 'unknown'],
])('%s is the address %s', (ip, address) => expect(addressOf(ip)).toBe(address));

test.each([
  ['203.0.113.9', '203.0.113.0/24'],
  ['::ffff:203.0.113.9', '203.0.113.0/24'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['203.0.113.9:4711', 'unknown'],
  ['<script>', 'unknown'],
])('%s is written down as %s', (ip, network) => expect(wideNetworkOf(ip)).toBe(network));

test.each([
  ['0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['64:ff9b::203.0.113.9', '64:ff9b:0:0:0:0:cb00:7109'],
  ['999.0.113.9', 'unknown'],
  ['203.0.113.09', 'unknown'],
  ['1:2', 'unknown'],
  ['1:2:3:4:5:6:7:8:9', 'unknown'],
  ['1:2:3:4::5:6:7:8', 'unknown'],
  ['::1::', 'unknown'],
  [':::', 'unknown'],
  ['12345::', 'unknown'],
  ['::203.0.113', 'unknown'],
])('%s is read as %s, as the database would', (ip, address) => expect(addressOf(ip)).toBe(address));
