import { expect, test } from 'vitest';
import { updateRefs } from '#git/refs/update-refs.ts';
import { removeRepository } from '#git/store.ts';
import { startWorker } from '#jobs/worker.ts';
import { findNewName } from '#resources/code/branch-names/index.ts';
import { moveRefs, pushHandlers, recoverUnfinished } from '#resources/code/pushes/index.ts';
import { world } from '#test/support/world.ts';
import { commits, crashed, diskOf, main, pushed, scopeOf, told, unfinished } from './support.ts';

const topic = 'refs/heads/topic';

test('a crash after Git had moved the ref still gives the event, once', async () => {
  const { here, ada, repo, first, second, intend, moveUnrecorded, settle, news } = await crashed();
  const command = { ref: main, from: first, to: second };
  await intend([command]);
  await moveUnrecorded(command);

  await Promise.all([settle(), settle(), settle()]);
  await settle();

  expect(await news()).toEqual([pushed(ada.id, command)]);
  expect(await unfinished(here, repo)).toEqual([]);
  const row = await here.db.selectFrom('repositories').select('pushed_at').where('id', '=', repo.id).executeTakeFirst();
  expect(row).toEqual({ pushed_at: here.clock.now });
});

test('a crash before Git had moved the ref gives none, and what it left goes after a day', async () => {
  const { here, repo, first, second, intend, settle, news } = await crashed();
  await intend([{ ref: main, from: first, to: second }]);
  await settle();
  expect(await news()).toEqual([]);
  expect(await unfinished(here, repo)).toHaveLength(1);

  here.clock.now = new Date(here.clock.now.getTime() + 25 * 3_600_000);
  await settle();
  expect(await news()).toEqual([]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('of a push that a crash cut in two, what is done is recorded and what isn’t stays', async () => {
  const { here, ada, repo, first, second, intend, moveUnrecorded, settle, news } = await crashed();
  const [done, undone] = [
    { ref: topic, from: null, to: second },
    { ref: main, from: first, to: second },
  ];
  await intend([done, undone]);
  await moveUnrecorded(done);
  await settle();
  expect(await news()).toEqual([{ kind: 'create', actor: ada.id, data: { ref: topic, oid: second } }, pushed(ada.id, done)]);
  expect(await unfinished(here, repo)).toEqual([{ actor_id: ada.id, commands: [undone] }]);
});

test('a push that is still running is left to itself, and records what a settling has not', async () => {
  const { here, ada, repo, first, second, moveUnrecorded, settle, news } = await crashed();
  const scope = scopeOf(here);
  const push = pushHandlers({ scopeNow: () => scope, repo, actor: ada.id, workflowFiles: { allowed: true } });
  const [one, two] = [
    { ref: topic, from: null, to: second },
    { ref: main, from: first, to: second },
  ];
  await push.before?.([one, two]);
  await settle();
  await moveUnrecorded(one);
  await settle();
  await moveUnrecorded(two);
  await push.after?.([
    { ...one, ok: true },
    { ...two, ok: true },
  ]);
  await settle();
  expect((await news()).filter(({ kind }) => kind === 'push')).toEqual([pushed(ada.id, one), pushed(ada.id, two)]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('a push whose recording fails is no success, and is recorded by the next who looks', async () => {
  const { here, ada, repo, first, second, moveUnrecorded, settle, news } = await crashed();
  const scope = scopeOf(here);
  const broken = { ...scope, change: () => Promise.reject(new Error('the database went away')) };
  const push = pushHandlers({ scopeNow: () => broken, repo, actor: ada.id, workflowFiles: { allowed: true } });
  const command = { ref: main, from: first, to: second };
  await push.before?.([command]);
  await moveUnrecorded(command);
  await expect(push.after?.([{ ...command, ok: true }])).rejects.toThrow('went away');
  await expect(push.failed?.(new Error('the database went away'))).rejects.toThrow('went away');
  expect(await news()).toEqual([]);
  await settle();
  expect(await news()).toEqual([pushed(ada.id, command)]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('the next push of a ref records first what a crash left of it, before nobody could tell any more', async () => {
  const { here, ada, repo, first, second, third, intend, moveUnrecorded, settle, news } = await crashed();
  const lost = { ref: main, from: first, to: second };
  await intend([lost]);
  await moveUnrecorded(lost);
  const bob = await here.user();

  await moveRefs(scopeOf(here), {
    repo,
    changes: [{ ref: main, from: second, to: third }],
    actor: bob.id,
    workflowFiles: { allowed: true },
  });

  await settle();
  expect(await news()).toEqual([pushed(ada.id, lost), pushed(bob.id, { ref: main, from: second, to: third })]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('a push that is repeated after a crash that had moved nothing is told of once', async () => {
  const { here, ada, repo, first, second, intend, settle, news } = await crashed();
  const command = { ref: main, from: first, to: second };
  await intend([command]);
  here.clock.now = new Date(here.clock.now.getTime() + 60_000);
  await moveRefs(scopeOf(here), { repo, changes: [command], actor: ada.id, workflowFiles: { allowed: true } });
  await settle();
  expect(await news()).toEqual([pushed(ada.id, command)]);
});

test('the first branch of an empty repository becomes its default also after a crash', async () => {
  const here = await world();
  const ada = await here.user();
  const repo = await here.repo(ada);
  const [first = ''] = await commits(here, repo, 1);
  const command = { ref: 'refs/heads/trunk', from: null, to: first };
  await here.db
    .insertInto('ref_changes')
    .values({ repository_id: repo.id, actor_id: null, commands: JSON.stringify([command]), started_at: here.clock.now })
    .execute();
  await updateRefs(diskOf(here, repo), [command]);
  await recoverUnfinished(scopeOf(here), (error) => expect.unreachable(String(error)));
  const row = await here.db.selectFrom('repositories').select('default_branch').where('id', '=', repo.id).executeTakeFirst();
  expect(row).toEqual({ default_branch: 'trunk' });
  expect(await told(here, repo)).toMatchObject([{ kind: 'create' }, pushed(null, command)]);
});

test('one repository that can’t be read doesn’t keep others from being settled', async () => {
  const bad = await crashed();
  const { here, ada, first, second, intend, moveUnrecorded, news } = await crashed();
  const command = { ref: main, from: first, to: second };
  await bad.intend([{ ref: main, from: bad.first, to: bad.second }]);
  await removeRepository(diskOf(here, bad.repo));
  await intend([command]);
  await moveUnrecorded(command);
  const failed: number[] = [];
  await recoverUnfinished(scopeOf(here), (_error, repository) => failed.push(repository));
  expect(failed).toEqual([bad.repo.id]);
  expect(await news()).toEqual([pushed(ada.id, command)]);
  await here.db.deleteFrom('ref_changes').where('repository_id', '=', bad.repo.id).execute();
});

test('a worker settles as it starts', async () => {
  const { here, ada, first, second, intend, moveUnrecorded, news } = await crashed();
  const command = { ref: main, from: first, to: second };
  await intend([command]);
  await moveUnrecorded(command);
  const worker = await startWorker(here.hearth.worker);
  try {
    await expect.poll(news).toEqual([pushed(ada.id, command)]);
  } finally {
    await worker.stop();
  }
});

test('a move whose follow-up fails is recorded, so that its ref can move on, and the follow-up is done later, once', async () => {
  const { here, repo, first, second, third, intend, moveUnrecorded, settle, news } = await crashed();
  const rename = { kind: 'branches.rename' as const, data: { from: 'old', to: 'main', isDefault: false } };
  await intend([{ ref: main, from: first, to: second }], [rename]);
  await moveUnrecorded({ ref: main, from: first, to: second });
  const { services } = scopeOf(here);
  const failing = { ...services.followUps, 'branches.rename': () => Promise.reject(new Error('it fails')) };
  const broken = { ...scopeOf(here), services: { ...services, followUps: failing } };
  const change = { ref: main, from: second, to: third };
  const moved = await moveRefs(broken, { repo, changes: [change], actor: undefined, workflowFiles: { allowed: true } });
  expect(moved).toEqual({ updated: true });
  expect(await news()).toMatchObject([{ kind: 'push' }, { kind: 'push' }]);
  const failed: unknown[] = [];
  await recoverUnfinished(broken, (error, repository) => failed.push([String(error), repository]));
  expect(failed).toEqual([['Error: it fails', repo.id]]);
  expect(await findNewName(here.db, repo.id, 'old')).toBeUndefined();
  await Promise.all([settle(), settle()]);
  expect(await findNewName(here.db, repo.id, 'old')).toBe('main');
  expect(await news()).toHaveLength(2);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('what a move should have been followed by is dropped with a move that was never made', async () => {
  const { here, repo, first, second, intend, settle } = await crashed();
  const rename = { kind: 'branches.rename' as const, data: { from: 'old', to: 'main', isDefault: false } };
  await intend([{ ref: main, from: first, to: second }], [rename]);
  await settle();
  expect(await unfinished(here, repo)).toHaveLength(1);
  here.clock.now = new Date(here.clock.now.getTime() + 25 * 3_600_000);
  await settle();
  expect(await unfinished(here, repo)).toEqual([]);
  expect(await findNewName(here.db, repo.id, 'old')).toBeUndefined();
});
