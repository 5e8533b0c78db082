import { expect, test } from 'vitest';
import { looksPersonal } from './person-address.ts';

test.each(['taro.yamada@a.example', 't-yamada@a.example', 'yamada_ta@a.example', 'Taro.Yamada2@a.example'])(
  '%s looks like the address of a person',
  (email) => expect(looksPersonal(email)).toBe(true),
);

test.each([
  'info@a.example',
  'sales-tokyo@a.example',
  'tokyo.eigyo@a.example',
  'contact_us@a.example',
  'yamada@a.example',
  '',
])('%s does not', (email) => expect(looksPersonal(email)).toBe(false));
