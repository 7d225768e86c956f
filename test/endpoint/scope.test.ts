// What holds for every scope, whoever reads with it.
import { expect, test } from 'vitest';
import { anonymous, everybody } from '#access/viewer.ts';
import { changeIn } from '#endpoint/change-in.ts';
import type { Loader } from '#endpoint/loaders.ts';
import { scopeFor, type WriteScope } from '#endpoint/scope.ts';
import { asId } from '#lib/id.ts';
import { createMilestone } from '#resources/collaboration/milestones/rules.ts';
import { namedRepositories, updateRepository } from '#resources/repositories/repositories/index.ts';
import { scopeIn } from '#test/support/scope.ts';
import { world } from '#test/support/world.ts';

const w = await world();

/** A loader that notes what it was asked for. Odd keys have nothing. */
function counted() {
  const calls: number[][] = [];
  const loader: Loader<number, string> = async (_scope, keys) => {
    calls.push([...keys]);
    return new Map(keys.filter((key) => key % 2 === 0).map((key) => [key, `value ${key}`]));
  };
  return { loader, calls };
}

test('a scope has ten members at most, also that of a change', async () => {
  expect(Object.keys(scopeIn(w)).length).toBeLessThanOrEqual(10);
  await w.change(async (scope) => expect(Object.keys(scope).length).toBeLessThanOrEqual(10));
});

test('what is wanted in one turn of the event loop is loaded together, and each thing once', async () => {
  const { loader, calls } = counted();
  const { load } = scopeIn(w);
  expect(await Promise.all([load(loader, 2), load(loader, 3), load(loader, 2)])).toEqual(['value 2', undefined, 'value 2']);
  expect(await load.all(loader, [2, 3, 4, 4])).toEqual(
    new Map([
      [2, 'value 2'],
      [4, 'value 4'],
    ]),
  );
  expect(calls).toEqual([[2, 3], [4]]);
  expect([load.loaded(loader, 4), load.loaded(loader, 6)]).toEqual(['value 4', undefined]);
});

test('what is primed is not loaded, until the scope forgets', async () => {
  const { loader, calls } = counted();
  const { load } = scopeIn(w);
  load.prime(loader, [[2, 'another value']]);
  expect(await load.all(loader, [2])).toEqual(new Map([[2, 'another value']]));
  load.forget();
  expect(await load(loader, 2)).toBe('value 2');
  expect(calls).toEqual([[2]]);
});

test('nothing that was loaded for one viewer is there for another', async () => {
  const { loader, calls } = counted();
  const scope = scopeIn(w, anonymous);
  await scope.load(loader, 2);
  const other = scopeFor(scope, everybody);
  expect(other.load.loaded(loader, 2)).toBeUndefined();
  await other.load(loader, 2);
  expect([other.viewer, calls]).toEqual([everybody, [[2], [2]]]);
});

test('a change loads by its transaction, and nothing that was loaded outside is there', async () => {
  const ada = await w.user();
  const { id } = await w.repo(ada);
  const outer = scopeIn(w, anonymous);
  await outer.load(namedRepositories, id);
  const other = scopeIn(w);
  await changeIn(outer, async (scope) => {
    expect([scope.db, scope.viewer, scope.roots.size]).toEqual([scope.tx, anonymous, 0]);
    expect(scope.load.loaded(namedRepositories, id)).toBeUndefined();
    await updateRepository(scope.tx, id, { description: 'written' });
    expect((await scope.load(namedRepositories, id))?.description).toBe('written');
    const { load } = scopeFor(scope, everybody);
    expect(load.loaded(namedRepositories, id)).toBeUndefined();
    expect((await load(namedRepositories, id))?.description).toBe('written');
    // Nobody else sees it before the commit.
    expect((await other.load(namedRepositories, id))?.description).toBeNull();
  });
});

test('a rule takes the scope of a change alone, and a store its transaction', () => {
  const scope = scopeIn(w);
  const action = {} as Parameters<typeof createMilestone>[1];
  // Never called: the compiler refuses them.
  const wrong = [
    // @ts-expect-error the scope of a request has no transaction
    () => createMilestone(scope, action, { title: 'v1' }),
    // @ts-expect-error a database is no transaction
    () => updateRepository(scope.db, asId<'repositories'>(1), {}),
    // @ts-expect-error a transaction alone has no loaders
    (own: WriteScope) => createMilestone(own.tx, action, { title: 'v1' }),
  ];
  expect(wrong.length).toBe(3);
});

test('the reply to a change shows what the change made, and not what was read before it', async () => {
  const ada = await w.user();
  const client = await w.as(ada);
  const repo = await w.repo(ada);
  const { body: issue } = await client.post(`/repos/${ada.login}/${repo.name}/issues`, { title: 'One' });
  const at = `/repos/${ada.login}/${repo.name}/issues/${issue.number}`;
  await client.post(`${at}/labels`, { labels: ['bug'] });
  const { body } = await client.patch(at, { title: 'Two', labels: [] });
  expect([body.title, body.labels]).toEqual(['Two', []]);
});
