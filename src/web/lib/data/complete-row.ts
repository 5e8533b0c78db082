/** A row of a list call with all its columns. */
export type CompleteRow<Row> = { [Name in keyof Row]-?: Exclude<Row[Name], undefined> };
