import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#database/connect.ts';
import { openWorkerRegistry } from '#jobs/worker-registry.ts';
import { testDatabase } from '#test/support/database.ts';

test('the jobs of a killed worker are free at once; those of a living one stay its own', async () => {
  const { address, close } = await testDatabase();
  const database = openDatabase(address);
  onTestFinished(async () => {
    await database.close();
    await close();
  });
  const lockedBy = async (): Promise<(string | null)[]> => {
    const { rows } = await sql<{ locked_by: string | null }>`select locked_by from jobs._private_jobs order by id`.execute(
      database.db,
    );
    return rows.map(({ locked_by }) => locked_by);
  };
  await sql`select jobs.add_job('x'), jobs.add_job('x')`.execute(database.db);
  const attempts = async () =>
    (
      await sql<{ left: number; waits: boolean }>`select max_attempts - attempts as left, run_at > now() as waits
      from jobs._private_jobs where locked_by is null`.execute(database.db)
    ).rows;

  // A worker in another process, which will be killed, and one in this.
  const script = `
    import { openDatabase } from '#database/connect.ts';
    import { openWorkerRegistry } from '#jobs/worker-registry.ts';
    const registry = await openWorkerRegistry(openDatabase(${JSON.stringify(address)}));
    registry.register('worker-dead');
    setInterval(() => undefined, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void other.kill('SIGKILL'));
  const entered = (worker: string) => async (): Promise<number> => {
    const { rows } = await sql`select from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and locktype = 'advisory' and objid::bigint = hashtext(${worker})::oid::bigint`.execute(
      database.db,
    );
    return rows.length;
  };
  await expect.poll(entered('worker-dead')).toBe(1);
  const living = await openWorkerRegistry(database);
  living.register('worker-alive');
  await expect.poll(entered('worker-alive')).toBe(1);
  await sql`update jobs._private_jobs set locked_at = now(),
    locked_by = case id % 2 when 0 then 'worker-alive' else 'worker-dead' end, attempts = max_attempts`.execute(database.db);

  const afterLooking = async () => {
    const registry = await openWorkerRegistry(database);
    await registry.close();
    return (await lockedBy()).sort();
  };
  expect(await afterLooking()).toEqual(['worker-alive', 'worker-dead']);
  other.kill('SIGKILL');
  await once(other, 'exit');
  await expect.poll(afterLooking).toEqual([null, 'worker-alive'].sort());
  // It was its last attempt; as its process was killed, there is one more.
  expect(await attempts()).toEqual([{ left: 1, waits: true }]);
  await living.close();
});
