import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { logInAs } from '#test/web/samples.ts';
import { onSessionEnd, releaseAll, useSession } from '../session/session-store.ts';
import { call } from './call.ts';

const account = () => call('getAccount', { params: { id: '7' } });
const NETWORK = 'サーバーに接続できませんでした。時間をおいて、やり直してください';

beforeEach(() => logInAs());

describe('call', () => {
  it('fills the path, brackets the query and sends the token', async () => {
    logInAs('secret');
    const requests = fakeApi({ 'GET /sender/list': () => ok([]) });
    const query = { where_info: { sender_group_id: 3, active: 1 }, columns: ['id', 'subject'] } as const;
    const input = { query: { ...query, columns: [...query.columns] } };
    expect(await call('listSenders', input)).toEqual({ ok: true, data: [] });
    expect([...(requests[0]?.query ?? [])]).toEqual([
      ['where_info[sender_group_id]', '3'],
      ['where_info[active]', '1'],
      ['columns[]', 'id'],
      ['columns[]', 'subject'],
    ]);
    expect(requests[0]?.headers.get('Authorization')).toBe('Bearer secret');
    expect(requests[0]?.headers.has('Content-Type')).toBe(false);
  });

  it.each([400, 404, 409, 429])("§8.2 returns a %i as a value, with the server's message", async (status) => {
    fakeApi({ 'GET /account/7': () => refused(status, '見つかりません', 'not_found') });
    expect(await account()).toEqual({ ok: false, status, message: '見つかりません', code: 'not_found' });
  });

  it('removes the final 。 of a message and of its details, and no other', async () => {
    const details = [{ path: 'name', message: '空です。' }];
    const body = { message: '入力に誤りがあります。修正してください。', code: 'invalid', details };
    fakeApi({ 'GET /account/7': () => ({ status: 400, body }) });
    expect(await account()).toMatchObject({
      message: '入力に誤りがあります。修正してください',
      details: [{ path: 'name', message: '空です' }],
    });
  });

  it.each([400, 401, 404])('§8.2 writes nothing of a %i to the console', async (status) => {
    const written = (['debug', 'info', 'log', 'warn', 'error'] as const).map((level) =>
      vi.spyOn(console, level).mockReturnValue(undefined),
    );
    fakeApi({ 'GET /account/7': () => refused(status, '株式会社あおばが見つかりません') });
    expect(await account()).toMatchObject({ ok: false, status });
    expect(written.flatMap((level) => level.mock.calls)).toEqual([]);
  });

  it('returns 500 with its own message when no Kaitaku server answers', async () => {
    fakeApi({ 'GET /account/7': () => 'network' });
    expect(await account()).toEqual({ ok: false, status: 500, code: 'network', message: NETWORK });
    vi.stubGlobal('fetch', async () => new Response('<h1>Bad Gateway</h1>', { status: 502 }));
    expect(await account()).toMatchObject({ ok: false, status: 500, message: NETWORK });
  });

  it.each([null, [], { message: '' }, { message: 5 }])('survives the strange error body %j', async (body) => {
    fakeApi({ 'GET /account/7': () => ({ status: 503, body }) });
    expect(await account()).toMatchObject({
      ok: false,
      status: 503,
      code: 'unexpected',
      message: expect.stringMatching(/^処理/),
    });
  });

  it('sends no request when nobody is logged in', async () => {
    releaseAll('logged-out');
    const requests = fakeApi({ 'GET /account/7': () => ok({ id: 7 }) });
    expect(await account()).toMatchObject({ ok: false, status: 401 });
    expect(requests).toEqual([]);
  });

  it('§9.12 waits for an answer without a time limit', async () => {
    vi.useFakeTimers();
    let hurry: AbortSignal | null | undefined;
    vi.stubGlobal('fetch', (_url: string, { signal }: RequestInit) => {
      hurry = signal;
      return new Promise((answer) => setTimeout(() => answer(Response.json({ id: 7 })), 24 * 60 * 60_000));
    });
    const answer = account();
    await vi.advanceTimersByTimeAsync(24 * 60 * 60_000);
    expect(await answer).toEqual({ ok: true, data: { id: 7 } });
    // A timeout signal of the browser is not used either: a test cannot advance its clock.
    expect(hurry).toBeNull();
  });

  it('throws only when it was aborted', async () => {
    const controller = new AbortController();
    vi.stubGlobal('fetch', async () => {
      controller.abort();
      throw new DOMException('aborted', 'AbortError');
    });
    const aborted = call('getAccount', { params: { id: '7' } }, { signal: controller.signal });
    await expect(aborted).rejects.toThrow('aborted');
  });

  it('§6.5, 8.2 ends the session once, however many calls are refused', async () => {
    logInAs();
    const ended = vi.fn();
    const stop = onSessionEnd(ended);
    fakeApi({ 'GET /account/7': () => refused(401, 'ログインしてください') });
    const answers = await Promise.all([account(), account(), account()]);
    stop();
    expect(answers.map((answer) => !answer.ok && answer.status)).toEqual([401, 401, 401]);
    expect(ended.mock.calls).toEqual([['expired', 'token-1']]);
    expect(useSession.getState()).toMatchObject({ token: null, current_user: null });
    expect(sessionStorage.getItem('kaitaku-session')).not.toContain('token-1');
  });

  it('§6.5 keeps the new session when an old token gets a late 401', async () => {
    logInAs('old');
    fakeApi({
      'GET /account/7': () => {
        logInAs('new');
        return refused(401, 'ログインしてください');
      },
    });
    await account();
    expect(useSession.getState().token).toBe('new');
  });
});
