import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { download, exported } from '#test/resources/platform/migrations/support.ts';
import { world } from '#test/support/world.ts';
import { installation, temporaryFolder } from './support.ts';

test('a person moves from one Hearth to another', async () => {
  const here = await world();
  const ada = await here.user('ada');
  const { name } = await here.repo(ada, { name: 'engine' });
  await (await here.as(ada)).post('/repos/ada/engine/issues', { title: 'Leaks' });
  const id = await exported(here, ada, { repositories: [`ada/${name}`] });
  const file = join(await temporaryFolder(), 'archive.tar.gz');
  await writeFile(file, await download(here, ada, id));

  const { run } = await installation();
  const moved = await run('migration', 'import', file, '--json');
  expect(JSON.parse(moved.out)).toEqual({ repositories: ['ada/engine'], accounts: 1 });
  const refusal = async (archive: string) => {
    const { code, err } = await run('migration', 'import', archive);
    return [code, err.trim().split('\n').at(-1)];
  };
  const refused = 'The archive is refused, and nothing was imported:';
  expect(await refusal(file)).toEqual([1, `${refused} these repositories are here already: ada/engine`]);
  expect(await refusal(join(file, 'none'))).toEqual([1, expect.stringMatching(`^${refused} it can't be read`)]);
});

test("what is an organization's moves into another one by --into", async () => {
  const here = await world();
  const eve = await here.user('eve');
  const { name } = await here.repo(await here.org(eve, 'acme'), { name: 'pump', by: eve });
  const base = '/orgs/acme/migrations';
  const id = await exported(here, eve, { repositories: [`acme/${name}`] }, base);
  const file = join(await temporaryFolder(), 'archive.tar.gz');
  await writeFile(file, await download(here, eve, id, base));

  const { run } = await installation();
  await run('user', 'create', 'carl');
  await run('org', 'create', 'umbrella', '--owner', 'carl');
  const moved = await run('migration', 'import', file, '--into', 'umbrella', '--json');
  expect(JSON.parse(moved.out)).toEqual({ repositories: ['umbrella/pump'], accounts: 1 });
  const unknown = await run('migration', 'import', file, '--into', 'carl');
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('carl is no organization here')]);
});
