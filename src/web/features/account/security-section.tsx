import { useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { SettingRow } from '#web/components/field/setting-row.tsx';
import { Panel } from '#web/components/panel.tsx';
import type { Account } from './account-query.ts';
import { PasswordForm } from './password-form.tsx';
import { SecondStepRow } from './second-step/second-step-row.tsx';
import { ACCOUNT_MESSAGES } from './words.ts';

interface Props {
  readonly account: Account;
  /** Called when the second step may have changed; where it must be set up before all else. */
  readonly onSecondStep?: () => void;
}

/** Shows how the member logs in. */
export function SecuritySection({ account, onSecondStep }: Props) {
  const [open, setOpen] = useState(false);
  const toggle = useRef<HTMLButtonElement>(null);
  return (
    <Panel title={ACCOUNT_MESSAGES.security}>
      <SettingRow label={ACCOUNT_MESSAGES.password}>
        {() => (
          <>
            <div className="spread">
              <span aria-hidden>••••••••</span>
              <Button ref={toggle} aria-expanded={open} aria-controls="password-form" onClick={() => setOpen(!open)}>
                {ACCOUNT_MESSAGES.changePassword}
              </Button>
            </div>
            <div id="password-form" hidden={!open}>
              {open ? (
                <PasswordForm
                  account={account}
                  onChanged={() => {
                    setOpen(false);
                    toggle.current?.focus();
                  }}
                />
              ) : null}
            </div>
          </>
        )}
      </SettingRow>
      <SecondStepRow account={account} onChanged={onSecondStep} />
    </Panel>
  );
}
