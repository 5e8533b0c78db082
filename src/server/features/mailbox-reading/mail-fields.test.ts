import { expect, test } from 'vitest';
import { readFields } from './mail-fields.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const UUID = '11111111-2222-4333-8444-555555555555';
const read = (text: string) => readFields(Buffer.from(text));

test('folded fields in any case are read, and no field is missed', () => {
  const fields = `REFERENCES: <x@y.example>\r\n\t<${UUID}@kaitaku.example>\r\nfrom: "A, B" <Info@A.example>\r\nSubject: x`;
  expect(read(fields)).toStrictEqual({ uuids: [UUID], from: 'info@a.example', refusedKey: null, isReport: false });
  expect(read('')).toStrictEqual({ uuids: [], from: null, refusedKey: null, isReport: false });
});

test('several From fields or addresses are nobody', () => {
  expect(read('From: a@a.example\r\nFrom: b@b.example').from).toBeNull();
  expect(read('From: a@a.example, b@b.example').from).toBeNull();
});

test.each([
  [`Re: unsubscribe ${KEY}`, KEY],
  [`unsubscribe+${KEY}`, KEY],
  [`unsubscribe ${KEY}0`, null],
  [`unsubscribe ${KEY.slice(1)}`, null],
  ['unsubscribe', null],
])('the subject %j refuses for %j', (subject, key) => expect(read(`Subject: ${subject}`).refusedKey).toBe(key));

test.each([
  ['Return-Path: <>\r\nContent-Type: multipart/report; boundary=a', true],
  ['Return-Path: <>\r\nX-Failed-Recipients: a@a.example', true],
  ['Return-Path: <a@a.example>\r\nContent-Type: multipart/report', false],
  ['Content-Type: multipart/report', false],
  ['Return-Path: <>\r\nContent-Type: text/plain', false],
])('%j is a report: %j', (fields, isReport) => expect(read(fields).isReport).toBe(isReport));
