import { createTeam } from '#resources/teams/index.ts';
import { team } from '#resources/teams/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    team,
    // The API has no endpoint that makes one.
    async ({ change, org, owner, clock: { now } }) => {
      const { slug } = await change((tx) => createTeam(tx, { org, wanted: { name: fresh('team') }, by: owner.id, now }));
      return { team_slug: slug };
    },
  ],
]);
