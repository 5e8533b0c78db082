import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PasswordField } from '#web/components/field/password-field.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { Panel } from '#web/components/panel.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { type AnswerOf, type ApiFailure, call, type InputOf } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { OAUTH_APP } from '#web/lib/api/query-keys.ts';
import { reloadMailboxes } from '#web/lib/data/mailboxes.ts';
import { useForm } from '#web/lib/form/use-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import styles from '../mailboxes.module.css';
import { OAUTH_APP_MESSAGES as messages } from './words.ts';

type Provider = keyof typeof messages.providers;
type OAuthApp = AnswerOf<'getOAuthApp'>;

const CHOICES = Object.entries(messages.providers).map(([value, label]) => ({ value, label }));

/** Fetches an account's registration at a provider. For admins. */
const oauthApp = (provider: Provider) =>
  queryOptions({
    queryKey: [OAUTH_APP, provider],
    queryFn: async ({ signal }): Promise<OAuthApp> =>
      unwrap(await call('getOAuthApp', { params: { provider } }, { signal })),
    staleTime: 0,
  });

/** Registers Kaitaku at Google or Microsoft, so that members can connect their mailboxes there. For admins. */
export function OAuthApps() {
  const [provider, setProvider] = useState<Provider>('google');
  const { data, error, refetch } = useQuery(oauthApp(provider));
  const [isOpen, setOpen] = useState<boolean>();
  const isRefused = (data?.registration?.fault ?? null) !== null;
  return (
    <Panel title={messages.title} help={messages.help} isSplit>
      {/* Filled once a company: below the list it stands open only where the provider refuses it. */}
      <details open={isOpen ?? isRefused} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{messages.open}</summary>
        <div className={`stack ${styles.folded}`}>
          <SelectField
            label={messages.provider}
            choices={CHOICES}
            value={provider}
            onChange={(chosen) => setProvider(chosen as Provider)}
          />
          {data === undefined ? (
            <NotLoaded error={error} onRetry={() => void refetch()} />
          ) : (
            <OAuthAppForm key={`${provider} ${data.version}`} provider={provider} current={data} />
          )}
        </div>
      </details>
    </Panel>
  );
}

interface Props {
  readonly provider: Provider;
  /** What is stored; the form begins anew with its version (key). */
  readonly current: OAuthApp;
}

/** Shows a fault at its field. */
const atField = (failure: ApiFailure): ApiFailure => ({
  ...failure,
  details: (failure.details ?? []).map(({ path, message }) => ({ path: path.replace('update_info.', ''), message })),
});

/** Returns the labels of the fields that must be filled. */
const neededOf = (provider: Provider, { registration }: OAuthApp): Readonly<Record<string, string>> => ({
  ...(provider === 'microsoft' && { tenant: messages.tenant }),
  client_id: messages.clientId,
  ...(registration === null && { secret: messages.clientSecret }),
});

const valuesOf = ({ registration }: OAuthApp) => ({
  client_id: registration?.client_id ?? '',
  tenant: registration?.tenant ?? '',
  secret: '',
});

/** Returns the typed registration, and what saves it, or takes that of the log-in. */
function useOAuthApp({ provider, current }: Props) {
  const client = useQueryClient();
  const stored = valuesOf(current);

  /** Saves a registration. @returns null on success */
  async function save(update_info: InputOf<'updateOAuthApp'>['body']['update_info']): Promise<ApiFailure | null> {
    const { version } = current;
    const answer = await call('updateOAuthApp', { params: { provider }, body: { version, update_info } });
    if (!answer.ok) return atField(answer);
    toast('success', messages.saved);
    await Promise.all([client.invalidateQueries({ queryKey: [OAUTH_APP] }), reloadMailboxes(client)]);
    return null;
  }

  const parts = useForm({
    empty: stored,
    check: (typed) => {
      const needed = Object.entries(neededOf(provider, current));
      const missing = needed.filter(([name]) => typed[name as keyof typeof typed].trim() === '');
      return Object.fromEntries(missing.map(([name, label]) => [name, messages.missing(label)]));
    },
    send: ({ client_id, tenant, secret }) =>
      save({
        client_id: client_id.trim(),
        ...(provider === 'microsoft' && { tenant: tenant.trim() }),
        ...(secret.trim() !== '' && { secret: secret.trim() }),
      }),
  });
  const { client_id, tenant, secret } = parts.values;
  const isOther = client_id.trim() !== stored.client_id || tenant.trim() !== stored.tenant;
  async function takeLogIn(): Promise<void> {
    const failure = await save({ as_log_in: 1 });
    if (failure !== null) toast('warning', failure.message);
  }
  return { ...parts, isOther, isDirty: isOther || secret !== '', takeLogIn };
}

/** Whether the log-in has another registration at the provider. */
const hasOtherLogIn = ({ log_in, registration }: OAuthApp): boolean =>
  log_in !== null && (log_in.client_id !== registration?.client_id || log_in.tenant !== registration.tenant);

/** Edits the registration at a provider. */
function OAuthAppForm({ provider, current }: Props) {
  const { field, form, busy, isOther, isDirty, takeLogIn } = useOAuthApp({ provider, current });
  const { registration, redirect_uri, mailboxes } = current;
  const fault = registration?.fault ?? null;
  return (
    <form {...form} className="stack" noValidate>
      {fault === null ? null : <Notice tone="bad">{messages.faultHelp(fault)}</Notice>}
      <TextField
        label={messages.redirectUri}
        help={messages.redirectUriHelp}
        value={redirect_uri}
        readOnly
        onChange={() => undefined}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      {provider === 'microsoft' ? (
        <TextField
          {...field('tenant')}
          label={messages.required(messages.tenant)}
          help={messages.tenantHelp}
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
        {...field('secret')}
        label={registration === null ? messages.required(messages.clientSecret) : messages.clientSecret}
        {...(registration !== null && { help: messages.secretHelp })}
        autoComplete="new-password"
      />
      {mailboxes > 0 && isOther ? <Notice tone="warning">{messages.otherClientConsequence(mailboxes)}</Notice> : null}
      <div className="acts end">
        {hasOtherLogIn(current) ? (
          <Button busy={busy} onClick={() => void takeLogIn()}>
            {messages.sameAsLogIn}
          </Button>
        ) : null}
        <Button type="submit" variant={isDirty ? 'primary' : 'default'} busy={busy}>
          {messages.save}
        </Button>
      </div>
    </form>
  );
}
