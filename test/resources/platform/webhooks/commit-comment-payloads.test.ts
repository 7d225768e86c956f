import { expect, test } from 'vitest';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { heard, listening, parts } from './listening.ts';

test('a comment on a commit is told; its change and its end are not', async () => {
  const { here, owner, org, client, target } = await listening();
  const { name } = await here.repo(org, { by: owner });
  const base = `/repos/${org.login}/${name}`;
  const { commit } = await addFile(client, base);
  await heard(here, target);
  const { body } = await client.post(`${base}/commits/${commit}/comments`, { body: 'This leaks.', path: 'a.ts', position: 1 });
  expect(await heard(here, target)).toMatchObject({
    'commit_comment.created': {
      comment: { id: body.id, commit_id: commit, body: 'This leaks.', path: 'a.ts', position: 1, user: { login: owner.login } },
      repository: { name },
      ...parts(org, owner),
    },
  });
  await client.patch(`${base}/comments/${body.id}`, { body: 'It does.' });
  await client.delete(`${base}/comments/${body.id}`);
  expect(await heard(here, target)).toEqual({});
});
