// Texts that cost the code of others far more than their length: Markdown, workflow files, manifests. Somebody else is answered
// meanwhile.
import { expect, test, vi } from 'vitest';
import type { RepositoryRow } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { inGoodTime } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const ada = await w.user('ada');
const engine = await w.repo(ada, { name: 'engine', visibility: 'public' });
const [client, nobody] = [await w.as(ada), await w.as(undefined)];
const base = '/repos/ada/engine';
const headers = { accept: 'application/vnd.service.full+json' };

const tableOf = (characters: number): string => `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(Math.floor((characters - 20) / 6))}`;
const repeated = (levels: number): string[] => [
  '  a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
  ...Array.from({ length: levels }, (_, at) => `  a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(', ')}]`),
];
const nested = Array.from({ length: 14 }).reduce<string>((inner) => `format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}', ${inner})`, "'x'");
const job = 'jobs:\n  a:\n    runs-on: x\n    steps: [{run: x}]\n';

/** Does something costly. Whoever asks for a repository meanwhile is answered within a second, again and again. */
async function attacking<T>(work: () => Promise<T>): Promise<T> {
  let isDone = false;
  const attack = work().finally(() => {
    isDone = true;
  });
  const asking = (async () => {
    while (!isDone) await inGoodTime(1_000, async () => expect((await nobody.get(base)).status).toBe(200));
  })();
  const [result] = await Promise.all([attack, asking]);
  return result;
}

test('a page of long tables is answered to somebody who is not signed in', async () => {
  const table = tableOf(65_000);
  const { body: issue } = await client.post(`${base}/issues`, { title: 'Tables', body: table });
  for (let at = 0; at < 10; at++) await client.post(`${base}/issues/${issue.number}/comments`, { body: `${table}\n${at}` });
  const { status, body } = await attacking(() => nobody.get(`${base}/issues/${issue.number}/comments`, { headers }));
  expect(status).toBe(200);
  expect(body).toHaveLength(10);
  for (const { body_html } of body) expect(/^<(?:table|pre)>/.test(body_html)).toBe(true);
});

test('previews of long tables are answered, each for itself', async () => {
  const text = tableOf(400_000);
  const all = await attacking(() => Promise.all(Array.from({ length: 3 }, () => nobody.post('/markdown', { text }))));
  for (const { status, text: html } of all) {
    expect(status).toBe(200);
    // How much a machine renders in the time differs.
    expect(/^<(?:pre>\|a\|b\||table>)/.test(html)).toBe(true);
  }
});

test('what a long text refers to is read outside of the transaction that writes it', async () => {
  const { status, body } = await attacking(() =>
    client.post(`${base}/issues`, { title: 'Many lines', body: `@ada\n\n${'- a\n'.repeat(16_000)}` }),
  );
  expect(status).toBe(201);
  const rows = await w.db
    .selectFrom('text_references')
    .innerJoin('issues', 'issues.id', 'text_references.issue_id')
    .select('account_id')
    .where('number', '=', body.number)
    .execute();
  expect(rows).toEqual([{ account_id: ada.id }]);
});

test.each([
  ['aliases of aliases', `on: push\nenv:\n${repeated(10).join('\n')}\n${job}`, 'parts, including parts that aliases repeat'],
  ['nested formats in the name of the run', `on: push\nrun-name: \${{ ${nested} }}\n${job}`, 'values that are too large'],
  [
    'nested formats in a condition',
    `on: push\njobs:\n  a:\n    if: \${{ ${nested} }}\n    runs-on: x\n    steps: [{run: x}]\n`,
    'values that are too large',
  ],
])('a workflow file with %s makes a failed run that says so', async (_, content, message) => {
  await attacking(async () => {
    await commitFiles(w, engine, { '.service/workflows/bomb.yml': content });
    await w.settle();
  });
  const { body } = await client.get(`${base}/actions/runs?per_page=1`);
  const [run] = body.workflow_runs;
  expect(run).toMatchObject({ status: 'completed' });
  expect(['startup_failure', 'failure']).toContain(run.conclusion);
  const { problems } = await w.db
    .selectFrom('workflow_runs')
    .select('problems')
    .where('id', '=', run.id)
    .executeTakeFirstOrThrow();
  const jobs = await w.db.selectFrom('workflow_jobs').select('problem').where('run_id', '=', run.id).execute();
  expect(JSON.stringify([problems, jobs])).toContain(message);
});

test('a manifest that takes long is left out, with a note', async () => {
  const nesting = '['.repeat(100_000);
  await attacking(async () => {
    await commitFiles(w, engine, { 'Cargo.lock': `a = ${nesting}`, 'pom.xml': `<project>${'<a>'.repeat(200_000)}` });
    await w.settle();
  });
  expect((await client.get(base)).status).toBe(200);
});

test('a push of many costly workflow files does not hold up the runs of others', async () => {
  const heavy = await w.repo(await w.user('grace'), { name: 'heavy' });
  const light = await repositoryInLaneOf(heavy);
  const costly = `on: push\nenv:\n  x: [${'a, '.repeat(90_000)}b]\n${job}`;
  const files = Array.from({ length: 10 }, (_, at) => [`.service/workflows/${at}.yml`, `${costly}# ${at}\n`]);
  await commitFiles(w, heavy, Object.fromEntries(files));
  await commitFiles(w, light, { '.service/workflows/ci.yml': `on: push\n${job}` });
  const settled = w.settle();
  await vi.waitUntil(async () => (await runsOf(light)) > 0, { timeout: 60_000 });
  expect(await runsOf(heavy)).toBeLessThan(10);
  await settled;
  expect(await runsOf(heavy)).toBe(10);
});

/** A repository whose events come in the lane of another one's: there are two lanes, by the parity of ids. */
async function repositoryInLaneOf({ id }: RepositoryRow): Promise<RepositoryRow> {
  for (;;) {
    const made = await w.repo(ada);
    if ((made.id - id) % 2 === 0) return made;
  }
}

const runsOf = async ({ id }: RepositoryRow): Promise<number> =>
  (await w.db.selectFrom('workflow_runs').select('id').where('repository_id', '=', id).execute()).length;
