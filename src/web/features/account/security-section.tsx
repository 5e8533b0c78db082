import { useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { SettingRow } from '#web/components/field/setting-row.tsx';
import { Panel } from '#web/components/panel.tsx';
import type { Account } from './account-query.ts';
import { PasswordForm } from './password-form.tsx';
import { ACCOUNT_MESSAGES } from './words.ts';

export function SecuritySection({ account }: { readonly account: Account }) {
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
    </Panel>
  );
}
