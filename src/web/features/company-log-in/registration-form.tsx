import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { GOOGLE_ISSUER, microsoftTenant, type Provider } from '#domain/account/company-identity.ts';
import { Button } from '#web/components/button.tsx';
import { PasswordField } from '#web/components/field/password-field.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { type ApiFailure, call, type InputOf } from '#web/lib/api/call.ts';
import { COMPANY_LOG_IN } from '#web/lib/api/query-keys.ts';
import { useForm } from '#web/lib/form/use-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import type { CompanyLogIn } from './registration-query.ts';
import { REGISTRATION_MESSAGES as messages } from './words.ts';

type Info = InputOf<'updateOidc'>['body']['update_info'];
type Values = Readonly<
  Record<'provider' | 'tenant' | 'issuer' | 'client_id' | 'client_secret' | 'domains' | 'password', string>
>;

const CHOICES = Object.entries(messages.providers).map(([value, label]) => ({ value, label }));

const valuesOf = ({ registration }: CompanyLogIn): Values => ({
  provider: registration?.provider ?? 'google',
  tenant: microsoftTenant(registration?.issuer ?? '') ?? '',
  issuer: registration?.provider === 'other' ? registration.issuer : '',
  client_id: registration?.client_id ?? '',
  client_secret: '',
  domains: messages.joined(registration?.domains ?? []),
  password: '',
});

const issuerOf = ({ provider, tenant, issuer }: Values): string => {
  if (provider === 'google') return GOOGLE_ISSUER;
  return provider === 'microsoft'
    ? `https://login.microsoftonline.com/${tenant.trim().toLowerCase()}/v2.0`
    : issuer.trim();
};

const domainsOf = ({ domains }: Values): string[] =>
  domains.split(/[\s,\u3001\uff0c]+/).filter((domain) => domain !== '');

/** Shows a fault at the field that has its value. */
function atField(failure: ApiFailure, { provider }: Values): ApiFailure {
  const issuer = provider === 'microsoft' ? 'tenant' : provider === 'other' ? 'issuer' : 'client_id';
  const names: Readonly<Record<string, string>> = { issuer, current_password: 'password' };
  const details = (failure.details ?? []).map(({ path, message }) => {
    const [name = ''] = path.replace('update_info.', '').split('.');
    return { path: names[name] ?? name, message };
  });
  return { ...failure, details };
}

/** Checks and saves what is typed. */
function useRegistration(current: CompanyLogIn) {
  const { registration, version } = current;
  const client = useQueryClient();
  const [asksPassword, setAsksPassword] = useState(false);
  /** The next submit switches the log-in off. */
  const turnsOff = useRef(false);
  const parts = useForm({
    empty: valuesOf(current),
    check: (given) => {
      const needed = {
        ...(given.provider === 'microsoft' && { tenant: messages.tenant }),
        ...(given.provider === 'other' && { issuer: messages.issuer }),
        client_id: messages.clientId,
        ...(registration === null && { client_secret: messages.clientSecret }),
        domains: messages.domains,
        ...(asksPassword && { password: messages.password }),
      };
      const missing = Object.entries(needed).filter(([name]) => given[name as keyof Values].trim() === '');
      return Object.fromEntries(missing.map(([name, label]) => [name, messages.missing(label)]));
    },
    send: async (typed) => {
      const active = turnsOff.current ? 0 : 1;
      turnsOff.current = false;
      // What was typed besides is not stored by that.
      const given = active === 1 ? typed : { ...valuesOf(current), password: typed.password };
      const secret = given.client_secret.trim();
      const update_info: Info = {
        provider: given.provider as Provider,
        issuer: issuerOf(given),
        client_id: given.client_id.trim(),
        ...(secret !== '' && { client_secret: secret }),
        domains: domainsOf(given),
        active,
      };
      const proof = given.password === '' ? {} : { current_password: given.password };
      const answer = await call('updateOidc', { body: { version, update_info, ...proof } });
      if (answer.ok) {
        toast('success', active === 1 ? messages.savedOn : messages.savedOff);
        await client.invalidateQueries({ queryKey: [COMPANY_LOG_IN] });
        return null;
      }
      if (answer.code !== 'password_needed') return atField(answer, given);
      setAsksPassword(true);
      return null;
    },
  });
  const stored = valuesOf(current);
  const isDirty = Object.entries(parts.values).some(([name, value]) => value !== stored[name as keyof Values]);
  const turnOff = (form: HTMLFormElement | null) => {
    turnsOff.current = true;
    form?.requestSubmit();
  };
  return { ...parts, asksPassword, isDirty, turnOff };
}

/** Edits the registration. @param current what is stored; the form begins anew with its version (key) */
export function RegistrationForm({ current }: { readonly current: CompanyLogIn }) {
  const { registration } = current;
  const { values, field, form, busy, asksPassword, isDirty, turnOff } = useRegistration(current);
  const isOn = registration?.active === 1;
  return (
    <form {...form} className="stack" noValidate>
      <SelectField {...field('provider')} label={messages.provider} choices={CHOICES} />
      {values.provider === 'microsoft' ? (
        <TextField
          {...field('tenant')}
          label={messages.required(messages.tenant)}
          autoComplete="off"
          spellCheck={false}
        />
      ) : null}
      {values.provider === 'other' ? (
        <TextField
          {...field('issuer')}
          label={messages.required(messages.issuer)}
          help={messages.issuerHelp}
          type="url"
          autoComplete="off"
          spellCheck={false}
        />
      ) : null}
      <TextField
        {...field('client_id')}
        label={messages.required(messages.clientId)}
        autoComplete="off"
        spellCheck={false}
      />
      <PasswordField
        {...field('client_secret')}
        label={registration === null ? messages.required(messages.clientSecret) : messages.clientSecret}
        {...(registration !== null && { help: messages.secretHelp })}
        autoComplete="new-password"
      />
      <TextField
        {...field('domains')}
        label={messages.required(messages.domains)}
        help={messages.domainsHelp}
        autoComplete="off"
        spellCheck={false}
      />
      {asksPassword ? (
        <PasswordField
          {...field('password')}
          label={messages.password}
          help={messages.passwordHelp}
          autoComplete="current-password"
          autoFocus
        />
      ) : null}
      {isDirty ? <p className="note">{messages.unsaved}</p> : null}
      <div className="acts end">
        {isOn ? (
          <Button busy={busy} onClick={({ currentTarget }) => turnOff(currentTarget.form)}>
            {messages.turnOff}
          </Button>
        ) : null}
        <Button type="submit" variant={isDirty ? 'primary' : 'default'} busy={busy}>
          {isOn ? messages.save : messages.turnOn}
        </Button>
      </div>
    </form>
  );
}
