import type { Account } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { orNotFound } from '#lib/refusal.ts';
import { changeTeam, createTeam, lockTeam, type TeamRow } from '#resources/identity/teams/index.ts';
import type { World } from '#test/support/world.ts';
import { fresh } from '#test/support/world.ts';

type Wanted = Parameters<typeof createTeam>[1]['wanted'];

/** Creates a team as its organization's operator would. */
export const team = (w: World, org: Account, wanted: Partial<Wanted> = {}): Promise<TeamRow> =>
  w.change((scope) => createTeam(scope, { org, wanted: { name: fresh('team'), ...wanted }, by: undefined, now: w.clock.now }));

/** A chain of closed teams, each below the one before. */
export async function chain(w: World, org: Account, length: number): Promise<TeamRow[]> {
  const teams: TeamRow[] = [];
  for (let i = 0; i < length; i++) teams.push(await team(w, org, { privacy: 'closed', parent: teams.at(-1)?.id }));
  return teams;
}

/** Changes a team as it is now, its row locked. */
export const changed = async (
  scope: WriteScope,
  { team: known, ...change }: Parameters<typeof changeTeam>[1],
): Promise<TeamRow> => changeTeam(scope, { ...change, team: orNotFound(await lockTeam(scope.tx, known)) });
