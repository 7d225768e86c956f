import { beforeAll, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, settle, statements } = w;

let ada: Account;
let bob: Account;

beforeAll(async () => {
  [ada, bob] = [await user('ada'), await user('bob')];
  const acme = await org(ada, 'acme');
  const client = await as(ada);
  const make = async (name: string, more: object = {}) => {
    await repo(acme, { name, by: ada });
    if (Object.keys(more).length > 0) await client.patch(`/repos/acme/${name}`, more);
  };
  await make('steam-engine', { description: 'Turns heat into motion' });
  await make('TrainTimetable', { description: 'When each engine leaves the station' });
  await make('notes');
  await make('skeleton', { is_template: true });
  await client.put('/repos/acme/notes/topics', { names: ['engine', 'history'] });
  const readme = await repo(acme, { name: 'handbook', by: ada });
  await commitFiles(w, readme, { 'README.md': '# Handbook\nHow to oil the gearbox.', 'src/a.ts': 'const a = 1;' }, 'Begin');
  await repo(acme, { name: 'secret-engine', visibility: 'private', by: ada });
  await client.post('/repos/acme/notes/issues', { title: 'Help', labels: ['help wanted'] });
  await client.post('/repos/acme/skeleton/issues', { title: 'Begin', labels: ['Good-First-Issue', 'good first issue'] });
  await settle();
});

const search = async (q: string, more = '', who: Account | undefined = bob) => {
  const { status, body } = await (await as(who)).get(`/search/repositories?q=${encodeURIComponent(q)}${more}`);
  return { status, total: body.total_count, names: body.items?.map(({ name }: { name: string }) => name), body };
};

test('a word is looked for in names, topics and descriptions, in this order, and in parts of names', async () => {
  expect(await search('engine')).toMatchObject({ total: 3, names: ['steam-engine', 'notes', 'TrainTimetable'] });
  expect((await search('timetable')).names).toEqual(['TrainTimetable']);
  expect((await search('engine station')).names).toEqual(['TrainTimetable']);
  expect((await search('engine in:description')).names).toEqual(['TrainTimetable']);
  expect((await search('"heat into motion"')).names).toEqual(['steam-engine']);
  expect((await search('"motion into heat"')).names).toEqual([]);
  expect((await search('gearbox')).names).toEqual([]);
  expect((await search('gearbox in:readme')).names).toEqual(['handbook']);
  expect((await search('"oil the gearbox" in:readme')).names).toEqual(['handbook']);
});

test('private repositories are found, counted and named for those who may read them alone', async () => {
  expect((await search('engine', '', ada)).total).toBe(4);
  expect((await search('secret')).total).toBe(0);
  expect((await search('repo:acme/secret-engine')).status).toBe(422);
  expect((await search('user:nobody-here')).status).toBe(422);
  const { body } = await (await as(undefined)).get('/search/repositories?q=engine');
  expect(body.total_count).toBe(3);
  expect((await search('is:private', '', ada)).names).toEqual(['secret-engine']);
});

test('rule 6: names among alternatives are refused alike, and so on each page', async () => {
  for (const q of ['repo:acme/secret-engine OR repo:acme/absent', 'user:nobody OR is:private', 'repo:acme/absent'])
    for (const page of [1, 2]) expect((await search(q, `&page=${page}`)).status, q).toBe(422);
  expect((await search('repo:acme/secret-engine OR repo:acme/notes')).names).toEqual(['notes']);
  expect((await search('repo:acme/notes', '&page=2')).status).toBe(200);
  expect((await search('user:@me OR repo:acme/notes')).names).toEqual(['notes']);
  expect((await search('user:@me OR repo:acme/notes', '', ada)).status).toBe(200);
});

test.each([
  ['org:acme template:true', ['skeleton']],
  ['topic:history', ['notes']],
  ['topics:>=2', ['notes']],
  ['language:typescript', ['handbook']],
  ['language:ts', ['handbook']],
  ['help-wanted-issues:>0', ['notes']],
  ['good-first-issues:1', ['skeleton']],
  ['org:acme stars:>0', []],
  ['mirror:true', []],
  ['followers:>1', []],
  ['history followers:0', ['notes']],
  ['history is:internal', []],
  ['history is:sponsorable', []],
  ['history -is:sponsorable', ['notes']],
  ['history has:funding-file', []],
  ['topic:history has:funding-file OR is:sponsorable', []],
  ['history -is:internal', ['notes']],
  ['engine archived:true', []],
  ['engine created:<2000-01-01', []],
  ['engine -in:name', ['notes', 'TrainTimetable']],
  ['engine -in:name,topics,description', []],
  ['repo:acme/notes', ['notes']],
  ['engine NOT station -topic:history', ['steam-engine']],
  ['org:acme pushed:>2000-01-01', ['handbook']],
])('%s', async (q, names) => {
  expect((await search(q)).names).toEqual(names);
});

