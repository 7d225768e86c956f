import fc from 'fast-check';
import { expect, test } from 'vitest';
import { areAncestors, type Pair } from '#git/history/ancestors.ts';
import type { Oid } from '#git/objects/oid.ts';
import { writeObjects } from '#git/objects/write-objects.ts';
import { git, newRepo } from './support.ts';

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Commits whose parents are given by their places among the earlier ones. */
async function history(shape: readonly (readonly number[])[]) {
  const repo = await newRepo();
  await writeObjects(repo, [{ type: 'tree', data: Buffer.alloc(0) }]);
  const oids: Oid[] = [];
  const reached: Set<number>[] = [];
  for (const [place, wanted] of shape.entries()) {
    const parents = place === 0 ? [] : [...new Set(wanted.map((number) => number % place))];
    const lines = parents.map((parent) => `parent ${oids[parent]}\n`).join('');
    // Times that go astray, as in histories of several machines.
    const time = `A <a@example.org> ${1_700_000_000 + ((place * 7_919) % 1_000)} +0000`;
    const data = Buffer.from(`tree ${emptyTree}\n${lines}author ${time}\ncommitter ${time}\n\n${place}\n`);
    oids.push(...(await writeObjects(repo, [{ type: 'commit', data }])));
    reached.push(new Set([place, ...parents.flatMap((parent) => [...(reached[parent] ?? [])])]));
  }
  const pairs: Pair[] = oids.flatMap((ancestor) => oids.map((descendant) => ({ ancestor, descendant })));
  const expected = oids.flatMap((_, ancestor) => oids.map((_, descendant) => reached[descendant]?.has(ancestor) ?? false));
  return { repo, oids, pairs, expected };
}

test('says of all pairs of any history what git would say of each', { timeout: 60_000 }, async () => {
  const parents = fc.array(fc.nat(), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(parents, { minLength: 4, maxLength: 12 }), fc.boolean(), async (shape, withGraph) => {
      const { repo, oids, pairs, expected } = await history(shape);
      if (withGraph) {
        for (const oid of oids) await git(repo.path, 'update-ref', `refs/heads/${oid.slice(0, 9)}`, oid);
        await git(repo.path, 'commit-graph', 'write', '--reachable');
      }
      expect(await areAncestors(repo, pairs)).toEqual(expected);
      expect(await areAncestors(repo, pairs.slice(0, 6))).toEqual(expected.slice(0, 6));
    }),
    { numRuns: 12 },
  );
});

test('a thousand pairs and more, repeated ones and unknown commits', async () => {
  const { repo, pairs, expected } = await history(Array.from({ length: 40 }, (_, place) => [place - 1, place * 3]));
  const unknown = { ancestor: 'e'.repeat(40), descendant: pairs[0]?.descendant ?? '' };
  expect(await areAncestors(repo, [...pairs, ...pairs, unknown])).toEqual([...expected, ...expected, false]);
  expect(await areAncestors(repo, [])).toEqual([]);
});
