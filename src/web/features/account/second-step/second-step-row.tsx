import { useQueryClient } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { SettingRow } from '#web/components/field/setting-row.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { type Account, reloadAccount } from '../account-query.ts';
import { SECOND_STEP_MESSAGES as messages } from './words.ts';

const SetUpDialog = lazy(() => loadPart(() => import('./set-up-dialog.tsx')));
const ProofDialog = lazy(() => loadPart(() => import('./proof-dialog.tsx')));

/** Of ten recovery codes so few are too few. */
const FEW_CODES = 3;

interface Props {
  readonly account: Account;
  /** Called when a dialog has closed that may have changed it. */
  readonly onChanged?: (() => void) | undefined;
}

/** Shows whether the member has a second step, and leads to its set-up and its end. */
export function SecondStepRow({ account, onChanged }: Props) {
  const client = useQueryClient();
  const [open, setOpen] = useState<'setUp' | 'end' | 'renew' | null>(null);
  const { two_factor: isOn, recovery_codes_left: left = 0, two_factor_required: isRequired } = account.member ?? {};
  // An older server, or a session of another tab, before the account has loaded.
  if (isOn === undefined) return null;
  const close = () => setOpen(null);
  function finish(): void {
    close();
    void reloadAccount(client, account.id);
    onChanged?.();
  }
  const dialog = { email: account.email, onClose: close, onDone: finish };
  return (
    <SettingRow label={messages.label}>
      {(labelId) => (
        <>
          <div className="row">
            {isOn === 1 ? (
              <span>
                {messages.on} <span className="note">{messages.codesLeft(left)}</span>
              </span>
            ) : (
              <span>{messages.off}</span>
            )}
            {isOn === 1 ? (
              <span className="row push">
                <Button aria-haspopup="dialog" onClick={() => setOpen('renew')}>
                  {messages.renew}
                </Button>
                {isRequired === 1 ? null : (
                  <Button aria-haspopup="dialog" aria-describedby={labelId} onClick={() => setOpen('end')}>
                    {messages.turnOff}
                  </Button>
                )}
              </span>
            ) : (
              <Button
                className="push"
                variant={onChanged === undefined ? 'default' : 'primary'}
                aria-haspopup="dialog"
                aria-describedby={labelId}
                onClick={() => setOpen('setUp')}
              >
                {messages.setUp}
              </Button>
            )}
          </div>
          {isOn === 1 && left <= FEW_CODES ? (
            <Notice tone="warning">{messages.fewCodesHelp}</Notice>
          ) : (
            <p className="note">{helpOf({ isOn, isRequired })}</p>
          )}
          <PartBoundary>
            {open === null ? null : open === 'setUp' ? (
              <SetUpDialog {...dialog} />
            ) : (
              <ProofDialog {...dialog} act={open} />
            )}
          </PartBoundary>
        </>
      )}
    </SettingRow>
  );
}

interface State {
  readonly isOn: 0 | 1;
  readonly isRequired: 0 | 1 | undefined;
}

function helpOf({ isOn, isRequired }: State): string | null {
  if (isOn === 0) return messages.offHelp;
  return isRequired === 1 ? messages.requiredHelp : null;
}
