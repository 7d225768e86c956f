import fc from 'fast-check';
import { setTeamRole, unsetTeamRole } from '#resources/identity/teams/index.ts';
import { command, must, pathOf, pickRepository, type Real, which } from './command.ts';
import type { Model } from './model.ts';

/** Who may see what, beside what repositories say themselves. */

const onCrew = ({ world, crew, people }: Real) => ({ team: crew, by: people.ada.id, now: world.clock.now });

export const onAccess = [
  command('invite or remove the guest', 'access', fc.record({ which }), (model, given) => {
    const repository = pickRepository(model, given.which);
    if (!repository) return undefined;
    return async ({ clients, people }) => {
      const path = `${pathOf(model, repository)}/collaborators/${people.guest.login}`;
      if (repository.guest) await must(204, clients.owner.delete(path));
      else {
        const { id } = await must(201, clients.owner.put(path, {}));
        await must(204, clients.guest.patch(`/user/repository_invitations/${id}`));
      }
      repository.guest = !repository.guest;
    };
  }),

  command('give or take the access of a team', 'access', fc.record({ which }), (model, given) => {
    const repository = pickRepository(model, given.which, ({ owner }) => owner === 'acme');
    if (!repository) return undefined;
    return async (real) => {
      const { change, db } = real.world;
      const row = await db.selectFrom('repositories').selectAll().where('id', '=', repository.id).executeTakeFirstOrThrow();
      const given = { ...onCrew(real), repository: row };
      await change((scope) => (repository.team ? unsetTeamRole(scope, given) : setTeamRole(scope, { ...given, role: 'read' })));
      repository.team = !repository.team;
    };
  }),

  command('let members read everything, or nothing', 'access', fc.constant({}), (model: Model) => async ({ clients }) => {
    const body = { default_repository_permission: model.membersRead ? 'none' : 'read' };
    await must(200, clients.owner.patch(`/orgs/${model.logins.acme}`, body));
    model.membersRead = !model.membersRead;
  }),

  command('remove the member, or take them back', 'access', fc.constant({}), (model: Model) => async (real) => {
    const path = `/orgs/${model.logins.acme}/memberships/${real.people.member.login}`;
    if (model.isMember) await must(204, real.clients.owner.delete(path));
    else {
      await must(200, real.clients.owner.put(path, { role: 'member' }));
      await must(200, real.clients.member.patch(`/user/memberships/orgs/${model.logins.acme}`, { state: 'active' }));
    }
    model.isMember = !model.isMember;
  }),
];
