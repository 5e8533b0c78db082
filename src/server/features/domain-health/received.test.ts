import { describe, expect, test } from 'vitest';
import { outsideHop, reverseName } from './received.ts';

/** Received fields as mail servers write them. */

const LOCAL = 'from localhost (localhost [127.0.0.1]) by mx.kaisha.co.jp (Postfix) with ESMTP id A; Mon, 23 Nov 2026';
const INTERNAL = 'from app (app.lan [10.0.0.5])\r\n\tby smtp.relay.jp (Postfix) with ESMTPSA id B; Mon, 23 Nov 2026';

describe('the server that handed a mail over', () => {
  test.each([
    ['Postfix', 'from smtp.relay.jp (smtp.relay.jp [160.16.0.1])\r\n\t(using TLSv1.3) by mx.kaisha.co.jp (Postfix)'],
    ['Postfix, without a reverse name', 'from smtp.relay.jp (unknown [160.16.0.1]) by mx.kaisha.co.jp (Postfix)'],
    ['Gmail', 'from smtp.relay.jp (smtp.relay.jp. [160.16.0.1]) by mx.google.com with ESMTPS id x'],
    ['Exim', 'from rev.relay.jp ([160.16.0.1] helo=smtp.relay.jp) by mx.kaisha.co.jp with esmtps (Exim 4.96)'],
    ['Exim, with a port', 'from [160.16.0.1]:4711 (helo=smtp.relay.jp) by mx.kaisha.co.jp with esmtps'],
    ['qmail', 'from unknown (HELO smtp.relay.jp) (160.16.0.1) by mx.kaisha.co.jp with SMTP; 23 Nov 2026'],
    [
      'a server of both protocols',
      'from smtp.relay.jp (smtp.relay.jp [::ffff:160.16.0.1]) by mx.kaisha.co.jp with ESMTP',
    ],
    ['Exchange', 'from smtp.relay.jp (160.16.0.1) by OS0.mail.protection.outlook.com (10.167.8.4) with SMTP'],
  ])('%s', (_, field) => {
    expect(outsideHop([LOCAL, field, INTERNAL])).toStrictEqual({ address: '160.16.0.1', helo: 'smtp.relay.jp' });
  });

  test('an IPv6 address', () => {
    const field = 'from smtp.relay.jp (smtp.relay.jp [IPv6:2400:8500::1]) by mx.kaisha.co.jp (Postfix)';
    expect(outsideHop([field])?.address).toBe('2400:8500::1');
  });

  test('is not what the client claimed to be', () => {
    const bracketed = 'from [160.16.0.9] (unknown [160.16.0.1]) by mx.kaisha.co.jp (Postfix)';
    const claimed = 'from rev.relay.jp ([160.16.0.1] helo=[160.16.0.9]) by mx.kaisha.co.jp with esmtp';
    expect(outsideHop([bracketed])?.address).toBe('160.16.0.1');
    expect(outsideHop([claimed])?.address).toBe('160.16.0.1');
  });

  test('is the topmost one: what stands below may be forged', () => {
    const forged = 'from mx.example.com (mx.example.com [160.16.0.9]) by elsewhere.example.com';
    const real = 'from smtp.relay.jp (smtp.relay.jp [160.16.0.1]) by mx.kaisha.co.jp (Postfix)';
    expect(outsideHop([real, forged])?.address).toBe('160.16.0.1');
  });

  test('is none of the servers within a large service', () => {
    const within = 'from A.prod.outlook.com (2603:1096:400::1) by B.prod.outlook.com (2603:1096:400::2) with HTTPS';
    const real = 'from smtp.relay.jp (160.16.0.1) by C.mail.protection.outlook.com (10.167.8.4) with SMTP';
    expect(outsideHop([within, real])?.address).toBe('160.16.0.1');
  });

  test.each([
    ['a mail that never left the house', [LOCAL, INTERNAL]],
    ['fields without a server', ['by mx.google.com with SMTP id x', '', 'from ( by )', 'from a (999.1.2.3) by b']],
    ['very long fields', [`from ${'('.repeat(100_000)} by b`, `${'from '.repeat(50_000)}`]],
    ['none', []],
  ])('%s has none', (_, fields) => expect(outsideHop(fields)).toBeNull());
});

const V6_NAME = '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.5.8.0.0.4.2.ip6.arpa';
test.each([
  ['160.16.0.1', '1.0.16.160.in-addr.arpa'],
  ['2400:8500::1', V6_NAME],
  ['2400:8500:0:0:0:0:0:1', V6_NAME],
])('the reverse name of %s', (address, name) => expect(reverseName(address)).toBe(name));
