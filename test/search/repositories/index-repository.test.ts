import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { GitStore } from '#git/repo.ts';
import { concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { indexRepositoryWords } from '#search/repositories/index-repository.ts';
import { newPlace, push } from '#test/search/support.ts';

test('an indexing that takes long does not put back what a later one has replaced', async () => {
  const place = await newPlace();
  const { id, repo } = await place.repository(await place.account('octo'), 'hello');
  const index = (git: GitStore) => indexRepositoryWords({ db: place.db, git, id });
  const commands = concurrencyLimiter('test', { total: 1, perCaller: 1, anonymous: 1, waiting: 1, waitingTime: 60_000 });
  const release = await commands.acquire();
  const arrived = Promise.withResolvers<void>();
  const acquire = () => {
    arrived.resolve();
    return commands.acquire();
  };

  // A folder of so many files is listed by a git process, which waits for its place.
  const many = Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [`file-${at}`, '']));
  const first = await push(repo, { 'README.md': 'before', ...many });
  const slow = index({ ...place.git, commands: { ...commands, acquire } });
  await arrived.promise;
  await push(repo, { 'README.md': 'after' }, { parents: [first] });
  const quick = index(place.git);
  await Promise.race([quick, sleep(300)]);
  release();
  await Promise.all([slow, quick]);

  expect(await place.db.selectFrom('repository_words').select('readme').execute()).toEqual([{ readme: 'after' }]);
});
