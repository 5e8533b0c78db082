import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { deferred, fakeApi, ok } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { ownFieldList } from '#web/lib/data/own/own-fields.ts';
import { conditionsOf } from '../filter/conditions.ts';
import { draftOf, type FilterDraft, readDraft, typedState } from '../filter/filter-draft.ts';
import OwnFilter from './own-filter.tsx';

const option = (id: number, label: string, archived = 0) => ({ id, label, colour: 0, archived });
const field = (key: string, label: string, type: string, more: object = {}) => ({
  id: 1,
  key,
  label,
  type,
  archived: 0,
  options: [],
  ...more,
});
const FIELDS = [
  field('event', '展示会名', 'text'),
  field('rank', 'ランク', 'choice', { options: [option(3, 'A'), option(4, 'B'), option(5, 'C', 1)] }),
  field('amount', '見込み額', 'number'),
  field('start', '導入日', 'date'),
  field('visited', '来場', 'flag'),
  field('jobs', '採用ページ', 'url'),
  field('old', '旧項目', 'text', { archived: 1 }),
];
let draft: FilterDraft;

function Filter({ first }: { readonly first: FilterDraft }) {
  const [shown, setShown] = useState(first);
  return (
    <OwnFilter
      draft={shown}
      isTooLong={false}
      onChange={(name, typed) => {
        draft = { ...draft, [name]: typed };
        setShown(draft);
      }}
    />
  );
}

function open(first: FilterDraft = {}, fields: object[] = FIELDS) {
  logInAs();
  fakeApi({ 'GET /custom_field/list': () => ok(fields) });
  draft = first;
  renderPart(<Filter first={first} />);
}

async function add(label: string): Promise<void> {
  await userEvent.click(await screen.findByRole('button', { name: '条件を追加' }));
  await userEvent.click(screen.getByRole('button', { name: label }));
}

const typeDay = (label: string, day: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: day } });
const custom = () => readDraft(draft).filter?.custom;

beforeEach(() => queryClient.clear());

