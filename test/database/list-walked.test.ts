import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fresh, world } from '#test/support/world.ts';

const { as, user, repo, db, statements } = await world();

type Pattern = { id: number; name: string; created: number };

const asked = fc.record({
  sort: fc.constantFrom('created' as const, 'name' as const),
  direction: fc.constantFrom('asc' as const, 'desc' as const),
  perPage: fc.integer({ min: 1, max: 4 }),
});

/** A repository with patterns: several of one time, and names of which none is a number's order. */
async function withPatterns(count: number) {
  const owner = await user();
  const { id, name } = await repo(owner);
  await db.updateTable('repositories').set({ secret_scanning: true }).where('id', '=', id).execute();
  const patterns: Pattern[] = [];
  for (let at = 0; at < count; at++) {
    const time = new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(at / 3)));
    const row = {
      repository_id: id,
      name: `Name ${(at * 7) % count} – «${'"'.repeat(at % 2)}\\»`,
      slug: fresh('pattern'),
      expression: 'x',
      start_delimiter: '',
      end_delimiter: '',
      must_match: [],
      must_not_match: [],
      state: 'published' as const,
      created_at: time,
      updated_at: time,
    };
    const made = await db.insertInto('secret_patterns').values(row).returning(['id', 'name']).executeTakeFirstOrThrow();
    patterns.push({ ...made, created: time.getTime() });
  }
  const client = await as(owner);
  const list = `/repos/${owner.login}/${name}/secret-scanning/custom-patterns`;
  const get = async (query: string) => {
    const { status, body, headers } = await client.get(`${list}?${query}`);
    const links = [...String(headers.link).matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(
      ([, url = '', rel = '']) => [rel, new URL(url).searchParams] as const,
    );
    return { status, ids: (body as { id: number }[]).map?.((one) => one.id), links: new Map(links) };
  };
  return { owner, list, patterns, get };
}

const few = await withPatterns(11);

test('pages by numbers, by cursors, and by whole links hold all rows in their order, in both directions', async () => {
  const { patterns, get } = few;
  await fc.assert(
    fc.asyncProperty(asked, async ({ sort, direction, perPage }) => {
      const sign = direction === 'asc' ? 1 : -1;
      const less = (a: Pattern, b: Pattern) => (sort === 'name' ? compare(a.name, b.name) : a.created - b.created);
      const expected = patterns.toSorted((a, b) => sign * (less(a, b) || a.id - b.id)).map(({ id }) => id);
      const pages = Array.from({ length: Math.ceil(expected.length / perPage) }, (_, at) =>
        expected.slice(at * perPage, (at + 1) * perPage),
      );
      const query = `sort=${sort}&direction=${direction}&per_page=${perPage}`;
      for (const next of [
        (to: URLSearchParams) => `page=${to.get('page')}`,
        (to: URLSearchParams) => `after=${to.get('after')}`,
        (to: URLSearchParams) => to.toString(),
      ]) {
        const found: number[][] = [];
        let at: string | undefined = query;
        let back: string | undefined;
        while (at !== undefined) {
          const { ids, links } = await get(at);
          found.push(ids);
          back = links.get('prev')?.get('before') ?? back;
          const onward = links.get('next');
          at = onward && (next(onward).includes('per_page') ? next(onward) : `${query}&${next(onward)}`);
        }
        expect(found).toEqual(pages);
        if (pages.length === 1) continue;
        // From the last page back to the first one.
        const backwards: number[][] = [];
        while (back !== undefined) {
          const { ids, links } = await get(`${query}&before=${back}`);
          backwards.unshift(...[ids]);
          back = links.get('prev')?.get('before') ?? undefined;
        }
        expect(backwards.flat()).toEqual(pages.slice(0, -1).flat());
      }
    }),
    { numRuns: Number(process.env.HEARTH_TEST_CASES ?? 6) },
  );
});

/** As the database orders texts: by their bytes. */
const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

test('a cursor goes on after its row, though that was deleted, and rows before it came', async () => {
  const { patterns, get } = await withPatterns(6);
  const first = await get('direction=asc&per_page=2');
  const after = first.links.get('next')?.get('after') ?? '';
  await db
    .deleteFrom('secret_patterns')
    .where('id', 'in', first.ids as never)
    .execute();
  const rest = await get(`direction=asc&per_page=2&after=${after}`);
  expect(rest.ids).toEqual(patterns.slice(2, 4).map(({ id }) => id));
});

test('a page by a cursor sends no statement for a total that nothing shows', async () => {
  const { owner, list } = few;
  const { links } = await few.get('per_page=2');
  const after = `${list}?per_page=2&after=${links.get('next')?.get('after')}`;
  expect(await statements(owner, after)).toBe(await statements(owner, `${list}?per_page=2`));
});

test('an empty cursor asks for the first page, and whatever is no cursor of this list is refused', async () => {
  const { get } = few;
  const { ids, links } = await get('per_page=2&after=');
  expect(ids).toEqual((await get('per_page=2')).ids);
  const cursor = links.get('next')?.get('after') ?? '';
  const written = (place: unknown) => Buffer.from(JSON.stringify(place)).toString('base64url');
  expect((await get(`per_page=2&after=${cursor}`)).status).toBe(200);
  // The earliest and the latest time, and names beyond all others.
  const [earliest, latest] = [written([0, -62e12]), written([Number.MAX_SAFE_INTEGER, 864e13])];
  for (const [all, none] of [
    [`direction=asc&after=${earliest}`, `direction=asc&after=${latest}`],
    [`before=${earliest}`, `before=${latest}`],
  ])
    expect([(await get(all ?? '')).ids.length, (await get(none ?? '')).ids]).toEqual([11, []]);
  expect((await get(`sort=name&direction=asc&after=${written([0, '\ud800'])}`)).ids).toEqual([]);
  for (const bad of ['x', written(1), written([]), written([1]), written(['1', 2]), written([1, 9e15]), written([1.5, 2])])
    expect([bad, (await get(`after=${bad}`)).status]).toEqual([bad, 400]);
  for (const bad of [written([1, 2]), written([1, 'a\0b'])])
    expect([bad, (await get(`sort=name&after=${bad}`)).status]).toEqual([bad, 400]);
  expect((await get(`after=${cursor}&before=${cursor}`)).status).toBe(400);
  expect((await get(`after=${cursor}&after=${cursor}`)).status).toBe(400);
});
