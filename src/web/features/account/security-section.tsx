import { useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import styles from './account.module.css';
import type { Account } from './account-query.ts';
import { PasswordForm } from './password-form.tsx';
import { ACCOUNT_MESSAGES } from './words.ts';

export function SecuritySection({ account }: { readonly account: Account }) {
  const [open, setOpen] = useState(false);
  const toggle = useRef<HTMLButtonElement>(null);
  return (
    <section className={styles.section} aria-labelledby="security-title">
      <h2 id="security-title">{ACCOUNT_MESSAGES.security}</h2>
      <Button ref={toggle} aria-expanded={open} aria-controls="password-form" onClick={() => setOpen(!open)}>
        {ACCOUNT_MESSAGES.changePassword}
      </Button>
      <div id="password-form">
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
    </section>
  );
}