describe('the filter by own fields', () => {
  it('takes words, several options and answers, and forgets a removed row', async () => {
    open();
    await add('展示会名');
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: '展示会名' }));
    await userEvent.keyboard('東京、大阪');
    await add('ランク');
    await userEvent.click(screen.getByRole('button', { name: 'A' }));
    await userEvent.click(screen.getByRole('button', { name: 'B' }));
    await add('来場');
    await userEvent.selectOptions(screen.getByLabelText('来場'), 'いいえ');
    await add('採用ページ');
    await userEvent.selectOptions(screen.getByLabelText('採用ページ'), 'あり');
    expect(custom()).toEqual({ event: '東京、大阪', rank: '3,4', visited: 'no', jobs: 'yes' });
    await userEvent.click(screen.getByRole('button', { name: 'A', pressed: true }));
    await userEvent.click(screen.getByRole('button', { name: '来場の条件を外す' }));
    expect(custom()).toEqual({ event: '東京、大阪', rank: '4', jobs: 'yes' });
    expect(document.activeElement).toBe(screen.getByRole('button', { name: '条件を追加' }));
    // Those that have a row, and those not used any more, are not offered again.
    await userEvent.click(screen.getByRole('button', { name: '条件を追加' }));
    expect(screen.queryByRole('button', { name: '旧項目' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'ランク' })).toBeNull();
  });

  it('reads numbers as the other ranges do, fractions too, and keeps a faulty one with its message', async () => {
    open();
    await add('見込み額');
    await userEvent.keyboard('1.2億');
    expect(custom()).toEqual({ amount: { from: '120000000' } });
    await userEvent.type(screen.getByLabelText('見込み額（上限）'), '多い');
    expect(screen.getByText('数値を入力してください。入力例：1,200、1.5、1.2億')).toBeDefined();
    expect(screen.getByLabelText('見込み額（上限）').getAttribute('aria-invalid')).toBe('true');
    expect([typedState(draft, {}), custom()]).toEqual(['faulty', { amount: { from: '120000000' } }]);
    await userEvent.clear(screen.getByLabelText('見込み額（上限）'));
    await userEvent.type(screen.getByLabelText('見込み額（上限）'), '１２００００００１．５');
    expect(custom()).toEqual({ amount: { from: '120000000', to: '120000001.5' } });
  });

  it('finds from the first day to the last, and refuses a day typed in part', async () => {
    open();
    await add('導入日');
    typeDay('導入日（始まり）', '2026-10-01');
    typeDay('導入日（終わり）', '2026-10-31');
    // The server's bounds are exclusive.
    expect(custom()).toEqual({ start: { from: '2026-09-30', to: '2026-11-01' } });
    expect(conditionsOf({ custom: custom() }).map(({ value }) => value)).toEqual(['2026/10/01〜2026/10/31']);
    typeDay('導入日（終わり）', '2026-09-30');
    expect(screen.getByText('終わりの日を、始まりの日以降にしてください')).toBeDefined();
    const last = screen.getByLabelText<HTMLInputElement>('導入日（終わり）');
    Object.defineProperty(last, 'validity', { value: { badInput: true } });
    fireEvent.change(last, { target: { value: '' } });
    expect(screen.getByText('日付を最後まで入力してください')).toBeDefined();
    expect(readDraft(draft).faults.get('custom')).toBe('not_a_number');
  });

  it('shows what the address holds, in its forms, and changes nothing of it', async () => {
    const filter = { custom: { amount: { from: '1200' }, start: { from: '2026-09-30' }, rank: '3' } };
    open(draftOf(filter));
    expect(await screen.findByLabelText('見込み額（下限）')).toHaveProperty('value', '1,200');
    expect(screen.getByLabelText('導入日（始まり）')).toHaveProperty('value', '2026-10-01');
    expect([readDraft(draft).filter, typedState(undefined, filter)]).toEqual([filter, 'applied']);
    const written = { custom: { amount: { to: '9000', from: '01200' } } };
    expect(typedState(undefined, written)).toBe('applied');
  });

  it('names fields and options that are gone or not used any more, and not before they are known', async () => {
    logInAs();
    const fields = deferred();
    fakeApi({ 'GET /custom_field/list': () => fields.answer });
    const filter = { custom: { old: 'x', lost: 'y', rank: '5,9' } };
    draft = draftOf(filter);
    renderPart(<Filter first={draft} />);
    expect(await screen.findAllByText('…')).toHaveLength(3);
    fields.resolve(ok(FIELDS));
    // The label, and that of its text field.
    expect(await screen.findAllByText('旧項目（使用をやめた項目）')).toHaveLength(2);
    expect(screen.getByText('なくなった項目')).toBeDefined();
    const options = within(screen.getByRole('group', { name: 'ランク' })).getAllByRole('button', { pressed: true });
    expect(options.map(({ textContent }) => textContent)).toEqual(['C（使用をやめた選択肢）', 'なくなった選択肢']);
    expect(conditionsOf(filter).map(({ label, value }) => `${label}: ${value}`)).toEqual([
      '旧項目（使用をやめた項目）: x',
      'なくなった項目: y',
      'ランク: C（使用をやめた選択肢）、なくなった選択肢',
    ]);
    // What is not shown is not dropped either.
    expect(readDraft(draft).filter).toEqual(filter);
  });

  it('gives a choice of many or long options the whole width, and a short one its column', async () => {
    const options = ['今期中に導入したい（予算あり）', '来期の予算で検討する', '情報を集めている'];
    const long = field('stage', '検討の段階', 'choice', { options: options.map((label, n) => option(n + 10, label)) });
    open({}, [...FIELDS, long]);
    await add('ランク');
    await add('検討の段階');
    const widths = ['ランク', '検討の段階'].map((name) => {
      return screen.getByRole('group', { name }).closest('li')?.dataset.wide;
    });
    expect(widths).toEqual([undefined, 'true']);
  });

  it('offers no eleventh condition, tags counted', async () => {
    const many = Array.from({ length: 12 }, (_, n) => field(`k${n}`, `項目${n}`, 'text'));
    const nine = Object.fromEntries(many.slice(0, 8).map(({ key }) => [key, 'x']));
    open({ ...draftOf({ custom: nine }), tags: '1' }, many);
    await add('項目8');
    expect(screen.getByText('項目とタグの条件は、合わせて10個までです')).toBeDefined();
    expect(screen.queryByRole('button', { name: '条件を追加' })).toBeNull();
  });

  it('is not shown to an account without fields', async () => {
    open({}, [field('old', '旧項目', 'text', { archived: 1 })]);
    await expect.poll(() => queryClient.getQueryData(ownFieldList.queryKey)).toHaveLength(1);
    expect(screen.queryByText('項目で絞り込む')).toBeNull();
  });
});
