import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { logInAs } from '#test/web/samples.ts';
import { ApiError, queryClient } from '../api/query-client.ts';
import { setDraft, useSession } from '../session/session-store.ts';
import { useDraftForm } from './draft-form.ts';
import { keepWhole, mergeFields, type Seen } from './merged-form.ts';

interface Company {
  readonly ceo: string;
  readonly address: string;
}

const STORED: Seen<Company> = { version: 'v1', form: { ceo: '佐藤', address: '東京都' } };
const later = (form: Partial<Company>): Seen<Company> => ({ version: 'v2', form: { ...STORED.form, ...form } });
const typed = (form: Partial<Company>) => ({ base: STORED, form: { ...STORED.form, ...form }, shown: 'v1' });

const draft = () => useSession.getState().drafts['company.5'];
const Surroundings = ({ children }: { readonly children: ReactNode }) => (
  <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
);

type Parts = Partial<Parameters<typeof useDraftForm<Company, { version?: string }>>[0]>;

function open(parts: Parts = {}) {
  const { result, rerender } = renderHook(
    (changed: Parts) =>
      useDraftForm<Company, { version?: string }>({
        name: 'company.5',
        stored: STORED,
        send: async () => ({}),
        isConflict: () => false,
        ...parts,
        ...changed,
      }),
    { wrapper: Surroundings, initialProps: {} },
  );
  return { now: () => result.current, rerender };
}

beforeEach(() => logInAs());

describe('what another person has saved meanwhile', () => {
  it('is used and shown if this person changed nothing', () => {
    const { form, theirs } = mergeFields(typed({ ceo: '鈴木' }), later({ address: '大阪府' }));
    expect(form).toEqual({ ceo: '鈴木', address: '大阪府' });
    expect(theirs).toEqual([{ field: 'address', theirs: '大阪府' }]);
  });

  it('is shown beside this person’s value if both changed a field', () => {
    const { form, theirs } = mergeFields(typed({ ceo: '鈴木' }), later({ ceo: '高橋' }));
    expect(form.ceo).toBe('鈴木');
    expect(theirs).toEqual([{ field: 'ceo', theirs: '高橋' }]);
  });

  it('is not shown if both saved the same, and white space is no change', () => {
    expect(mergeFields(typed({ ceo: ' 鈴木 ' }), later({ ceo: '鈴木' })).theirs).toEqual([]);
    expect(mergeFields(typed({ ceo: '佐藤 ' }), later({ ceo: '高橋' })).form.ceo).toBe('高橋');
  });

  it('changes no field of a draft that is kept whole', () => {
    const { form, theirs } = keepWhole(typed({ ceo: '鈴木' }), later({ address: '大阪府' }));
    expect(form).toEqual({ ceo: '鈴木', address: '東京都' });
    expect(theirs).toEqual([
      { field: 'ceo', theirs: '佐藤' },
      { field: 'address', theirs: '大阪府' },
    ]);
  });
});

it('a list that holds the same is no change', () => {
  const list = (...options: string[]) => ({ options: options.map((label) => ({ label })) });
  const draft = { base: { version: 'v1', form: list('A') }, form: list('A', 'B'), shown: 'v1' };
  expect(keepWhole(draft, { version: 'v2', form: list('A', 'B') }).theirs).toEqual([]);
  expect(keepWhole(draft, { version: 'v2', form: list('C') }).theirs).toHaveLength(1);
  expect(mergeFields(draft, { version: 'v2', form: list('A') })).toEqual({ form: list('A', 'B'), theirs: [] });
});

describe('a draft', () => {
  it('of an older program version is only the form, lacks fields or has others', () => {
    setDraft('company.5', JSON.stringify({ ceo: '鈴木', fax: '03' }));
    expect(open().now().form).toEqual({ ceo: '鈴木', address: '東京都' });
    setDraft('company.5', JSON.stringify({ base: { version: 'v1', form: {} }, form: { ceo: '高橋' } }));
    expect(open().now().form).toEqual({ ceo: '高橋', address: '東京都' });
  });

  it.each(['', '{', 'null', '7', '"text"', '[]', '{"base":null}'])('that nobody can read is none: %j', async (text) => {
    setDraft('company.5', text);
    const { now } = open();
    expect([now().form, now().isDirty]).toEqual([STORED.form, false]);
    await waitFor(() => expect(draft()).toBeUndefined());
  });

  it('keeps white space while it is typed, and is removed when the text is typed back', async () => {
    const { now } = open();
    act(() => now().change({ ceo: '佐藤 ' }));
    expect([now().form.ceo, now().isDirty]).toEqual(['佐藤 ', true]);
    act(() => now().change({ ceo: '佐藤' }));
    await waitFor(() => expect(draft()).toBeUndefined());
  });
});

describe('a save', () => {
  const details = [{ path: 'update_info.ceo', message: '長すぎます' }];
  const refusal = (status: number, code: string) =>
    new ApiError({ ok: false, status, code, message: '保存できません', details });

  it('is sent once for two simultaneous presses', async () => {
    let sends = 0;
    const { now } = open({
      send: async () => {
        sends += 1;
        return {};
      },
    });
    act(() => now().change({ ceo: '鈴木' }));
    await act(async () => {
      now().save();
      now().save();
    });
    await waitFor(() => expect(draft()).toBeUndefined());
    expect(sends).toBe(1);
  });

  it('bases text typed meanwhile on what was saved', async () => {
    const { promise, resolve } = Promise.withResolvers<{ version: string }>();
    const { now, rerender } = open({ send: () => promise });
    act(() => now().change({ ceo: '鈴木' }));
    act(() => now().save());
    act(() => now().change({ ceo: '鈴木 一郎' }));
    await act(async () => resolve({ version: 'v2' }));
    await waitFor(() => expect(now().busy).toBe(false));
    rerender({ stored: later({ ceo: '鈴木' }) });
    expect([now().form.ceo, now().theirs, now().isDirty]).toEqual(['鈴木 一郎', [], true]);
  });

  it('that is refused shows the error at its field until the field is changed', async () => {
    const { now } = open({ send: () => Promise.reject(refusal(400, 'invalid')) });
    act(() => now().change({ ceo: '鈴木' }));
    await act(async () => now().save());
    await waitFor(() => expect(now().faults).toEqual({ ceo: '長すぎます' }));
    act(() => now().change({ address: '大阪府' }));
    expect([now().faults, now().problem]).toEqual([{ ceo: '長すぎます' }, undefined]);
    act(() => now().change({ ceo: '高橋' }));
    expect(now().faults).toEqual({});
    expect(now().form).toEqual({ ceo: '高橋', address: '大阪府' });
  });

  it('in conflict is shown above the form, not at a field, after the other values have loaded', async () => {
    const read: string[] = [];
    const { now } = open({
      send: () => Promise.reject(refusal(409, 'company_changed')),
      isConflict: (error) => error instanceof ApiError && error.failure.code === 'company_changed',
      reload: async () => read.push('again'),
    });
    act(() => now().change({ ceo: '鈴木' }));
    await act(async () => now().save());
    await waitFor(() => expect(now().conflict).toBe('保存できません'));
    expect([now().faults, read]).toEqual([{}, ['again']]);
    act(() => now().discard());
    await waitFor(() => expect(now().conflict).toBeUndefined());
    expect([now().form, draft()]).toEqual([STORED.form, undefined]);
  });
});
