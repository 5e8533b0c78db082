import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiResult, call, type InputOf } from '#web/lib/api/call.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { IMPORT, IMPORT_LIST, ofId } from './import-query.ts';

type CheckBody = InputOf<'checkImport'>['body'];
type RunBody = InputOf<'runImport'>['body'];

const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

export const postCheck = (id: number, body: CheckBody) => (key: string) =>
  call('checkImport', { ...ofId(id), body }, withKey(key));
export const postRun = (id: number, body: RunBody) => (key: string) =>
  call('runImport', { ...ofId(id), body }, withKey(key));
export const postUndo = (id: number) => () => call('undoImport', ofId(id));
export const postDiscard = (id: number) => () => call('discardImport', ofId(id));

export const postDeleteFile = (id: number) => () => call('deleteImportFile', ofId(id));

/** Sends an action on an import. A retry after a lost answer starts no second job. */
export function useAct(id: number) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const { keyOf, forget } = useOnceKey();

  /**
   * @param body the key is for this body: another body is another request
   * @param onDone is called before the import reloads
   */
  async function act(
    send: (key: string) => Promise<ApiResult<unknown>>,
    body: unknown,
    onDone: () => void,
  ): Promise<void> {
    setBusy(true);
    setFault(null);
    const answer = await send(keyOf(body));
    if (answer.ok) {
      forget();
      onDone();
    } else if (answer.status !== 401) setFault(answer.message);
    // While a check runs, the previous rows are gone: they reload when they are shown again.
    await client.invalidateQueries({ queryKey: [IMPORT, id], refetchType: 'none' });
    await client.refetchQueries({ queryKey: [IMPORT, id], exact: true });
    void client.invalidateQueries({ queryKey: [IMPORT_LIST] });
    setBusy(false);
  }

  return { busy, fault, setFault, act };
}
