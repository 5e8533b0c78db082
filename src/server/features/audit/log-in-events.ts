/** Audit events of log-ins, sessions and the second step. */
export interface LogInEvents {
  /** The first log-in of an hour by `way` and `second` from `network`, the requester's /24 or /48 (wideNetworkOf). */
  readonly logged_in: {
    readonly network: string;
    readonly way: 'password' | 'oidc';
    readonly second?: 'code' | 'recovery' | 'device' | undefined;
  };
  /**
   * `refusals`: those of this address within the hour, this one included. Written at the 1st, 10th, 100th …
   * `reason` is that of this try.
   */
  readonly log_in_refused: { readonly network: string; readonly reason: LogInRefusal; readonly refusals: number };

  readonly two_factor_on: object;
  readonly two_factor_off: object;
  /** `left`: how many unused ones are left. */
  readonly recovery_code_used: { readonly left: number };
  readonly recovery_codes_made: object;
  /** The member ended own sessions: one of them, or all others. */
  readonly session_ended: { readonly sessions: number };
}

/** Why a log-in was refused: a wrong password, network or code, a wait after wrong ones, or passwords are off. */
export type LogInRefusal = 'password' | 'network' | 'code' | 'wait' | 'company';
