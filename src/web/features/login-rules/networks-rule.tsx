import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, Suspense, useState } from 'react';
import { MAX_LOGIN_NETWORKS, readNetworks } from '#domain/account/login-networks.ts';
import { networkOf } from '#domain/account/network.ts';
import { Button } from '#web/components/button.tsx';
import { LeaveGuard } from '#web/components/dialog/leave-guard.tsx';
import { Field } from '#web/components/field/field.tsx';
import { FormFoot } from '#web/components/form-foot.tsx';
import { Panel } from '#web/components/panel.tsx';
import { call } from '#web/lib/api/call.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { type AccountRule, accountRule } from '#web/lib/data/account-rule.ts';
import { isOwnerUnproved, passwordFault } from '#web/lib/data/owner-proof.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { LateOwnerPassword } from './late-owner-password.ts';
import { LOGIN_RULE_MESSAGES } from './words.ts';

const { networks: messages } = LOGIN_RULE_MESSAGES;

interface NetworksForm {
  /** One network a line. */
  readonly login_networks: string;
}

interface Line {
  /** Its number, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Returns the lines with a text. */
const linesOf = ({ login_networks }: NetworksForm): readonly Line[] =>
  login_networks
    .split('\n')
    .map((text, at) => ({ line: at + 1, text: text.trim().toWellFormed() }))
    .filter(({ text }) => text !== '');

function faultsIn(form: NetworksForm): Faults {
  const lines = linesOf(form);
  if (lines.length > MAX_LOGIN_NETWORKS) return { login_networks: messages.tooMany };
  const { faults } = readNetworks(lines.map(({ text }) => text));
  const told = faults.map(({ at, message }) => messages.atLine(lines[at]?.line ?? 0, message));
  return told.length === 0 ? {} : { login_networks: told.join('\n') };
}

/** Edits from which networks the account may be used. */
export function NetworksRule({ rule }: { readonly rule: AccountRule }) {
  const { isPasswordAsked, ...edited } = useNetworksForm(rule);
  const { element, name, form, faults, problem, isDirty, isSaved, busy, change, save, discard, error } = edited;

  // Then the password's own button saves: one of two is never left beside it.
  const asksPassword = isPasswordAsked && isDirty;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    save({});
  }

  return (
    <Panel title={messages.title} help={messages.help} isSplit>
      <div className="stack">
        <form ref={element} className="stack" onSubmit={submit} noValidate>
          <Field
            label={messages.label}
            help={messages.labelHelp}
            error={faults.login_networks ?? (isOwnerUnproved(error) ? undefined : problem)}
          >
            {(control) => (
              <textarea
                {...control}
                rows={4}
                spellCheck={false}
                autoCapitalize="none"
                value={form.login_networks}
                onChange={({ target }) => change({ login_networks: target.value })}
              />
            )}
          </Field>
          <Here address={rule.current_address ?? null} edited={edited} />
          {isDirty ? (
            <p className="note">{linesOf(form).length > 0 ? messages.consequence : messages.unsaved}</p>
          ) : null}
          {asksPassword ? null : (
            <FormFoot
              isDirty={isDirty}
              busy={busy}
              name={messages.save}
              told={isSaved ? messages.saved : null}
              onDiscard={discard}
            />
          )}
          <LeaveGuard draft={name} dirty={isDirty} {...messages.leaving} />
        </form>
        {asksPassword ? (
          <Suspense>
            <LateOwnerPassword
              error={passwordFault(error)}
              busy={busy}
              onConfirm={(current_password) => save({ current_password })}
              onDiscard={discard}
            />
          </Suspense>
        ) : null}
      </div>
    </Panel>
  );
}

interface HereProps {
  /** null: not known. */
  readonly address: string | null;
  readonly edited: EditedForm<NetworksForm, Proof>;
}

/** Shows where the member is, as the server sees it, and adds that: an IPv6 address by its /64, which stays. */
function Here({ address, edited: { form, change } }: HereProps) {
  if (address === null) return <p className="note">{messages.hereUnknown}</p>;
  const [network = address] = readNetworks([networkOf(address)]).networks;
  const lines = linesOf(form).map(({ text }) => text);
  const isThere = readNetworks(lines).networks.includes(network);
  const shown = networkOf(address);
  return (
    <div className="row">
      <span>{messages.here(address)}</span>
      {isThere ? null : (
        <Button
          aria-label={messages.addOf(shown)}
          onClick={() => change({ login_networks: [...lines, shown].join('\n') })}
        >
          {messages.add}
        </Button>
      )}
    </div>
  );
}

/** The current password, where the log-in is too old for the change. */
interface Proof {
  readonly current_password?: string;
}

function useNetworksForm({ login_networks = [] }: AccountRule) {
  const client = useQueryClient();
  const [isPasswordAsked, setIsPasswordAsked] = useState(false);
  const edited: EditedForm<NetworksForm, Proof> = useDraftForm({
    name: 'login_networks',
    stored: { version: null, form: { login_networks: login_networks.join('\n') } },
    check: faultsIn,
    send: async (form: NetworksForm, proof: Proof) => {
      const update_info = { login_networks: linesOf(form).map(({ text }) => text) };
      const result = await call('updateAccountRule', { body: { update_info, ...proof } });
      if (!result.ok && result.code === 'password_needed') setIsPasswordAsked(true);
      const answer = unwrap(result);
      client.setQueryData(accountRule.queryKey, (before) => before && { ...before, ...update_info });
      return answer;
    },
    onSaved: () => {
      setIsPasswordAsked(false);
      return client.invalidateQueries({ queryKey: accountRule.queryKey });
    },
    isConflict: () => false,
    fieldOf: (path) => (path === 'current_password' ? path : 'login_networks'),
    showsItself: (error, isPlaced) => isPlaced || isOwnerUnproved(error),
  });
  return { ...edited, isPasswordAsked };
}
