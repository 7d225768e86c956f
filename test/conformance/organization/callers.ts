import { levelsOf, type PermissionSet, permissionNames } from '#access/permissions.ts';
import { expandScopes, type Scope, scopes } from '#access/scopes.ts';
import type { Account } from '#access/viewer.ts';
import { hashToken } from '#lib/token.ts';
import { installApp, oauthToken } from '#test/support/apps.ts';
import type { Right } from './rights.ts';
import type { Stage } from './stage.ts';

export type Caller = {
  name: string;
  token: string | undefined;
  /** The status of the refusal; undefined if access is granted. */
  refused?: Refusal;
};

/** All permissions except one. */
const allBut = (name: string): PermissionSet =>
  Object.fromEntries(permissionNames.filter((other) => other !== name).map((other) => [other, levelsOf(other).at(-1)]));

/** All scopes except the given ones and scopes that include one of them. */
const scopesWithout = (wanted: readonly Scope[]): Scope[] =>
  scopes.filter((scope) => !wanted.some((one) => expandScopes([scope]).has(one)));

type Refusal = 401 | 403 | 404;

/**
 * How an endpoint refuses, depending on the problem. A GET conceals what it refuses. In a private repository everything is
 * concealed.
 */
type Answers = {
  nobody: Refusal;
  scope: Refusal;
  /** A known caller whose role isn't sufficient; undefined if there is no such role. */
  lesser: Refusal | undefined;
  outsider: Refusal | undefined;
  /** A credential for another organization. */
  elsewhere: Refusal;
};

function answersOf({ route, role }: Right): Answers {
  const hidden = route.startsWith('GET ') ? 404 : 403;
  if (route.includes('{repo}')) {
    const lesser = role === 'read' ? undefined : hidden;
    return { nobody: 404, scope: 404, lesser, outsider: 404, elsewhere: 404 };
  }
  const others = role === 'anyone' ? undefined : hidden;
  return { nobody: 401, scope: hidden, lesser: others, outsider: others, elsewhere: 403 };
}

/** A caller whose role is just sufficient, and a caller whose role is just too low. */
function peopleOf({ owner, member, inRepo }: Stage, { role }: Right): { holder: Account; lesser: Account } {
  switch (role) {
    case 'owner':
    case 'anyone':
      return { holder: owner, lesser: member };
    case 'admin':
      return { holder: inRepo.admin, lesser: inRepo.maintain };
    case 'write':
      return { holder: inRepo.write, lesser: inRepo.triage };
    case 'read':
      return { holder: inRepo.read, lesser: inRepo.read };
  }
}

/** All callers, each with one correct or wrong property of the credential or its account. */
export async function callersFor(stage: Stage, right: Right): Promise<Caller[]> {
  const groups = [scopedCallers(stage, right), fineGrainedCallers(stage, right), appCallers(stage, right)];
  const callers: Named[] = [
    ['nobody', undefined, answersOf(right).nobody],
    ['an unknown token', `hrp_${'0'.repeat(36)}`, 401],
    ['an expired token', await expiredToken(stage, right), 401],
    ...(await Promise.all(groups)).flat(),
  ];
  return callers.map(([name, token, refused]) => ({ name, token, ...(refused === undefined ? {} : { refused }) }));
}

type Named = [name: string, token: string | undefined, refused: Refusal | undefined];

async function expiredToken(stage: Stage, right: Right): Promise<string> {
  const { db, token: makeToken, clock } = stage.here;
  const token = await makeToken(peopleOf(stage, right).holder, right.scopes);
  await db.updateTable('tokens').set({ expires_at: clock.now }).where('hash', '=', hashToken(token)).execute();
  return token;
}

