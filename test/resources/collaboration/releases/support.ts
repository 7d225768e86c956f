import type { Account } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import type { World } from '#test/support/world.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies by name
type Uploaded = { status: number; body: any };

/** Uploads a file, by a path of the API. */
export async function uploadTo(
  { url, token }: Pick<World, 'url' | 'token'>,
  who: Account,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  type = 'text/plain',
): Promise<Uploaded> {
  const response = await fetch(`${url}/api/v3${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await token(who)}`, 'content-type': type },
    body,
  });
  return { status: response.status, body: await response.json() };
}

/** A repository with one commit, its owner, and the path of its releases. */
export async function setting(here: World, visibility: 'public' | 'private' = 'public') {
  const owner = await here.user();
  const repo = await here.repo(owner, { visibility });
  const first = await commitFiles(here, repo, { 'a.txt': 'a' }, 'Begin');
  const client = await here.as(owner);
  const base = `/repos/${owner.login}/${repo.name}`;
  return { owner, repo, first, client, base, path: `${base}/releases` };
}