test('forks are found where they are asked for', async () => {
  await (await as(bob)).post('/repos/acme/steam-engine/forks', { name: 'own-engine' });
  await settle();
  expect((await search('own')).names).toEqual([]);
  expect((await search('own fork:true')).names).toEqual(['own-engine']);
  expect((await search('engine fork:only')).names).toEqual(['own-engine']);
  expect((await search('user:bob fork:true', '&sort=forks')).names).toEqual(['own-engine']);
  expect((await search('engine', '&sort=forks')).names[0]).toBe('steam-engine');
  expect((await search('org:acme', '&sort=help-wanted-issues')).names[0]).toBe('notes');
  expect((await search('org:acme', '&sort=help-wanted-issues&order=asc')).names.at(-1)).toBe('notes');
});

test('a rename and a new description are found, the old ones no more', async () => {
  const client = await as(ada);
  await client.patch('/repos/acme/skeleton', { name: 'scaffold', description: 'A beginning' });
  await settle();
  expect((await search('skeleton')).names).toEqual([]);
  expect((await search('scaffold beginning')).names).toEqual(['scaffold']);
  await client.delete('/repos/acme/scaffold');
  expect((await search('scaffold')).total).toBe(0);
});

test('what is no query is refused, and strange ones are answered', async () => {
  for (const q of ['', '%', '()', '"\\', 'in:name', '?? in:description']) expect((await search(q)).status, q).toBe(422);
  expect((await search('stars:many')).status).toBe(422);
  expect((await search('engine', '&sort=age')).status).toBe(422);
  expect((await search('unknown:thing')).status).toBe(200);
  expect((await search('engine', '&page=40&per_page=30')).status).toBe(422);
});

test('a page of hits costs as many statements for 1 as for 3', async () => {
  const many = await statements(bob, '/search/repositories?q=engine');
  expect(await statements(bob, '/search/repositories?q=timetable')).toBe(many);
});

test('numbers beyond what is counted find nothing, or everything', async () => {
  expect((await search('engine stars:>999999999999999')).names).toEqual([]);
  expect((await search('engine forks:999999999999999')).names).toEqual([]);
  expect((await search('org:acme size:<=999999999999999 timetable')).names).toEqual(['TrainTimetable']);
});

test('a credential finds a private repository by its README or its issues only where it may read them', async () => {
  const acme = await w.db.selectFrom('accounts').selectAll().where('login', '=', 'acme').executeTakeFirstOrThrow();
  const vault = await repo(acme, { name: 'vault', visibility: 'private', by: ada });
  await commitFiles(w, vault, { 'README.md': '# Vault\nHolds a xylophone.' }, 'Begin');
  await (await as(ada)).post('/repos/acme/vault/issues', { title: 'Help', labels: ['help wanted', 'good first issue'] });
  await settle();
  const names = async (permissions: Record<string, string>, q: string) => {
    const client = await as(await w.fineGrained(ada, acme, { metadata: 'read', ...permissions }, [vault]));
    const { body } = await client.get(`/search/repositories?q=${encodeURIComponent(q)}`);
    return body.items?.map(({ name }: { name: string }) => name).filter((name: string) => name === 'vault');
  };
  expect(await names({}, 'vault')).toEqual(['vault']);
  expect(await names({}, 'xylophone in:readme')).toEqual([]);
  expect(await names({ contents: 'read' }, 'xylophone in:readme')).toEqual(['vault']);
  for (const q of ['org:acme help-wanted-issues:>0', 'org:acme -help-wanted-issues:0', 'org:acme good-first-issues:1']) {
    expect(await names({ contents: 'read' }, q)).toEqual([]);
    expect(await names({ issues: 'read' }, q)).toEqual(['vault']);
  }
});