/** Classic tokens and OAuth app tokens, by their scopes and their owners. */
async function scopedCallers(stage: Stage, right: Right): Promise<Named[]> {
  const { here, app, outsider } = stage;
  const { holder, lesser } = peopleOf(stage, right);
  const answers = answersOf(right);
  const kinds = {
    classic: (user: Account, held: readonly Scope[]) => here.token(user, held),
    'OAuth app': (user: Account, held: readonly Scope[]) => oauthToken(here, user, held, app),
  };
  const made = Object.entries(kinds).map(
    async ([kind, token]): Promise<Named[]> => [
      ...(await Promise.all(
        right.scopes.map(async (scope): Promise<Named> => [`${kind}, ${scope} alone`, await token(holder, [scope]), undefined]),
      )),
      [`${kind}, every other scope`, await token(holder, scopesWithout(right.scopes)), answers.scope],
      [`${kind}, no scope`, await token(holder, []), answers.scope],
      [`${kind}, the scope, too low a role`, await token(lesser, right.scopes), answers.lesser],
      [`${kind}, the scope, outsider`, await token(outsider, right.scopes), answers.outsider],
    ],
  );
  return (await Promise.all(made)).flat();
}

/** The tested permission sets, and how insufficient ones are refused. */
function setsFor({ permission, level }: Right): { held: string; set: PermissionSet; refused: Refusal | undefined }[] {
  return [
    { held: `${permission}:${level} alone`, set: { [permission]: level }, refused: undefined },
    { held: 'every other permission', set: allBut(permission), refused: 403 },
    level === 'write'
      ? { held: 'only to read', set: { ...allBut(permission), [permission]: 'read' }, refused: 403 }
      : { held: 'to write too', set: { [permission]: 'write' }, refused: undefined },
  ];
}

async function fineGrainedCallers(stage: Stage, right: Right): Promise<Named[]> {
  const { here, org, outsider, elsewhere, owner } = stage;
  const { holder, lesser } = peopleOf(stage, right);
  const answers = answersOf(right);
  const enough = { [right.permission]: right.level };
  const bySet = setsFor(right).map(
    async ({ held, set, refused }): Promise<Named> => [
      `fine-grained, ${held}`,
      await here.fineGrained(holder, org, set),
      refused,
    ],
  );
  return [
    ...(await Promise.all(bySet)),
    ['fine-grained, enough, too low a role', await here.fineGrained(lesser, org, enough), answers.lesser],
    ['fine-grained, enough, no member any more', await here.fineGrained(outsider, org, enough), answers.outsider],
    ['fine-grained, for oneself', await here.fineGrained(holder, holder, enough), answers.elsewhere],
    ['fine-grained, for another organization', await here.fineGrained(owner, elsewhere, enough), answers.elsewhere],
  ];
}

/** Apps, as themselves and for a user. */
async function appCallers(stage: Stage, right: Right): Promise<Named[]> {
  const { here, org, outsider, elsewhere } = stage;
  const { holder, lesser } = peopleOf(stage, right);
  const answers = answersOf(right);
  const enough = { [right.permission]: right.level };
  const callers: Named[] = [];
  for (const { held, set, refused } of setsFor(right)) {
    const app = await installApp(here, { on: org, permissions: set });
    callers.push([`installation, ${held}`, app.token, refused]);
    callers.push([`app for somebody, ${held}`, await app.userToken(holder), refused]);
  }
  const installed = await installApp(here, { on: org, permissions: enough });
  const there = await installApp(here, { on: elsewhere, permissions: enough });
  const suspended = await installApp(here, { on: org, permissions: enough });
  const { db, clock } = here;
  await db.updateTable('installations').set({ suspended_at: clock.now }).where('id', '=', suspended.installation).execute();
  return [
    ...callers,
    ['app, enough, for too low a role', await installed.userToken(lesser), answers.lesser],
    ['app, enough, for an outsider', await installed.userToken(outsider), answers.outsider],
    ['installation, suspended', suspended.token, 403],
    ['app, suspended, for somebody', await suspended.userToken(holder), answers.elsewhere],
    ['installation elsewhere', there.token, answers.elsewhere],
    ['app installed elsewhere', await there.userToken(holder), answers.elsewhere],
  ];
}
