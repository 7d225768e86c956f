// The SQL statements of the work that follows ten everyday changes. `begin`, `commit` and the looks for work that is due aren't
// counted; bench/events/statements.ts counts them all, with those of the requests.
import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

/** The looks for work that is due: their number depends on time. */
const looks =
  /from undispatched_events\) as waits|^ ?with recursive walk|from unnest\(\$1::text\[\]\) as s\(name\)|jobs\._private|"jobs"\./;

const isWork = (statement: string): boolean => !looks.test(statement.replace(/\s+/g, ' '));

/** The statements of the work that follows a change. */
async function following(change: () => Promise<unknown>): Promise<number> {
  await w.settle();
  await change();
  const { statements } = await countStatements(() => w.settle());
  return statements.filter(isWork).length;
}

const inOrganization = () => pullSetting(w, { ownedBy: 'organization', visibility: 'private' });

test('pushes', async () => {
  const at = await inOrganization();
  const pushed = async (count: number, branch = 'main') => {
    let tip: string | undefined;
    for (let nth = 0; nth < count; nth++) tip = await at.unpushed(branch, { [`${branch}.txt`]: `${count} ${nth}` }, tip);
    return following(() => at.pushCommit(branch, tip ?? ''));
  };
  await at.commit('main', { 'main.txt': 'x' });
  await at.commit('topic', { 'topic.txt': 'x' });
  await pushed(1);
  const counts = { one: await pushed(1), hundred: await pushed(100), topic: await pushed(1, 'topic') };
  await at.tested(await at.open('topic'));
  expect({ ...counts, withPull: await pushed(1, 'topic') }).toEqual({ one: 36, hundred: 39, topic: 18, withPull: 63 });
});

test('a merge', async () => {
  const at = await inOrganization();
  await at.commit('topic', { 'topic.txt': 'x' });
  const number = await at.open('topic');
  await at.tested(number);
  expect(await following(() => at.client.put(`${at.base}/pulls/${number}/merge`, {}))).toBe(56);
});

test('issues, comments, releases, statuses and stars', async () => {
  const { client, base, first } = await inOrganization();
  expect({
    issue: await following(() => client.post(`${base}/issues`, { title: 'The pump leaks' })),
    comment: await following(() => client.post(`${base}/issues/1/comments`, { body: 'It does' })),
    release: await following(() => client.post(`${base}/releases`, { tag_name: 'v1' })),
    status: await following(() => client.post(`${base}/statuses/${first}`, { state: 'success' })),
    star: await following(() => client.put(`/user/starred${base.slice('/repos'.length)}`)),
  }).toEqual({ issue: 16, comment: 17, release: 22, status: 8, star: 8 });
});

test("a job's start and end", async () => {
  const { repo } = await inOrganization();
  await pushWorkflow(w, repo);
  const runner = await startRunner(w, repo);
  let task: Awaited<ReturnType<typeof runner.fetch>>;
  const start = await following(async () => {
    task = await runner.fetch();
  });
  const end = await following(async () => task && runner.end(task, 'success'));
  expect({ start, end }).toEqual({ start: 8, end: 17 });
});
