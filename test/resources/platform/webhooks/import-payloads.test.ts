import { expect, test } from 'vitest';
import { repoOf } from '#git/store.ts';
import { importRepository } from '#resources/repositories/repositories/index.ts';
import { heard, listening, parts } from './listening.ts';

test('an import is reported once it is complete, and one that fails is not', async () => {
  const { here, owner, org, target } = await listening();
  const { git } = here.hearth.services;
  const source = repoOf(git, (await here.repo(await here.user())).id).path;
  const given = {
    git,
    owner: { ...org, role: 'owner' },
    by: { account: owner, grant: { kind: 'none' } as const },
    now: here.clock.now,
  };
  await here.change((scope) => importRepository(scope, { ...given, source, wanted: { name: 'arrived' } }));
  const told = await heard(here, target);
  expect(told.repository_import).toMatchObject({ status: 'success', repository: { name: 'arrived' }, ...parts(org, owner) });
  const failing = here.change((scope) =>
    importRepository(scope, { ...given, source: `${source}-missing`, wanted: { name: 'lost' } }),
  );
  await expect(failing).rejects.toThrow();
  expect(await heard(here, target)).toEqual({});
});
