import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ApiFailure, ApiResult } from '#web/lib/api/call.ts';
import { toast } from '#web/lib/screen/toast.ts';
import type { AddAnswer } from './add-suppressions.ts';
import { reloadSuppressions } from './suppression-query.ts';
import { SUPPRESSION_ADD_MESSAGES as messages } from './words.ts';

interface Parts<Answer> {
  /** Stores the values, or only counts what they would change. */
  readonly send: (isTrial: boolean) => Promise<ApiResult<Answer>>;
  /** Shows a refusal at its fields. @returns false if it names no field */
  readonly onProblem: (failure: ApiFailure) => boolean;
  readonly onStored: () => void;
}

/** Counts what new suppressions would change, then stores them after a second press. */
export function useAdd<Answer extends AddAnswer>({ send, onProblem, onStored }: Parts<Answer>) {
  const client = useQueryClient();
  const [counted, setCounted] = useState<Answer | null>(null);
  const [busy, setBusy] = useState(false);
  const changes = useRef(0);

  async function submit(): Promise<void> {
    if (busy) return;
    const isTrial = counted === null;
    setBusy(true);
    const begun = changes.current;
    const answer = await send(isTrial);
    setBusy(false);
    // The values have changed since they were counted.
    if (isTrial && begun !== changes.current) return;
    if (!answer.ok) {
      if (!onProblem(answer) && answer.status !== 401) toast('warning', answer.message);
      return;
    }
    if (isTrial) return setCounted(answer.data);
    toast('success', messages.done(answer.data.added));
    // Text typed meanwhile is not stored yet.
    if (begun === changes.current) onStored();
    reloadSuppressions(client);
  }

  return {
    /** null: not counted since the last change. */
    counted,
    busy,
    submit,
    /** Called when the values have changed. */
    forget(): void {
      changes.current += 1;
      setCounted(null);
    },
    /** Whether everything is already stored. */
    hasNothing: counted?.added === 0,
  };
}
