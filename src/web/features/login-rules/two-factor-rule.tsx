import { Suspense, useId } from 'react';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { Panel } from '#web/components/panel.tsx';
import { SavedMark } from '#web/components/state/saved-mark.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { hasCode } from '#web/lib/api/query-client.ts';
import type { AccountRule } from '#web/lib/data/account-rule.ts';
import { useChangeLogIns } from '#web/lib/data/owner-proof.ts';
import { LateOwnerPassword } from './late-owner-password.ts';
import { LOGIN_RULE_MESSAGES } from './words.ts';

const { twoFactor: messages } = LOGIN_RULE_MESSAGES;

const isOwnMissing = (error: Error | null): boolean => hasCode(error, 'own_two_factor_missing');

interface Props {
  readonly rule: AccountRule;
  /** How many active members have no second step; undefined: not known. */
  readonly missing: number | undefined;
}

/** Asks a second step of all members. */
export function TwoFactorRule({ rule, missing = 0 }: Props) {
  const { change, isSaved, refusal: fault, isPasswordAsked, password } = useChangeLogIns(isOwnMissing);
  const faultId = useId();
  return (
    <Panel title={messages.title} help={messages.help} isSplit>
      <div className="stack">
        <div className="row">
          <label className="line">
            <input
              type="checkbox"
              checked={rule.two_factor_required === 1}
              aria-invalid={fault === undefined ? undefined : true}
              aria-describedby={fault === undefined ? undefined : faultId}
              onChange={({ target }) => change({ two_factor_required: target.checked ? 1 : 0 })}
            />
            {missing === 0 ? messages.required : messages.requiredMissing(missing)}
          </label>
          <SavedMark isSaved={isSaved} />
        </div>
        {isPasswordAsked ? (
          <Suspense>
            <LateOwnerPassword {...password} />
          </Suspense>
        ) : null}
      </div>
      {fault === undefined ? null : (
        <div className="row">
          <p id={faultId} className="fault">
            {fault}
          </p>
          <ButtonLink to={PATHS.account}>{messages.toAccount}</ButtonLink>
        </div>
      )}
    </Panel>
  );
}
