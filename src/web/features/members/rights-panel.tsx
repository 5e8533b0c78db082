import type { ReactNode } from 'react';
import { CALLS } from '#contract/calls.ts';
import { hasRole, neededRole, type Role } from '#domain/account/role.ts';
import { ROLE_NAMES } from '#domain/account/role-names.ts';
import { Panel } from '#web/components/panel.tsx';
import type { CallName } from '#web/lib/api/call.ts';
import styles from './members.module.css';
import { MEMBER_MESSAGES } from './words.ts';

const { rights: messages } = MEMBER_MESSAGES;
const SHOWN: readonly Role[] = ['admin', 'sales', 'viewer'];
const ACTS = Object.entries(messages.acts) as [keyof typeof messages.acts, string][];

/** The role that a call needs, as the server asks for it. */
function roleOf(name: CallName): Role {
  const [method, , needs]: readonly ['GET' | 'POST' | 'PUT', string, Role?, ...unknown[]] = CALLS[name];
  return neededRole(method, needs);
}

interface Props {
  /** The account's rule for exports. */
  readonly exportsNeedAdmin: boolean;
  /** Changes that rule. */
  readonly children: ReactNode;
}

/** Shows what each role may do. */
export function RightsPanel({ exportsNeedAdmin, children }: Props) {
  const roleFor = (name: CallName): Role => (name === 'startExport' && exportsNeedAdmin ? 'admin' : roleOf(name));
  return (
    <Panel title={messages.title}>
      {children}
      <details>
        <summary>{messages.summary}</summary>
        <div className={styles.rights}>
          <table>
            <thead>
              <tr>
                <th scope="col">{messages.act}</th>
                {SHOWN.map((role) => (
                  <th key={role} scope="col">
                    {ROLE_NAMES[role]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {ACTS.map(([name, act]) => (
                <tr key={name}>
                  <th scope="row">{act}</th>
                  {SHOWN.map((role) => (
                    <td key={role}>{hasRole(role, roleFor(name)) ? messages.may : messages.mayNot}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </Panel>
  );
}
