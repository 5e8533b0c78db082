import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { deferred, fakeApi, ok } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { readList } from '#web/lib/address/params.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { ownFieldList, tagList } from '#web/lib/data/own/own-fields.ts';
import { conditionsOf } from './conditions.ts';
import { draftOf, type FilterDraft, readDraft, withoutOwn } from './filter-draft.ts';
import TagFilter from './tag-filter.tsx';

const tag = (id: number, label: string, archived = 0) => ({ id, label, colour: 1, archived, companies: null });
let draft: FilterDraft;

function Filter({ first }: { readonly first: FilterDraft }) {
  const [shown, setShown] = useState(first);
  return (
    <TagFilter
      draft={shown}
      onChange={(field, ids) => {
        draft = { ...draft, [field]: ids };
        setShown(draft);
      }}
    />
  );
}

function open(first: FilterDraft, tags: object[] = [tag(1, '重点'), tag(2, '秋'), tag(3, '旧', 1)]) {
  logInAs();
  fakeApi({ 'GET /tag/list': () => ok(tags) });
  draft = first;
  renderPart(<Filter first={first} />);
}

beforeEach(() => queryClient.clear());

describe('the filter by tags', () => {
  it('adds tags in use, and keeps them when the way changes', async () => {
    open({});
    await userEvent.click(await screen.findByRole('button', { name: 'タグを選ぶ' }));
    await screen.findByRole('option', { name: '秋' });
    expect(screen.queryByRole('option', { name: '旧' })).toBeNull();
    await userEvent.type(screen.getByRole('combobox', { name: 'タグを選ぶ' }), '秋{Enter}');
    await userEvent.click(screen.getByRole('option', { name: '重点' }));
    expect(readDraft(draft).filter).toEqual({ tags: '2,1' });
    await userEvent.selectOptions(screen.getByLabelText('タグの条件'), 'どれも含まない');
    expect(readDraft(draft).filter).toEqual({ tags_none: '2,1' });
    await userEvent.click(screen.getByRole('button', { name: 'タグ「秋」を条件から外す' }));
    expect(readDraft(draft).filter).toEqual({ tags_none: '1' });
  });

  it('joins the tags of two ways when one becomes the other', async () => {
    open({ tags: '1,2', tags_none: '4,2' });
    await userEvent.selectOptions(await screen.findByLabelText('タグの条件'), 'どれも含まない');
    expect(readDraft(draft).filter).toEqual({ tags_none: '4,2,1' });
  });

  it('does not say that a tag is gone before the tags are known', async () => {
    logInAs();
    const tags = deferred();
    fakeApi({ 'GET /tag/list': () => tags.answer });
    renderPart(<Filter first={{ tags: '9' }} />);
    expect(await screen.findByText('…')).toBeDefined();
    tags.resolve(ok([]));
    expect(await screen.findByText('なくなったタグ')).toBeDefined();
  });

  it('is not shown to an account without tags', async () => {
    open({}, []);
    await waitFor(() => expect(queryClient.getQueryData(tagList.queryKey)).toEqual([]));
    expect(screen.queryByText('タグ')).toBeNull();
  });

  it('is named in chips: by labels, by their number until these are known, and by their end', async () => {
    const texts = () =>
      conditionsOf({ tags_all: '1,9', has_primary_email: 'yes' }).map(({ label, value }) => [label, value]);
    expect(texts()).toEqual([
      ['主担当のメール', 'あり'],
      ['タグ', '2件のすべて'],
    ]);
    open({});
    await screen.findByRole('button', { name: 'タグを選ぶ' });
    expect(texts().at(-1)).toEqual(['タグ', '重点、なくなったタグのすべて']);
  });

  it('is held by the address, which takes ids alone', () => {
    const { filter } = readList('?tags=3,7&tags_all=x&tags_none=4&has_primary_email=yes');
    expect(filter).toEqual({ has_primary_email: 'yes', tags: '3,7', tags_none: '4' });
    expect(readDraft(draftOf(filter)).filter).toEqual(filter);
  });
});

describe('conditions on own fields', () => {
  const FILTER = { custom: { rank: '3', amount: { from: '5' }, visited: 'yes' } };

  it('are held by the address, and named in chips once the fields are known', () => {
    const address = `?custom=${encodeURIComponent(JSON.stringify(FILTER.custom))}`;
    expect(readList(address).filter).toEqual(FILTER);
    expect(readList('?custom=[]').filter).toEqual({});
    expect(readList('?custom=%7B').filter).toEqual({});
    expect(readDraft(draftOf(FILTER)).filter).toEqual(FILTER);
    const texts = () => conditionsOf(FILTER).map(({ label, value }) => `${label}: ${value}`);
    expect(texts()).toEqual(['…: …', '…: …', '…: …']);
    const field = (key: string, label: string, type: string, options: object[] = []) => ({ key, label, type, options });
    queryClient.setQueryData(ownFieldList.queryKey, [
      field('rank', 'ランク', 'choice', [{ id: 3, label: 'A' }]),
      field('amount', '見込み額', 'number'),
      field('visited', '来場', 'flag'),
    ] as never);
    expect(texts()).toEqual(['ランク: A', '見込み額: 5超', '来場: はい']);
  });

  it('go one by one', () => {
    const draft = draftOf(FILTER);
    const left = withoutOwn(draft, 'amount');
    expect(JSON.parse(left)).toEqual({ rank: '3', visited: 'yes' });
    expect(withoutOwn({ custom: '{"rank":"3"}' }, 'rank')).toBe('');
  });
});
