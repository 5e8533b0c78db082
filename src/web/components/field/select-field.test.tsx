import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { SelectField } from './select-field.tsx';

const choice = (value: string) => ({ value, label: `${value}営業部` });
const select = () => screen.getByRole<HTMLSelectElement>('combobox', { name: '送信者グループ' });

it.each([
  [['東'], 'true'],
  [['東', '西'], undefined],
  [[], undefined],
])('draws %j as text where it is one choice, and stays a select with its label', (values, drawn) => {
  const choices = values.map(choice);
  renderPart(<SelectField label="送信者グループ" choices={choices} value="東" onChange={() => undefined} />);
  expect([select().dataset.single, select().options.length]).toEqual([drawn, values.length]);
});

it('keeps the box of one choice beside another box', () => {
  renderPart(
    <SelectField label="送信者グループ" isBoxed choices={[choice('東')]} value="東" onChange={() => undefined} />,
  );
  expect(select().dataset).not.toHaveProperty('single');
});
