// Jobs that end their process: each is found, set aside, and tried again on request; others aren't blamed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '#database/connect.ts';
import { interruptedFlag, openJobGate } from '#jobs/interrupted-jobs.ts';
import { openWorkerRegistry } from '#jobs/worker-registry.ts';
import { testDatabase } from '#test/support/database.ts';

async function open(): Promise<{ database: Database; address: object }> {
  const { address, close } = await testDatabase();
  const database = openDatabase(address);
  onTestFinished(async () => {
    await database.close();
    await close();
  });
  return { database, address };
}

type Row = { task: string; left: number; error: string | null; interrupted: boolean; ends: number | null };

const rowsOf = async ({ db }: Database): Promise<Row[]> => {
  const { rows } = await sql<Row>`select t.identifier as task, max_attempts - attempts as left, last_error as error,
      coalesce(flags ? ${interruptedFlag}, false) as interrupted, i.ends
    from jobs._private_jobs j join jobs._private_tasks t on t.id = j.task_id left join interrupted_jobs i on i.job_id = j.id
    order by t.identifier`.execute(db);
  return rows;
};

/** A server whose job `poison` ends the process; `innocent` runs beside it. It runs until it ends by itself. */
async function runServer(address: object): Promise<void> {
  const script = `
    import pino from 'pino';
    import { openDatabase } from '#database/connect.ts';
    import { startWorker } from '#jobs/worker.ts';
    const database = openDatabase(${JSON.stringify(address)});
    const held = new Set();
    const begun = (name) => { held.add(name); };
    const jobs = [
      { name: 'poison', attempts: 25, async run() {
        begun('poison');
        // In the first process both run together.
        for (let at = 0; at < 40 && !held.has('innocent'); at++) await new Promise((resolve) => setTimeout(resolve, 50));
        process.kill(process.pid, 'SIGKILL');
      } },
      { name: 'innocent', attempts: 25, async run() {
        begun('innocent');
        for (let at = 0; at < 40 && held.has('poison'); at++) await new Promise((resolve) => setTimeout(resolve, 50));
      } },
    ];
    await startWorker({ database, jobs, services: {}, contextOf: (given) => given,
      log: pino({ level: 'silent' }), clock: () => new Date() });
    setInterval(async () => {
      const { rows } = await database.pool.query("select from jobs._private_jobs where attempts < max_attempts");
      if (rows.length === 0) process.exit(0);
    }, 100);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'exit');
}

test('a job that ends its process is set aside, after it did so twice alone; the one beside it is done', async () => {
  const { database, address } = await open();
  await sql`select jobs.add_job('poison', max_attempts => 25), jobs.add_job('innocent', max_attempts => 25)`.execute(database.db);

  for (let ends = 1; ends <= 4; ends++) {
    await sql`update jobs._private_jobs set run_at = now() where attempts < max_attempts`.execute(database.db);
    await runServer(address);
  }
  // Whoever starts next sees what the last one left.
  const registry = await openWorkerRegistry(database);
  await registry.close();

  expect(await rowsOf(database)).toEqual([
    { task: 'poison', left: 0, error: 'Set aside: the process ended twice while this job ran alone', interrupted: true, ends: 2 },
  ]);
});

test('jobs of a process that stops in good order are not blamed', async () => {
  const { database } = await open();
  await sql`select jobs.add_job('long')`.execute(database.db);
  const { rows } = await sql<{ id: string }>`select id::text from jobs._private_jobs`.execute(database.db);
  const [{ id } = { id: '' }] = rows;
  const gate = openJobGate(database.pool);
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const running = gate.run({ id, isInterrupted: true }, () => {
    begin();
    return mayEnd;
  });
  await begun;
  await gate.stop();

  expect((await sql<{ is_alone: boolean }>`select is_alone from interrupted_jobs`.execute(database.db)).rows).toEqual([
    { is_alone: false },
  ]);
  end();
  await running;
  expect((await sql`select from interrupted_jobs`.execute(database.db)).rows).toEqual([]);
});

test('an interrupted job runs while no other does', async () => {
  const { database } = await open();
  const gate = openJobGate(database.pool);
  let running = 0;
  const seen: string[] = [];
  const job = (id: string, isInterrupted: boolean) =>
    gate.run({ id, isInterrupted }, async () => {
      running++;
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(isInterrupted ? `${id} beside ${running - 1}` : id);
      running--;
    });
  await Promise.all([job('1', false), job('2', true), job('3', false), job('4', true), job('5', false)]);
  expect(seen.toSorted()).toEqual(['1', '2 beside 0', '3', '4 beside 0', '5']);
});

test('an interrupted job that fails in the ordinary way runs beside others again', async () => {
  const { database } = await open();
  await sql`select jobs.add_job('failing', flags => array['other'])`.execute(database.db);
  await sql`update jobs._private_jobs set flags = flags || jsonb_build_object(${sql.lit(interruptedFlag)}, true)`.execute(
    database.db,
  );
  const { rows } = await sql<{ id: string }>`select id::text from jobs._private_jobs`.execute(database.db);
  const gate = openJobGate(database.pool);
  const run = gate.run({ id: rows[0]?.id ?? '', isInterrupted: true }, () => Promise.reject(new Error('It fails')));
  await expect(run).rejects.toThrow('It fails');
  expect(await rowsOf(database)).toMatchObject([{ task: 'failing', interrupted: false, ends: null }]);
  expect((await sql<{ flags: object }>`select flags from jobs._private_jobs`.execute(database.db)).rows).toEqual([
    { flags: { other: true } },
  ]);
});

test('a worker that loses its connection has not ended its process: its jobs are given back without blame', async () => {
  const { database } = await open();
  await sql`select jobs.add_job('own'), jobs.add_job('foreign')`.execute(database.db);
  await sql`update jobs._private_jobs j set locked_at = now(), locked_by = t.identifier || ' worker'
    from jobs._private_tasks t where t.id = j.task_id`.execute(database.db);
  const registry = await openWorkerRegistry(database);
  expect(await rowsOf(database)).toMatchObject([
    { task: 'foreign', interrupted: true },
    { task: 'own', interrupted: true },
  ]);
  await sql`update jobs._private_jobs j set flags = null, locked_at = now(), locked_by = t.identifier || ' worker'
    from jobs._private_tasks t where t.id = j.task_id`.execute(database.db);
  await sql`delete from interrupted_jobs`.execute(database.db);
  registry.register('own worker');
  registry.deregister('own worker');
  await registry.close();
  expect(await rowsOf(database)).toMatchObject([
    { task: 'foreign', interrupted: true },
    { task: 'own', interrupted: false },
  ]);
  const { rows } = await sql`select from jobs._private_jobs where locked_by is not null`.execute(database.db);
  expect(rows).toEqual([]);
});
