import { changeWithoutRequest } from '#endpoint/change-in.ts';
import { createUser } from '#resources/identity/accounts/index.ts';
import { putMembership } from '#resources/identity/members/index.ts';
import { createOrganization } from '#resources/identity/organizations/index.ts';
import { createTeam, setTeamMember } from '#resources/identity/teams/index.ts';
import { createClassicToken, createFineGrainedToken } from '#resources/identity/tokens/index.ts';
import { agree, exchangeCode, type Outcome } from '#resources/platform/oauth/index.ts';
import { createApp, createInstallationToken, installApp, makeAppKeys } from '#resources/repositories/apps/index.ts';
import { openHearth, type Settings } from '#server/hearth.ts';

/** One token of each kind (document 1, Authentication 2). */
export type Tokens = { classic: string; fineGrained: string; oauth: string; appUser: string; installation: string };

const permissions = { contents: 'read', issues: 'write', members: 'read', organization_webhooks: 'read' };

/** Creates the data of a small team: users, an organization with teams, an installed app, and tokens. */
export async function createDemoData(settings: Settings): Promise<Tokens> {
  await using hearth = await openHearth({ ...settings, connections: 2, work: 'command' });
  const keys = await makeAppKeys();
  const now = new Date();
  const { database, services } = hearth;
  return await changeWithoutRequest({ db: database.db, services, now }, async (scope) => {
    const ada = await createUser(scope, { login: 'ada', name: 'Ada Lovelace', siteAdmin: true, now });
    const grace = await createUser(scope, { login: 'grace', name: 'Grace Hopper', now });
    const acme = await createOrganization(scope, { login: 'acme', name: 'Acme', owner: ada, now });
    await putMembership(scope.tx, { organization_id: acme.id, user_id: grace.id, role: 'member', created_at: now });
    const by = ada.id;
    const engineers = await createTeam(scope, { org: acme, wanted: { name: 'Engineers', privacy: 'closed' }, by, now });
    const search = { name: 'Search', privacy: 'closed', parent: engineers.id } as const;
    await createTeam(scope, { org: acme, wanted: search, by, now });
    await setTeamMember(scope, { team: engineers, user: grace, role: 'member', by, now });

    const base = { owner: ada, externalUrl: 'https://example.com', callbackUrls: ['https://example.com/callback'], now };
    const bot = await createApp(scope, { ...base, kind: 'app', name: 'Helper', permissions, publicKey: keys.publicKey });
    const client = await createApp(scope, { ...base, kind: 'oauth', name: 'Classic client' });
    const installation = await installApp(scope, { app: bot.app, account: acme, repositories: 'all', by: ada, now });
    const authorized = async (app: typeof bot.app, scopes: string[]): Promise<string> => {
      const code = await agree(scope, { app, user: grace, scopes, redirectUri: undefined, challenge: undefined, now });
      return tokenOf(await exchangeCode(scope, { app, code, verifier: undefined, redirectUri: undefined, now }));
    };
    const classic = await createClassicToken(scope, { user: ada, scopes: ['repo', 'admin:org'], now });
    const fine = await createFineGrainedToken(scope, { user: ada, owner: acme, permissions, repositories: 'all', now });
    const installed = await createInstallationToken(scope, { app: bot.app, installation, request: {}, now });
    return {
      classic: classic.token,
      fineGrained: fine.token,
      oauth: await authorized(client.app, ['public_repo']),
      appUser: await authorized(bot.app, []),
      installation: installed.token,
    };
  });
}

function tokenOf(outcome: Outcome): string {
  if (!('granted' in outcome)) throw new Error(`The exchange of a code failed: ${outcome.problem}`);
  return outcome.granted.token;
}
