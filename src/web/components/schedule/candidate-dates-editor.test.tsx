import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { chooseDay, daysOf, openDay } from '#test/web/choose-day.ts';
import { fakeApi, OPEN_RULES, ok } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { CandidateDatesEditor } from './candidate-dates-editor.tsx';
import { scheduleFaults } from './schedule.ts';

/** Friday 20 November 2026, 17:20 in Tokyo: the window is 21 November to 21 February. */
const NOW = Date.parse('2026-11-20T17:20:00+09:00');
const on = (date: string, start_time = '9:00', end_time = '18:00'): CandidateDate => ({ date, start_time, end_time });
const onChange = vi.fn<(rows: readonly CandidateDate[]) => void>();
const current = () => onChange.mock.lastCall?.[0];

function Host({ first }: { readonly first: readonly CandidateDate[] }) {
  const [rows, setRows] = useState(first);
  const change = (next: readonly CandidateDate[]) => {
    onChange(next);
    setRows(next);
  };
  const { candidates } = scheduleFaults({ sendAt: null, candidateDates: rows }, NOW);
  return <CandidateDatesEditor rows={rows} faults={candidates} groupId={4} now={NOW} onChange={change} />;
}
const show = (...first: CandidateDate[]) => renderPart(<Host first={first} />);
const add = () => userEvent.click(screen.getByRole('button', { name: '候補日を追加' }));
const group = (name: string) => within(screen.getByRole('group', { name: `${name}の日時` }));
const options = (label: string) => [...(screen.getByLabelText(label) as HTMLSelectElement).options];
const field = (label: string) => screen.getByLabelText<HTMLButtonElement>(label);

const CLOSING = { first_day: '2026-12-01', last_day: '2026-12-01', name: '創立記念日', working: 0, yearly: 0 };
const serve = (rules: object = {}) => fakeApi({ 'GET /sending_rules/4': () => ok({ ...OPEN_RULES, ...rules }) });
const labelOf = (day: string) => openDay('候補日1', day).querySelector('.visually-hidden')?.textContent;

beforeEach(() => {
  logInAs();
  serve();
});

