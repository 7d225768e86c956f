import { openObjects } from '#git/objects/objects.ts';
import { shortNameOf } from '#git/refs/ref-name.ts';
import { listBranchesWith } from '#git/refs/refs.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { loadProtections } from '#resources/code/branch-protection/index.ts';
import { commitLink, presentCommit, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { aboutRepository, eventKinds, payloadBuilder, webhookEventType } from '#resources/event-kinds.ts';
import { presentStatus } from './present.ts';
import { findStatus } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'commit_status.created': { status: Id<'commit_statuses'> };
  }
}

const statusEvent = webhookEventType({ name: 'status', permission: 'statuses:read', hooks: 'all' });

/** The maximum number of branches in a payload (the public API's limit). */
const maxBranches = 10;

export const commitStatusEvents = eventKinds({
  'commit_status.created': payloadBuilder([statusEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const { db, links, git } = context;
      const row = await findStatus(db, event.data.status);
      const gitRepository = repoOf(git, repository.id);
      if (row?.repository_id !== repository.id || !(await repositoryExists(gitRepository))) return [];
      await using reader = await openObjects(gitRepository);
      const commit = (await reader.findCommits([row.commit_sha])).get(row.commit_sha);
      if (!commit) return [];
      const urls = repositoryUrlsOf(links, repository);
      const { creator: _, url: _url, node_id: _node, ...status } = await presentStatus(context, urls, row);
      const branches = await listBranchesWith(gitRepository, commit.oid, maxBranches);
      const protections = await loadProtections(
        db,
        repository.id,
        branches.map(({ name }) => shortNameOf(name)),
      );
      const body = {
        ...status,
        sha: commit.oid,
        name: `${repository.owner.login}/${repository.name}`,
        commit: await presentCommit({ ...context, now: event.at }, urls, commit),
        branches: branches.map(({ name, oid }) => ({
          name: shortNameOf(name),
          commit: { sha: oid, url: commitLink(urls, oid).url },
          protected: protections.has(shortNameOf(name)),
        })),
      };
      return [{ type: statusEvent, action: null, body }];
    }),
  ),
});
