import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

const TYPES: Record<string, string> = {
  string: '文字列',
  number: '数値',
  int: '整数',
  boolean: 'trueかfalse',
  array: '配列',
  object: 'オブジェクト',
  record: 'オブジェクト',
  null: 'null',
};

const FORMATS: Record<string, string> = {
  email: 'メールアドレス',
  datetime: '日時',
  date: '日付',
  time: '時刻',
  uuid: 'UUID',
};

const listed = (values: readonly unknown[]) => values.map((value) => String(value)).join('、');

/** What to do comes first: a long list is cut (errors.ts). */
const oneOf = (values: readonly unknown[]) =>
  values.length > 1 ? `次のいずれかを指定してください: ${listed(values)}` : `${listed(values)}を指定してください`;

/** What a bound is counted in: the characters of a text, the items of a list, or nothing. */
const unit = (origin: string): string => ({ string: '文字', array: '件' })[origin] ?? '';

/**
 * What to do about input that a contract refuses, where the contract has no words of its own: for `z.config`. In the
 * language of users, since some of it reaches them beside a field.
 */
export function inputMessage(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return '入力してください';
      return `${TYPES[issue.expected] ?? '正しい形'}で入力してください`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return `${issue.minimum}${unit(issue.origin)}${issue.inclusive ? '以上' : 'より大きい値'}にしてください`;
    case 'too_big':
      return `${issue.maximum}${unit(issue.origin)}${issue.inclusive ? '以下' : '未満'}にしてください`;
    case 'not_multiple_of':
      return `${issue.divisor}の倍数にしてください`;
    case 'invalid_format':
      return `正しい${FORMATS[issue.format] ?? '形式'}で入力してください`;
    case 'unrecognized_keys':
      return `使えない項目を取り除いてください: ${listed(issue.keys)}`;
    case 'invalid_union':
      return ofUnion(issue.errors);
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return '正しい形式で入力してください';
  }
}

/** Of the forms a value may have, the one it came nearest to: whose fault lies deepest. */
function ofUnion(forms: readonly (readonly z.core.$ZodIssue[])[]): string {
  const faults = forms.flatMap((issues) => issues.slice(0, 1));
  const values = faults.flatMap((fault) =>
    fault.code === 'invalid_value' && fault.path.length === 0 ? fault.values : [],
  );
  if (faults.length > 0 && values.length >= faults.length) return oneOf(values);
  const nearest = faults.reduce<z.core.$ZodIssue | undefined>(
    (best, fault) => (best && best.path.length >= fault.path.length ? best : fault),
    undefined,
  );
  if (!nearest) return '正しい形式で入力してください';
  return nearest.path.length > 0 ? `${nearest.path.join('.')}: ${nearest.message}` : nearest.message;
}
