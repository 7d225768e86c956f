import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { GitStore } from '#git/repo.ts';
import { makeSlots } from '#git/slots.ts';
import { indexRepositoryWords } from '#search/repositories/index-repository.ts';
import { newPlace, push } from '#test/search/support.ts';

test('an indexing that takes long does not put back what a later one has replaced', async () => {
  const place = await newPlace();
  const { id, repo } = await place.repository(await place.account('octo'), 'hello');
  const index = (git: GitStore) => indexRepositoryWords({ db: place.db, git, id });
  const slots = makeSlots(1);
  const release = await slots.take();
  const arrived = Promise.withResolvers<void>();
  const take = () => {
    arrived.resolve();
    return slots.take();
  };

  const first = await push(repo, { 'README.md': 'before' });
  const slow = index({ ...place.git, commandSlots: { ...slots, take } });
  await arrived.promise;
  await push(repo, { 'README.md': 'after' }, { parents: [first] });
  const quick = index(place.git);
  await Promise.race([quick, sleep(300)]);
  release();
  await Promise.all([slow, quick]);

  expect(await place.db.selectFrom('repository_words').select('readme').execute()).toEqual([{ readme: 'after' }]);
});
