import { render, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { AtAnAddress } from '#test/web/render.tsx';
import { PageFrame } from './page-frame.tsx';

it('stands the way back above the heading, its badges behind it, and the guide at the end of the line', () => {
  render(
    <AtAnAddress>
      <PageFrame
        title="冬のご提案"
        back={{ to: '/sends', label: '送信履歴' }}
        marks={<b>送信中</b>}
        tools={<button type="button">書き出す</button>}
        action={<button type="button">送信</button>}
        guide="results"
      >
        <p>本文</p>
      </PageFrame>
    </AtAnAddress>,
  );
  const heading = screen.getByRole('heading', { level: 1, name: '冬のご提案' });
  const back = screen.getByRole('link', { name: '送信履歴へ戻る' });
  expect([back.textContent, back.getAttribute('href')]).toEqual(['送信履歴', '/sends']);
  const parts = [back, heading, screen.getByText('送信中'), ...screen.getAllByRole('button')];
  for (const [at, part] of parts.entries()) {
    const next = parts[at + 1] ?? screen.getByRole('link', { name: '使い方ガイド' });
    expect(part.compareDocumentPosition(next) & Node.DOCUMENT_POSITION_FOLLOWING, `${at}`).toBeTruthy();
  }
  const line = heading.parentElement?.parentElement as HTMLElement;
  expect(within(line).queryByRole('link', { name: '送信履歴へ戻る' })).toBeNull();
  expect(line.lastElementChild?.getAttribute('aria-label')).toBe('使い方ガイド');
});

it('has no line above the heading of a page that hangs on no other', () => {
  render(
    <AtAnAddress>
      <PageFrame title="レポート" guide="results">
        <p>本文</p>
      </PageFrame>
    </AtAnAddress>,
  );
  expect(screen.getAllByRole('link').map(({ textContent, ariaLabel }) => ariaLabel ?? textContent)).toEqual([
    '使い方ガイド',
  ]);
});
