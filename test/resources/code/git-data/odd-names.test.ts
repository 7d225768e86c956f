import { expect, test } from 'vitest';
import { history } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';

// Git option injection, path escape and revision syntax: whatever stands in the place of a name, the answer is a refusal.
const w = await world();

const oddities = [
  '--all',
  '--output=x',
  '@{-1}',
  'HEAD^{/x}',
  ':/x',
  'main~99999999999',
  '^main',
  'refs/hearth/x',
  'refs/../x',
  '..',
  'a//b',
  '\u0001',
  '\ufffd',
  '*',
  '~',
  'x.lock',
  'a'.repeat(900),
  'a/'.repeat(400),
  'f'.repeat(40),
  '$(x)',
];

test.each(oddities.map((name) => [name]))('%s is refused as a revision, a path and a ref', async (name) => {
  const owner = await w.user();
  const { path, oids } = await history(w, owner, 1);
  const client = await w.as(owner);
  const escaped = encodeURIComponent(name);
  const replies = [
    await client.get(`${path}/commits/${escaped}`),
    await client.get(`${path}/compare/main...${escaped}`),
    await client.get(`${path}/contents/1.txt?ref=${escaped}`),
    await client.get(`${path}/contents/${escaped}`),
    await client.get(`${path}/git/trees/${escaped}`),
    await client.get(`${path}/git/ref/${escaped}`),
    await client.get(`${path}/branches/${escaped}`),
    await client.post(`${path}/merges`, { base: 'main', head: name }),
    await client.post(`${path}/git/refs`, { ref: name, sha: oids[0] }),
    await client.post(`${path}/git/commits`, { message: 'x', tree: name }),
    await client.put(`${path}/contents/x`, { message: 'x', content: '', branch: name }),
  ];
  expect(replies.map(({ status }) => status).filter((status) => status !== 404 && status !== 422)).toEqual([]);
});

test.each(['a'.repeat(251), 'ü'.repeat(126)])('a branch named %s is too long for a file', async (name) => {
  const owner = await w.user();
  const { path, oids } = await history(w, owner, 1);
  const client = await w.as(owner);
  const reply = await client.post(`${path}/git/refs`, { ref: `refs/heads/${name}`, sha: oids[0] });
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ field: 'ref' }] } });
  const fits = await client.post(`${path}/git/refs`, { ref: `refs/heads/${'a'.repeat(250)}`, sha: oids[0] });
  expect(fits.status).toBe(201);
});
