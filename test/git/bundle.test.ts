import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { updateRefs } from '#git/refs/update-refs.ts';
import { createRepository, removeRepository } from '#git/store.ts';
import { writeBundle } from '#git/transport/bundle.ts';
import { commit, newStore, scratch } from './support.ts';

test('a repository that is deleted while it is backed up ends in a whole file or in none, and the backup goes on', async () => {
  const store = await newStore();
  const folder = await scratch();
  for (let id = 1; id <= 16; id++) {
    const repo = await createRepository(store, id, { defaultBranch: 'main' });
    await updateRefs(repo, [{ ref: 'refs/heads/main', to: await commit(repo, { a: 'x' }) }]);
    const file = join(folder, `${id}.bundle`);
    const writing = writeBundle(repo, file);
    await sleep(id);
    await removeRepository(repo);
    const written = await writing;
    const there = await access(file).then(
      () => true,
      () => false,
    );
    expect(there).toBe(written);
  }
});
