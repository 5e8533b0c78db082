import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFaults, changeColors } from './axe.ts';
import { browserOfWorker } from './browser.ts';

/** Tests that axe still reports each kind of fault, although walks exempt elements (axe.ts, doubtful-texts.ts). */
let page: Page;

beforeAll(async () => {
  page = await browserOfWorker().newPage();
});

afterAll(() => page.close());

async function show(body: string): Promise<void> {
  await changeColors(page, 'light');
  const head = '<!doctype html><html lang="ja"><title>t</title><body style="background: #fff; color: #222">';
  await page.setContent(head + body);
}

test.each([
  ['its own colour', '<p style="color: #999">text</p>'],
  ['a colour with transparency', '<p style="color: rgb(0 0 0 / 40%)">text</p>'],
  ['a background further out', '<div style="background: #333"><div><p>text</p></div></div>'],
  ['a translucent background', '<div style="background: rgb(0 0 0 / 30%); color: #fff"><p>text</p></div>'],
  ['opacity further out', '<div style="opacity: 0.4"><div><p>text</p></div></div>'],
  ['a box of another branch below it', boxBelow('#333')],
  ['the text of a field', '<input aria-label="a" value="text" style="color: #999; background: #fff">'],
  [
    'a dialog above the page',
    '<div id="root"></div><dialog open aria-label="a"><p style="color: #999">text</p></dialog>',
  ],
])('too little contrast by %s is a fault', async (_, body) => {
  await show(body);
  expect(await axeFaults(page, 'light')).toStrictEqual([expect.stringContaining('color-contrast')]);
});

test('a fault only in the dark colour scheme is found', async () => {
  await show('<style>@media (prefers-color-scheme: dark) { p { color: #999 } }</style><p>text</p>');
  expect(await axeFaults(page, 'light')).toStrictEqual([]);
  await changeColors(page, 'dark');
  expect(await axeFaults(page, 'dark')).toStrictEqual([expect.stringContaining('dark color-contrast')]);
});

test.each([
  ['enough contrast', '<p>text</p>'],
  ['large text', '<p style="color: #888; font-size: 30px">text</p>'],
  ['a disabled control', '<button disabled style="color: #999; background: #fff">text</button>'],
  ['a light box of another branch below it', boxBelow('#eee')],
])('%s is no fault', async (_, body) => {
  await show(body);
  expect(await axeFaults(page, 'light')).toStrictEqual([]);
});

test.each([
  ['button-name', '<button></button>'],
  ['label', '<input>'],
  ['link-name', '<a href="/"></a>'],
  ['aria-allowed-attr', '<p role="heading" aria-level="2" aria-checked="true">text</p>'],
  ['avoid-inline-spacing', '<p style="letter-spacing: 0 !important">text</p>'],
  ['image-alt', '<div id="root"></div><dialog open aria-label="a"><img src="data:,"></dialog>'],
])('%s is a fault', async (rule, body) => {
  await show(body);
  expect(await axeFaults(page, 'light')).toStrictEqual([expect.stringContaining(rule)]);
});

function boxBelow(color: string): string {
  const box = `<span style="position: absolute; inset: 0; background: ${color}"></span>`;
  return `<div style="position: relative; height: 40px">${box}<p style="position: relative">text</p></div>`;
}
