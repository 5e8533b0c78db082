import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const KEY = 'kaitaku-device';

/** Returns the device of a page that has just loaded. */
async function deviceOfNewPage(): Promise<string> {
  vi.resetModules();
  const { deviceOfBrowser } = await import('./device.ts');
  expect(deviceOfBrowser()).toBe(deviceOfBrowser());
  return deviceOfBrowser();
}

beforeEach(() => localStorage.clear());
afterEach(() => vi.restoreAllMocks());

test('a browser has one random value of 256 bits, which the next page has too', async () => {
  const device = await deviceOfNewPage();
  expect(device).toMatch(/^[\w-]{43}$/);
  expect(await deviceOfNewPage()).toBe(device);
  localStorage.clear();
  expect(await deviceOfNewPage()).not.toBe(device);
});

test.each(['', 'short', `${'a'.repeat(43)} `, '"'.repeat(43)])(
  'a value that the server would refuse is replaced: %j',
  async (kept) => {
    localStorage.setItem(KEY, kept);
    expect(await deviceOfNewPage()).toMatch(/^[\w-]{43}$/);
  },
);

test('without a storage each page has its own value', async () => {
  const refuse = () => {
    throw new DOMException('denied', 'SecurityError');
  };
  vi.spyOn(Storage.prototype, 'getItem').mockImplementation(refuse);
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(refuse);
  const device = await deviceOfNewPage();
  expect(device).toMatch(/^[\w-]{43}$/);
  expect(await deviceOfNewPage()).not.toBe(device);
});
