import { type PermissionSet, permissions } from '#access/permissions.ts';
import { expandScopes, type Scope, scopes } from '#access/scopes.ts';
import type { Account } from '#access/viewer.ts';
import { installApp, oauthToken } from '#test/support/apps.ts';
import type { Right } from './rights.ts';
import type { Stage } from './stage.ts';

export type Caller = {
  name: string;
  token: string | undefined;
  /** The status by which the call is refused; it is let through where there is none. */
  refused?: 401 | 403 | 404;
};

const everyPermission = Object.values(permissions).flat();

/** All permissions to write but one. */
const allBut = (name: string): PermissionSet =>
  Object.fromEntries(everyPermission.filter((other) => other !== name).map((other) => [other, 'write']));

/** All scopes but those that are one of these, or include it. */
const scopesWithout = (wanted: readonly Scope[]): Scope[] =>
  scopes.filter((scope) => !wanted.some((one) => expandScopes([scope]).has(one)));

/** Everybody who may call, each with one thing right or wrong about the credential or the account behind it. */
export async function callersFor(stage: Stage, right: Right): Promise<Caller[]> {
  const hidden = right.route.startsWith('GET ') ? 404 : 403;
  return [
    { name: 'nobody', token: undefined, refused: 401 },
    { name: 'an unknown token', token: `hrp_${'0'.repeat(36)}`, refused: 401 },
    ...(await scopedCallers(stage, right, hidden)),
    ...(await fineGrainedCallers(stage, right, hidden)),
    ...(await appCallers(stage, right, hidden)),
  ];
}

/** Classic tokens and those of OAuth apps: by their scopes, and by who gave them. */
async function scopedCallers({ here, app, ...people }: Stage, { scopes, role }: Right, hidden: 403 | 404): Promise<Caller[]> {
  const kinds = {
    classic: (user: Account, held: readonly Scope[]) => here.token(user, held),
    'OAuth app': (user: Account, held: readonly Scope[]) => oauthToken(here, user, held, app),
  };
  const others = role === 'anyone' ? {} : { refused: hidden };
  const made = Object.entries(kinds).map(async ([kind, token]) => [
    { name: `${kind}, the scope alone, owner`, token: await token(people.owner, scopes) },
    { name: `${kind}, every other scope, owner`, token: await token(people.owner, scopesWithout(scopes)), refused: hidden },
    { name: `${kind}, no scope, owner`, token: await token(people.owner, []), refused: hidden },
    { name: `${kind}, the scope, member`, token: await token(people.member, scopes), ...others },
    { name: `${kind}, the scope, outsider`, token: await token(people.outsider, scopes), ...others },
  ]);
  return (await Promise.all(made)).flat();
}

/** Which permission sets are tried, and whether each suffices. */
function setsFor({ permission, level }: Right): { held: string; set: PermissionSet; suffices: boolean }[] {
  return [
    { held: `${permission}:${level} alone`, set: { [permission]: level }, suffices: true },
    { held: 'every other permission', set: allBut(permission), suffices: false },
    level === 'write'
      ? { held: 'only to read', set: { ...allBut(permission), [permission]: 'read' }, suffices: false }
      : { held: 'to write too', set: { [permission]: 'write' }, suffices: true },
  ];
}

async function fineGrainedCallers(stage: Stage, right: Right, hidden: 403 | 404): Promise<Caller[]> {
  const { here, owner, org, member, outsider, elsewhere } = stage;
  const enough = { [right.permission]: right.level };
  const others = right.role === 'anyone' ? {} : { refused: hidden };
  const callers: Caller[] = [];
  for (const { held, set, suffices } of setsFor(right)) {
    const token = await here.fineGrained(owner, org, set);
    callers.push({ name: `fine-grained, ${held}, owner`, token, ...(suffices ? {} : { refused: 403 }) });
  }
  return [
    ...callers,
    { name: 'fine-grained, enough, member', token: await here.fineGrained(member, org, enough), ...others },
    { name: 'fine-grained, enough, no member any more', token: await here.fineGrained(outsider, org, enough), ...others },
    { name: 'fine-grained, for oneself', token: await here.fineGrained(owner, owner, enough), refused: 403 },
    { name: 'fine-grained, for another organization', token: await here.fineGrained(owner, elsewhere, enough), refused: 403 },
  ];
}

/** Apps, by themselves and for somebody. */
async function appCallers(stage: Stage, right: Right, hidden: 403 | 404): Promise<Caller[]> {
  const { here, owner, org, member, outsider, elsewhere } = stage;
  const enough = { [right.permission]: right.level };
  const others = right.role === 'anyone' ? {} : { refused: hidden };
  const callers: Caller[] = [];
  for (const { held, set, suffices } of setsFor(right)) {
    const app = await installApp(here, { on: org, permissions: set });
    const outcome = suffices ? {} : { refused: 403 as const };
    callers.push({ name: `installation, ${held}`, token: app.token, ...outcome });
    callers.push({ name: `app for the owner, ${held}`, token: await app.userToken(owner), ...outcome });
  }
  const installed = await installApp(here, { on: org, permissions: enough });
  const there = await installApp(here, { on: elsewhere, permissions: enough });
  return [
    ...callers,
    { name: 'app for a member, enough', token: await installed.userToken(member), ...others },
    { name: 'app for an outsider, enough', token: await installed.userToken(outsider), ...others },
    { name: 'installation elsewhere', token: there.token, refused: 403 },
    { name: 'app installed elsewhere, for the owner', token: await there.userToken(owner), refused: 403 },
  ];
}
