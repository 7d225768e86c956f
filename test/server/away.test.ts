import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const here = await world({ connections: 1 });

/** Sends requests while the only connection is in use. */
const whileBusy = (...paths: string[]): Promise<Response[]> =>
  here.db.connection().execute(() => Promise.all(paths.map((path) => fetch(here.url + path))));

test('the API and Git answer 503 while no connection to the database is free, and both answer again afterwards', async () => {
  const repo = await here.repo(await here.user());
  const paths = [`/${repo.owner.login}/${repo.name}/info/refs?service=git-upload-pack`, `/api/v3/users/${repo.owner.login}`];
  const [git, api] = await whileBusy(...paths);
  expect(git?.status).toBe(503);
  expect(await git?.text()).toBe('The server cannot answer just now. Please try again.\n');
  expect(api?.status).toBe(503);
  expect(await api?.json()).toMatchObject({ status: '503', message: 'The server cannot answer just now. Please try again.' });
  for (const path of paths) expect((await fetch(here.url + path)).status).toBe(200);
});
