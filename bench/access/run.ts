/**
 * The cost of the access decision in a simple GET: `authorize` itself, and the statement's columns for the role and the reach of
 * the credential. It measures the processor time of this process and of PostgreSQL. docs/performance.md has the figures.
 *
 *     npx node bench/access/run.ts [requests]
 */
import { sql } from 'kysely';
import { authenticate } from '#access/authenticate.ts';
import { authorize } from '#access/authorize.ts';
import { findRepo } from '#access/lookup.ts';
import { readsMetadata } from '#access/policies.ts';
import { reachedBy, roleLevelOf } from '#access/sql.ts';
import { printTable } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';
import { processorTimeOf } from '../support/processes.ts';

const requests = Number(process.argv[2] ?? 2_000);
const rounds = 5;
const decisions = 500;

await using stage = await openStage();
const { db, hearth, token } = stage;
const { id } = await stage.addRepository('engine');
await db.updateTable('repositories').set({ visibility: 'private' }).where('id', '=', id).execute();

/** The processor time of one call, averaged over many, in microseconds. */
async function microsecondsOf(calls: number, call: () => unknown): Promise<number> {
  const before = await processorTimeOf(process.pid);
  for (let at = 0; at < calls; at++) await call();
  return ((await processorTimeOf(process.pid)) - before) * (1_000 / calls);
}

const get = async (): Promise<void> => {
  const { statusCode } = await hearth.app.inject({
    url: '/api/v3/repos/bench/engine',
    headers: { authorization: `Bearer ${token}` },
  });
  if (statusCode !== 200) throw new Error(`The repository is answered by ${statusCode}`);
};
const viewer = await authenticate(`Bearer ${token}`, { db, now: new Date() });
const repo = await findRepo(db, viewer, 'bench', 'engine');
if (!repo) throw new Error('The repository is there');
const decide = (): void => {
  for (let at = 0; at < decisions; at++)
    if (!authorize(readsMetadata, viewer, { repo }, { write: false }).allowed) throw new Error('The owner may read');
};
const plain = () => sql`select r.id from repositories r where r.id = ${id}`.execute(db);
const withAccess = () =>
  sql`select r.id, ${roleLevelOf(viewer.account?.id)} as level, ${reachedBy(viewer.grant)} as reached
    from repositories r where r.id = ${id}`.execute(db);

const measured: number[][] = [];
for (const call of [get, plain, withAccess]) await microsecondsOf(requests, call);
for (let round = 0; round < rounds; round++) {
  const request = await microsecondsOf(requests, get);
  const statement = (await microsecondsOf(requests, withAccess)) - (await microsecondsOf(requests, plain));
  const decision = (await microsecondsOf(requests, decide)) / decisions;
  measured.push([request, statement, decision, (100 * (statement + decision)) / request]);
}
printTable(
  ['a GET, µs', 'role and reach in SQL, µs', 'authorize, µs', 'both, %'],
  measured.map((row) => row.map((one) => one.toFixed(2))),
);
