import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findRef, getDefaultBranch } from '#git/refs/refs.ts';
import { findNewName } from '#resources/code/branch-names/index.ts';
import { moveRefs, mustMoveRefs } from '#resources/code/pushes/index.ts';
import { kindOf } from '#test/git/support.ts';
import { world } from '#test/support/world.ts';
import { commits, diskOf, scopeOf, told, unfinished } from './support.ts';

const main = 'refs/heads/main';

async function repository() {
  const here = await world();
  const ada = await here.user();
  const repo = await here.repo(ada);
  const [first = '', second = '', third = ''] = await commits(here, repo, 3);
  const move = (changes: Parameters<typeof moveRefs>[1]['changes'], more = {}) =>
    moveRefs(scopeOf(here), { repo, changes, actor: ada.id, workflowFiles: { allowed: true }, ...more });
  return { here, ada, repo, first, second, third, move };
}

test('a branch that is made, moved, set back and deleted tells so, and by whom', async () => {
  const { here, ada, repo, first, second, move } = await repository();
  const ref = 'refs/heads/topic';
  await move([{ ref: main, to: first }]);

  expect(await move([{ ref, from: null, to: first }])).toEqual({ updated: true });
  expect(await move([{ ref, from: first, to: second }])).toEqual({ updated: true });
  expect(await move([{ ref, from: second, to: first }])).toEqual({ updated: true });
  expect(await move([{ ref, to: null }])).toEqual({ updated: true });

  const push = (before: string | null, after: string | null, forced = false) => ({
    kind: 'push',
    actor: ada.id,
    data: { moves: [{ ref, before, after, forced }] },
  });
  expect((await told(here, repo)).slice(2)).toEqual([
    { kind: 'create', actor: ada.id, data: { ref, oid: first } },
    push(null, first),
    push(first, second),
    push(second, first, true),
    { kind: 'delete', actor: ada.id, data: { ref, oid: first } },
    push(first, null),
  ]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('the time of the push is kept, and what follows sees the move recorded, in one transaction', async () => {
  const { here, repo, first, move } = await repository();
  here.clock.now = new Date('2026-02-03T04:05:06Z');
  await move([{ ref: main, to: first }], {
    following: [{ kind: 'branches.rename', data: { from: 'old', to: 'main', isDefault: true } }],
  });
  const written = sql`select xmin::text from repositories where id = ${repo.id} and pushed_at = ${here.clock.now}
    union all select xmin::text from branch_renames where repository_id = ${repo.id} and name = 'old'`;
  const { rows } = await written.execute(here.db);
  expect(rows).toEqual([rows[0], rows[0]]);
  expect((await told(here, repo)).map(({ kind }) => kind)).toEqual(['create', 'push', 'repository.default_branch_changed']);
});

test('what should follow a move that fails is dropped with it', async () => {
  const { here, repo, first, second, move } = await repository();
  await move([{ ref: main, to: first }]);
  const following = [{ kind: 'branches.rename', data: { from: 'old', to: 'main', isDefault: false } }];
  expect(await move([{ ref: main, from: second, to: first }], { following })).toMatchObject({ updated: false });
  expect(await findNewName(here.db, repo.id, 'old')).toBeUndefined();
  expect(await unfinished(here, repo)).toEqual([]);
});

test('a ref that isn’t where it should be moves nothing, tells nothing and leaves nothing', async () => {
  const { here, repo, first, second, third, move } = await repository();
  await move([{ ref: main, to: first }]);
  const before = await told(here, repo);

  expect(await move([{ ref: main, from: second, to: third }])).toEqual({ updated: false, ref: main, reason: 'moved' });
  expect(await move([{ ref: main, from: null, to: third }])).toMatchObject({ updated: false, ref: main });
  expect(await move([{ ref: 'refs/heads/absent', to: null }])).toMatchObject({ updated: false, reason: 'absent' });
  expect(
    await move([
      { ref: 'refs/heads/new', from: null, to: second },
      { ref: main, from: third, to: second },
    ]),
  ).toMatchObject({ updated: false, ref: main });

  expect(await findRef(diskOf(here, repo), 'refs/heads/new')).toBeUndefined();
  expect(await told(here, repo)).toEqual(before);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('what names no object is an error that leaves nothing behind', async () => {
  const { here, repo, move } = await repository();
  expect(await kindOf(move([{ ref: main, to: 'a'.repeat(40) }]))).toBe('invalid');
  expect(await kindOf(move([{ ref: 'nonsense', to: 'a'.repeat(40) }]))).toBe('invalid');
  expect(await told(here, repo)).toEqual([]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('a move to where the ref stands is no event', async () => {
  const { here, repo, first, move } = await repository();
  await move([{ ref: main, to: first }]);
  const before = await told(here, repo);
  expect(await move([{ ref: main, to: first }])).toEqual({ updated: true });
  expect(await told(here, repo)).toEqual(before);
});

test('of many who move one ref at once exactly one wins, and one event tells of it', async () => {
  const { here, ada, repo, first, second, third, move } = await repository();
  await move([{ ref: main, to: first }]);
  const results = await Promise.all([second, third, second, third, second].map((to) => move([{ ref: main, from: first, to }])));
  expect(results.filter(({ updated }) => updated)).toHaveLength(1);
  const now = (await findRef(diskOf(here, repo), main))?.oid;
  expect((await told(here, repo)).slice(2)).toEqual([
    { kind: 'push', actor: ada.id, data: { moves: [{ ref: main, before: first, after: now, forced: false }] } },
  ]);
  expect(await unfinished(here, repo)).toEqual([]);
  await expect(
    mustMoveRefs(scopeOf(here), {
      repo,
      changes: [{ ref: main, from: first, to: second }],
      actor: undefined,
      workflowFiles: { allowed: true },
    }),
  ).rejects.toThrow('moved');
});

test('those who don’t say where a ref is all have their turn', async () => {
  const { here, repo, first, second, third, move } = await repository();
  await move([{ ref: main, to: first }]);
  const results = await Promise.all([move([{ ref: main, to: second }]), move([{ ref: main, to: third }])]);
  expect(results).toEqual([{ updated: true }, { updated: true }]);
  const pushes = (await told(here, repo)).filter(({ kind }) => kind === 'push').map(({ data }) => data);
  expect(pushes).toHaveLength(3);
  expect(await unfinished(here, repo)).toEqual([]);
});

test.each([
  [['trunk'], 'trunk'],
  [['zeta', 'master', 'alpha'], 'master'],
  [['zeta', 'alpha'], 'alpha'],
  [['alpha', 'main'], 'main'],
])('the branches %j make %s the default of an empty repository', async (names, expected) => {
  const { here, repo, first, move } = await repository();
  await move(names.map((name) => ({ ref: `refs/heads/${name}`, from: null, to: first })));
  const read = () => here.db.selectFrom('repositories').select('default_branch').where('id', '=', repo.id).executeTakeFirst();
  expect(await read()).toEqual({ default_branch: expected });
  expect(await getDefaultBranch(diskOf(here, repo))).toMatchObject({ name: expected });

  await move([{ ref: 'refs/heads/aaa', from: null, to: first }]);
  expect(await read()).toEqual({ default_branch: expected });
});

test('a tag alone leaves the default branch as it is; of more than three tags at once nobody is told', async () => {
  const { here, repo, first, second, move } = await repository();
  const tags = (names: string[]) => names.map((name) => ({ ref: `refs/tags/${name}`, from: null, to: first }));
  await move(tags(['v1', 'v2', 'v3']));
  expect((await told(here, repo)).map(({ kind }) => kind)).toEqual(['create', 'push', 'create', 'push', 'create', 'push']);
  await move([...tags(['v4', 'v5', 'v6', 'v7']), { ref: main, from: null, to: second }]);
  expect((await told(here, repo)).slice(6)).toMatchObject([
    { kind: 'create', data: { ref: main } },
    { kind: 'push', data: { moves: [{ ref: main }] } },
  ]);
  await move([{ ref: 'refs/tags/v1', to: second }]);
  expect((await told(here, repo)).at(-1)).toMatchObject({
    kind: 'push',
    data: { moves: [{ ref: 'refs/tags/v1', forced: true }] },
  });
});

test('refs that are neither branch nor tag move without an event', async () => {
  const { here, repo, first, move } = await repository();
  await move([{ ref: 'refs/pull/1/head', from: null, to: first }]);
  expect(await findRef(diskOf(here, repo), 'refs/pull/1/head')).toMatchObject({ oid: first });
  expect(await told(here, repo)).toEqual([]);
  const row = await here.db.selectFrom('repositories').select('pushed_at').where('id', '=', repo.id).executeTakeFirst();
  expect(row).toEqual({ pushed_at: null });
});
