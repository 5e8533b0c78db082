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

/** The instruction comes first, because errors.ts truncates a long list. */
const oneOf = (values: readonly unknown[]) =>
  values.length > 1 ? `次のいずれかを指定してください: ${listed(values)}` : `${listed(values)}を指定してください`;

/** Returns the unit of a bound: characters of a text, items of a list, or none. */
const unit = (origin: string): string => ({ string: '文字', array: '件' })[origin] ?? '';

/**
 * Returns the message for a fault whose schema has none, for `z.config`. In Japanese, because the screens show some of
 * these beside a field.
 */
export function inputMessage(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue);
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
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

const wrongType = ({ input, expected }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string =>
  input === undefined ? '入力してください' : `${TYPES[expected] ?? '正しい形'}で入力してください`;

const tooSmall = ({ minimum, origin, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string =>
  `${minimum}${unit(origin)}${inclusive ? '以上' : 'より大きい値'}にしてください`;

const tooBig = ({ maximum, origin, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string =>
  `${maximum}${unit(origin)}${inclusive ? '以下' : '未満'}にしてください`;

/** Returns the fault of the union member that matches the value best: the deepest fault. */
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
