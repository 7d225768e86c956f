// What holds for every scope, whoever reads with it.
import { expect, test } from 'vitest';
import { anonymous, everybody } from '#access/viewer.ts';
import type { Loader } from '#endpoint/loaders.ts';
import { scopeFor } from '#endpoint/scope.ts';
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

test('a scope has ten members at most', () => {
  expect(Object.keys(scopeIn(w)).length).toBeLessThanOrEqual(10);
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
