/** A row of a list call that was asked for all its columns. */
export type CompleteRow<Row> = { [Name in keyof Row]-?: Exclude<Row[Name], undefined> };
