import type { Id } from '#lib/id.ts';
import type { FollowUps } from '#resources/follow-ups.ts';
import { findAppById } from '#resources/repositories/apps/index.ts';
import { lockMerging, recordMerge } from './completing.ts';

declare module '#resources/follow-ups.ts' {
  interface FollowUpData {
    /**
     * The base of a pull request got the commit of its merge, which has the changes of a head. `app`: the app by which somebody
     * merged it. `by`: who merged it, where it isn't who moved the base.
     */
    'pulls.merge': {
      issue: Id<'issues'>;
      commit: string;
      /** Intents of earlier versions have none. */
      head?: string;
      app: Id<'apps'> | null;
      by?: Id<'accounts'> | undefined;
    };
  }
}

/** Completes a merge whose base branch has moved. */
export const pullFollowUps: FollowUps<'pulls.merge'> = {
  async 'pulls.merge'(scope, { issue, commit, head, app, by }) {
    const merging = await lockMerging(scope.tx, issue);
    // A process that ended after the move leaves time to delete the app.
    const found = app === null ? undefined : await findAppById(scope.tx, app);
    return async (move) => {
      if (!merging) return;
      const merge = { commit, app: found?.id ?? null, head: head ?? merging.pull.head_sha };
      await recordMerge(scope, by === undefined ? move : { ...move, actor: by }, merging, merge);
    };
  },
};
