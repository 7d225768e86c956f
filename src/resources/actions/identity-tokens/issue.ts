// Identity tokens: signed statements about a job. Other services accept them instead of a stored secret.
import { randomUUID } from 'node:crypto';
import type { Database, Db } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import type { Id } from '#lib/id.ts';
import { type SubjectTemplate, subjectOf, subjectTemplateOf } from '#resources/actions/actions-oidc/index.ts';
import { algorithm, type KeyContext, signingKey } from './keys.ts';

/**
 * How many seconds a token is valid (the public API's time), and how many seconds a verifier's clock may be behind.
 */
const lifetime = 300;
const leeway = 60;

/** The facts about a running job that its tokens state. */
export type JobIdentity = {
  readonly repository: {
    readonly id: Id<'repositories'>;
    readonly name: string;
    readonly owner: { readonly id: number; readonly login: string };
  };
  readonly eventName: string;
  /** Undefined for a commit without a ref. */
  readonly ref: string | undefined;
  readonly environment: string | undefined;
  /** By the public API's names of claims. */
  readonly claims: Readonly<Record<string, string>>;
};

/** The issuer of this server's tokens. Its discovery document is below this address. */
export const issuerOf = ({ html }: Pick<Links, 'html'>): string => `${html}/_services/token`;

/**
 * Issues a token about a job, with the public API's claims.
 * @param audience the token's audience; if omitted, the page of the repository's owner
 */
export async function issueToken(
  { db }: Pick<Database, 'db'>,
  { identity, links, audience }: { identity: JobIdentity; links: Pick<Links, 'html'>; audience: string | undefined },
  context: KeyContext,
): Promise<string> {
  const [{ kid, privateKey }, template] = await Promise.all([
    signingKey({ db }, context),
    subjectTemplateOf(db, identity.repository),
  ]);
  const { repository, claims } = identity;
  const { SignJWT } = await import('jose');
  const issuedAt = Math.floor(context.now.getTime() / 1_000);
  return new SignJWT({ ...claims, ...propertiesOf(template.properties) })
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .setJti(randomUUID())
    .setIssuer(issuerOf(links))
    .setSubject(subject(identity, template))
    .setAudience(audience ?? `${links.html}/${repository.owner.login}`)
    .setIssuedAt(issuedAt)
    .setNotBefore(issuedAt - leeway)
    .setExpirationTime(issuedAt + lifetime)
    .sign(privateKey);
}

/** The subject of the tokens of a job. */
export const loadSubject = async (db: Db, identity: JobIdentity): Promise<string> =>
  subject(identity, await subjectTemplateOf(db, identity.repository));

const subject = ({ repository, eventName, ref, environment, claims }: JobIdentity, template: SubjectTemplate): string =>
  subjectOf(template, { repository, eventName, ref, environment, others: claims });

/** Custom properties as claims. Several values are joined as in the subject. */
const propertiesOf = (properties: Readonly<Record<string, string | readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, [value].flat().join(',')]));
