/** A row stored as JSON, which has times as text. */
export type Snapshot<Row> = {
  [K in keyof Row]: Row[K] extends Date ? string : Row[K] extends Date | null ? string | null : Row[K];
};

/** A copy of a row that is about to be deleted. It is stored in the event, since webhooks describe the row later. */
// JSON turns a row's dates into text and changes nothing else
export const snapshotOf = <Row extends object>(row: Row): Snapshot<Row> => JSON.parse(JSON.stringify(row)) as Snapshot<Row>;

/** The row that a snapshot was made from. `times` names the columns that hold times. */
export function revived<Row extends object>(snapshot: Snapshot<Row>, times: readonly (keyof Row & string)[]): Row {
  const dates = new Set<string>(times);
  return Object.fromEntries(
    Object.entries(snapshot).map(([name, value]) => [
      name,
      dates.has(name) && typeof value === 'string' ? new Date(value) : value,
    ]),
  ) as Row; // only the types of the given columns differ
}
