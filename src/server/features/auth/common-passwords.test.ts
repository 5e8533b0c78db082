import { expect, test } from 'vitest';
import { passwordFault } from '#domain/account/password-rule.ts';
import { newPasswordFault } from './common-passwords.ts';

test.each(['q1w2e3r4t5y6', 'unbelievable', 'FinalFantasy', 'leavemealone', 'SONYERICSSON'])(
  '%j passes the rules of the browser, and is refused as common',
  (password) => {
    expect(passwordFault(password, [])).toBeNull();
    expect(newPasswordFault(password, [])).toBe('easy_to_guess');
  },
);

test.each(['正しい馬 電池 ホチキス', 'finalfantasy and seven horses', ' finalfantasy', '', 'short'])(
  '%j is not',
  (password) => {
    expect(newPasswordFault(password, [])).toBe(passwordFault(password, []));
  },
);
