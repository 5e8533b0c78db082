/** A value of an own field; of a choice the option's text. */
export type OwnCell = string | number | boolean;

/** An entry about a person, as it is stored. */
export interface PersonCells {
  readonly name: string;
  readonly department: string;
  readonly title: string;
  readonly email: string | null;
  readonly phone: string | null;
  /** YYYY-MM-DD */
  readonly metOn: string | null;
  readonly isPrimary: boolean;
}

export interface RowExtra {
  readonly externalId: string | null;
  readonly person: PersonCells | null;
  /** In the order of the plan's columns. */
  readonly own: readonly (OwnCell | null)[];
  readonly tags: readonly string[];
  readonly ownerId: number | null;
}
