import type { PasswordFault } from '#domain/account/password-rule.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '#domain/limits.ts';
import { text } from './wire.ts';

/** The user's messages for faults of a new password. */
export const PASSWORD_MESSAGES: Readonly<Record<PasswordFault, string>> = {
  length: `パスワードは${MIN_PASSWORD_LENGTH}〜${MAX_PASSWORD_LENGTH}文字で入力してください`,
  easy_to_guess:
    '推測されやすいパスワードです。よくある単語、連続した文字、ご自身の名前やメールアドレスだけでできたものは避けてください',
};

/** The fields of every body that sets a password. */
export const newPasswordFields = {
  new_password: text(MAX_PASSWORD_LENGTH)
    .min(MIN_PASSWORD_LENGTH, PASSWORD_MESSAGES.length)
    .meta({ description: '新しいパスワードです。', examples: ['夜の灯台と三匹の黒い子猫'] }),
  new_password_confirmation: text(MAX_PASSWORD_LENGTH)
    .optional()
    .describe('入力し直した新しいパスワードです。送ると、新しいパスワードと同じかを確かめます。'),
};

interface NewPassword {
  readonly new_password: string;
  readonly new_password_confirmation?: string | undefined;
}

/** Refuses a second password that differs from the first. */
export const isTypedTwice = ({ new_password, new_password_confirmation = new_password }: NewPassword): boolean =>
  new_password_confirmation === new_password;

/** The fault of isTypedTwice, as the specification words it. */
export const TYPED_DIFFERENTLY = {
  path: ['new_password_confirmation'],
  error: '新規パスワードと確認用のパスワードが違います',
};
