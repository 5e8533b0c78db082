import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { useId } from 'react';
import { TextField } from '#web/components/field/text-field.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { OwnerPassword } from '#web/components/owner-password/owner-password.tsx';
import { Panel } from '#web/components/panel.tsx';
import { SavedMark } from '#web/components/state/saved-mark.tsx';
import { hasCode } from '#web/lib/api/query-client.ts';
import type { AccountRule } from '#web/lib/data/account-rule.ts';
import { useChangeLogIns } from '#web/lib/data/owner-proof.ts';
import { RegistrationForm } from './registration-form.tsx';
import type { CompanyLogIn } from './registration-query.ts';
import { REGISTRATION_MESSAGES as messages } from './words.ts';

const ON: StatusLook = { tone: 'green', Icon: IconCheck };
const OFF: StatusLook = { tone: 'neutral', Icon: IconBan };

interface Props {
  readonly current: CompanyLogIn;
  readonly rule: AccountRule;
}

/** Registers the account with its company's provider, and switches passwords off. */
export function RegistrationPanel({ current, rule }: Props) {
  const { registration, redirect_uri, login_link, version } = current;
  const isOn = registration?.active === 1;
  return (
    <Panel
      title={messages.title}
      help={`${messages.help}${messages.docsHelp}`}
      tools={
        registration === null ? undefined : (
          <StatusBadge look={isOn ? ON : OFF} word={isOn ? messages.isOn : messages.isOff} />
        )
      }
      isSplit
    >
      <div className="stack-wide">
        <Shown label={messages.redirectUri} help={messages.redirectUriHelp} value={redirect_uri} />
        <RegistrationForm key={version} current={current} />
        {isOn && login_link !== null ? (
          <>
            <Shown label={messages.loginLink} help={messages.loginLinkHelp} value={login_link} />
            <PasswordOff rule={rule} />
          </>
        ) : null}
      </div>
    </Panel>
  );
}

/** Shows a text to copy: a press selects it whole. */
const Shown = ({ label, help, value }: Readonly<Record<'label' | 'help' | 'value', string>>) => (
  <TextField
    label={label}
    help={help}
    value={value}
    readOnly
    onChange={() => undefined}
    onFocus={({ currentTarget }) => currentTarget.select()}
  />
);

const isRefused = (error: Error | null): boolean =>
  hasCode(error, 'two_factor_missing') || hasCode(error, 'company_log_in_off');

function PasswordOff({ rule }: { readonly rule: AccountRule }) {
  const { change, isSaved, refusal: fault, isPasswordAsked, password } = useChangeLogIns(isRefused);
  const faultId = useId();
  return (
    <div className="stack-tight">
      <div className="row">
        <label className="line">
          <input
            type="checkbox"
            checked={rule.password_off === 1}
            aria-invalid={fault === undefined ? undefined : true}
            aria-describedby={fault === undefined ? undefined : faultId}
            onChange={({ target }) => change({ password_off: target.checked ? 1 : 0 })}
          />
          {messages.passwordOff}
        </label>
        <SavedMark isSaved={isSaved} />
      </div>
      {isPasswordAsked ? <OwnerPassword {...password} /> : null}
      <p className="note">{messages.passwordOffHelp}</p>
      {fault === undefined ? null : (
        <p id={faultId} className="fault">
          {fault}
        </p>
      )}
    </div>
  );
}
