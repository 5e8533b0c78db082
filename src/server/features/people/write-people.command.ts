import type { ChangeKind } from '#contract/companies/companies.ts';
import type { Tx } from '../../platform/database/db.ts';

/** An entry about a person of a company. */
export interface PersonWrite {
  readonly prospectId: number;
  /** The person whose values these are. Without it, the same person is found (isSamePerson), or one is added. */
  readonly id?: number;
  readonly name?: string;
  readonly department?: string;
  readonly title?: string;
  readonly phone?: string | null;
  /** YYYY-MM-DD */
  readonly metOn?: string | null;
  readonly email?: string | null;
  readonly archived?: boolean;
  readonly isPrimary?: boolean;
}

/** Whose change it is. */
export interface PeopleScope {
  readonly accountId: number;
  /** null: the operator. */
  readonly memberId: number | null;
  readonly importRunId?: number;
  readonly kind: ChangeKind;
}

export interface WrittenPerson {
  readonly prospectId: number;
  /** null: `too_many`. */
  readonly id: number | null;
  readonly result: 'added' | 'updated' | 'unchanged' | 'too_many';
}

/** The one writer of people and of each company's 主担当 (decisions/people). @returns a result for each entry */
export declare function writePeople(
  tx: Tx,
  scope: PeopleScope,
  writes: readonly PersonWrite[],
): Promise<readonly WrittenPerson[]>;

/** Makes the first person with an address, else the first, the 主担当 of each of these companies without one. */
export declare function setPrimaries(tx: Tx, scope: PeopleScope, prospectIds: readonly number[]): Promise<void>;
