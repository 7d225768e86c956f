import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { enqueue } from '#jobs/job.ts';
import { world } from '#test/support/world.ts';

/** The values of a metric, by its labels. */
const valuesOf = (text: string, name: string) =>
  Object.fromEntries(
    [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))].map(([, labels = '', value]) => [
      labels,
      Number(value),
    ]),
  );

const failing = { name: 'failing', attempts: 1 };

test('jobs, deliveries, events, space, git, the store of files and the last backup are told', async () => {
  const here = await world();
  const scrape = async () => (await fetch(`${here.url}/metrics`)).text();
  const ada = await here.user();
  const repo = await here.repo(ada);
  await here.settle();
  await here.change((scope) => enqueue(scope.tx, failing, {}));
  await here.change((scope) => enqueue(scope.tx, { name: 'waiting', attempts: 3 }, {}));
  await here.change((scope) =>
    enqueue(scope.tx, { name: 'later', attempts: 3 }, {}, { runAt: new Date(Date.now() + 3_600_000) }),
  );
  await sql`update jobs._private_jobs set attempts = 1
    where task_id = (select id from jobs._private_tasks where identifier = 'failing')`.execute(here.db);
  await sql`update jobs._private_jobs set run_at = now() - interval '100 s'
    where task_id = (select id from jobs._private_tasks where identifier = 'waiting')`.execute(here.db);
  await here.repo(ada); // its event waits to be dispatched
  here.clock.now = new Date(here.clock.now.getTime() + 60_000);
  await sql`insert into event_deliveries (lane, owner_id, turn, event_id) select 'issues.index', owner_id, 1, id
    from events order by id desc limit 1`.execute(here.db);
  await sql`update installation set last_backup_at = now() - interval '1 hour'`.execute(here.db);
  for (const [state, minutes] of [
    ['queued', 0],
    ['done', 10],
    ['done', 70],
    ['failed', 10],
    ['cancelled', 10],
  ] as const) {
    const at = new Date(here.clock.now.getTime() - minutes * 60_000);
    const times = state === 'queued' ? { due_at: at } : { completed_at: at };
    const named = { organization_id: ada.id, repository_id: repo.id, repository_name: repo.name, model: 'm' };
    await here.db
      .insertInto('assistant_reviews')
      .values({ ...named, ...times, state, created_at: at })
      .execute();
  }
  const client = await here.as(ada);
  await client.put(`/repos/${ada.login}/${repo.name}/contents/a.txt`, { message: 'A file', content: 'eA==' });
  await here.hearth.services.objects.put('test/one', (sink) => sink(Buffer.from('x')));
  await expect(here.hearth.services.objects.put('no key', () => Promise.resolve())).rejects.toThrow();

  const text = await scrape();
  expect(valuesOf(text, 'hearth_jobs')).toEqual({
    'state="due"': 1,
    'state="running"': 0,
    'state="scheduled"': 1,
    'state="failed"': 1,
  });
  expect(valuesOf(text, 'hearth_job_oldest_seconds')).toEqual({ 'task="waiting"': expect.closeTo(100, -2) });
  expect(valuesOf(text, 'hearth_webhook_deliveries')).toEqual({ 'state="waiting"': 0, 'state="failed"': 0 });
  expect(valuesOf(text, 'hearth_assistant_reviews')).toEqual({ 'state="queued"': 1, 'state="done"': 1, 'state="failed"': 1 });
  expect(valuesOf(text, 'hearth_events_waiting')).toMatchObject({
    'lane="dispatch"': expect.any(Number),
    'lane="issues.index"': 1,
  });
  expect(valuesOf(text, 'hearth_event_oldest_seconds')).toMatchObject({ 'lane="dispatch"': 60, 'lane="issues.index"': 60 });
  expect(valuesOf(text, 'hearth_storage_free_bytes')).toEqual({
    'volume="repositories"': expect.any(Number),
    'volume="objects"': expect.any(Number),
  });
  expect(valuesOf(text, 'hearth_git_processes')).toEqual({
    'state="running"': expect.any(Number),
    'state="waiting"': 0,
    'state="reader"': expect.any(Number),
  });
  const stored = valuesOf(text, 'hearth_objects_operation_seconds_count');
  expect(stored).toEqual({ 'operation="put",outcome="ok"': 1, 'operation="put",outcome="error"': 1 });
  const age = valuesOf(text, 'hearth_last_backup_age_seconds')['command="hearth backup"'] ?? 0;
  expect(Math.abs(age - 3_600)).toBeLessThan(600);
});

test('many scrapes cost one statement, and none fails while the database is away', async () => {
  const here = await world();
  const sent: string[] = [];
  const { pipeline } = here.hearth.database;
  if (!pipeline) throw new Error('Requests share no connections');
  const { query } = pipeline;
  onTestFinished(() => void Object.assign(pipeline, { query }));
  Object.assign(pipeline, {
    query: (text: string, values: readonly unknown[]) => {
      sent.push(text);
      return query.call(pipeline, text, values);
    },
  });
  for (let scrape = 0; scrape < 10; scrape++) expect((await fetch(`${here.url}/metrics`)).status).toBe(200);
  expect(sent.filter((text) => text.includes('waiting_events')).length).toBeLessThanOrEqual(1);
  expect(sent.length).toBeLessThanOrEqual(1);
});

test('free space of the database is told where PostgreSQL is embedded', async () => {
  const here = await world();
  const { app } = await here.another({ databaseFolder: tmpdir() });
  const text = (await app.inject('/metrics')).payload;
  expect(valuesOf(text, 'hearth_storage_free_bytes')).toMatchObject({ 'volume="database"': expect.any(Number) });
});