describe('candidate dates', () => {
  it('adds the next working day, 9:00 to 18:00, and moves the focus there', async () => {
    show(on('2026-11-26', '13:00', '14:00'));
    await add();
    expect(document.activeElement).toBe(screen.getByLabelText('候補日2'));
    await add();
    expect(current()).toEqual([on('2026-11-26', '13:00', '14:00'), on('2026-11-27'), on('2026-11-30')]);
  });

  it('removes a row only while there is another', async () => {
    show(on('2026-11-24'), on('2026-11-25'), on('2026-11-26'));
    await userEvent.click(screen.getByRole('button', { name: '候補日2を削除' }));
    expect(current()).toEqual([on('2026-11-24'), on('2026-11-26')]);
    expect(document.activeElement).toBe(screen.getByLabelText('候補日2'));
    await userEvent.click(screen.getByRole('button', { name: '候補日2を削除' }));
    expect(current()).toEqual([on('2026-11-24')]);
    expect(document.activeElement).toBe(screen.getByLabelText('候補日1'));
    expect(screen.queryByRole('button', { name: /を削除$/ })).toBeNull();
  });

  it('shows weekends, but does not offer them', () => {
    show(on('2026-11-24'));
    const inWindow = (day: string) => day >= '2026-11-21' && day <= '2027-02-20';
    const days = daysOf('候補日1');
    expect([days[0], days.at(-1), days.length]).toEqual(['2026-11-23', '2027-02-19', 65]);
    const disabled = daysOf('候補日1', true);
    expect(disabled.filter(inWindow).slice(0, 3)).toEqual(['2026-11-21', '2026-11-22', '2026-11-28']);
    for (const day of disabled.filter(inWindow)) expect([0, 6]).toContain(new Date(`${day}T00:00:00Z`).getUTCDay());
    chooseDay('候補日1', '2026-11-28');
    expect([field('候補日1').value, field('候補日1').getAttribute('aria-expanded')]).toEqual(['2026-11-24', 'true']);
  });

  it('offers 8:00 to 20:45 in steps of 15 minutes', () => {
    show(on('2026-11-24'));
    for (const label of ['開始時刻', '終了時刻']) {
      const times = options(label).map(({ value }) => value);
      expect([times.length, times[0], times[1], times.at(-1)]).toEqual([52, '8:00', '8:15', '20:45']);
    }
  });

  it.each([
    [on('2026-11-24', '17:45', '20:00'), '開始時刻', '候補日の時間帯が重なっています'],
    [on('2026-11-25', '9:00', '9:00'), '終了時刻', '候補日の終了時刻は開始時刻より後にしてください'],
    [on('2026-11-25', '7:45', '9:00'), '開始時刻', '候補日の時刻は8:00から20:45までにしてください'],
    [on('2026-11-25', '9:00', '21:00'), '終了時刻', '候補日の時刻は8:00から20:45までにしてください'],
    [on('2026-11-28'), '候補日2', '候補日に土曜日・日曜日は選べません'],
  ])('marks the faulty field of %j, with the reason', (row, field, description) => {
    show(on('2026-11-24'), row);
    const marked = document.querySelectorAll('[aria-invalid]');
    expect([...marked]).toEqual([group('候補日2').getByRole('combobox', { name: field, description })]);
  });

  it('shows a fault in its row, until it is corrected', () => {
    show(on('2026-11-24'), on('2026-11-24', '17:45', '20:00'));
    fireEvent.change(group('候補日2').getByLabelText('開始時刻'), { target: { value: '18:00' } });
    expect(screen.queryByText('候補日の時間帯が重なっています')).toBeNull();
    fireEvent.change(group('候補日2').getByLabelText('終了時刻'), { target: { value: '18:00' } });
    expect(group('候補日2').getByLabelText('終了時刻').getAttribute('aria-invalid')).toBe('true');
    expect(group('候補日2').getByText('候補日の終了時刻は開始時刻より後にしてください')).toBeDefined();
  });

  it('keeps a chosen day that has passed visible', () => {
    show(on('2026-11-20'));
    expect([field('候補日1').value, field('候補日1').textContent]).toEqual(['2026-11-20', '11月20日（金）']);
    expect(openDay('候補日1', '2026-11-20').getAttribute('aria-disabled')).toBe('true');
    expect(group('候補日1').getByText('候補日は明日8:00から3か月以内にしてください')).toBeDefined();
  });

  it('offers no slot that ends after the window, which is at 8:00 of its last day', () => {
    const wednesday = NOW - 2 * 24 * 60 * 60 * 1000;
    renderPart(
      <CandidateDatesEditor rows={[on('2026-11-24')]} faults={[]} groupId={4} now={wednesday} onChange={onChange} />,
    );
    expect(daysOf('候補日1').at(-1)).toBe('2027-02-18');
  });

  it('marks the days on which the group is closed, and skips them in a new row', async () => {
    serve({ version: 1, on_holidays: 1, closing_days: [CLOSING] });
    show(on('2026-11-30'));
    await waitFor(() => expect(labelOf('2026-12-01')).toBe('12月1日（火） 創立記念日（休業日）'));
    // The group sends on holidays.
    expect(labelOf('2027-01-11')).toBe('1月11日（月） 成人の日');
    await add();
    expect(current()?.at(-1)?.date).toBe('2026-12-02');
  });

  it('warns about a closed day, but accepts it', async () => {
    serve({ closing_days: [CLOSING] });
    show(on('2026-12-01'), on('2026-11-23'));
    const warned = (row: string, text: string) => group(row).findByRole('combobox', { name: row, description: text });
    expect((await warned('候補日1', '12/1（火）は創立記念日（休業日）です')).getAttribute('aria-invalid')).toBeNull();
    expect(await warned('候補日2', '11/23（月）は勤労感謝の日（祝日）です')).toBeDefined();
  });

  it('adds nothing after the end of the window', () => {
    show(on('2027-02-19'));
    expect(screen.queryByRole('button', { name: '候補日を追加' })).toBeNull();
    expect(screen.getByText('これより後の候補日は追加できません')).toBeDefined();
  });
});
