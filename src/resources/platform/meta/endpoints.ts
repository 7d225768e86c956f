// Information about the server: addresses, versions and rate limits.
import { Type } from 'typebox';
import { type RateLimit, readLimits } from '#access/rate-limits.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { apiVersions } from '#endpoint/versions.ts';
import { getOrThrow } from '#lib/collections.ts';
import { Refusal } from '#lib/refusal.ts';
import type { SshKey } from '#lib/ssh-key.ts';
import { Meta, pageOfAuthorizations, RateLimits, Root, type RootField, rootPaths } from './schemas.ts';

const access = { permission: { none: 'public' } } as const;

export const getRoot = endpoint({
  id: 'meta/root',
  method: 'GET',
  path: '/',
  summary: 'Get the addresses of the API',
  access,
  replies: { 200: Root },
  async handle({ links }) {
    const entries = Object.entries(rootPaths).map(([field, path]) => [
      field,
      (path === pageOfAuthorizations ? links.html : links.api) + path,
    ]);
    return Object.fromEntries(entries) as Record<RootField, string>; // one entry for each field
  },
});

export const getMeta = endpoint({
  id: 'meta/get',
  method: 'GET',
  path: '/meta',
  summary: 'Get meta information',
  access,
  replies: { 200: Meta },
  async handle({ services }) {
    // Passwords are for signing in on the web. The API takes tokens only.
    const { version, ssh } = services;
    return { verifiable_password_authentication: false, installed_version: version, ...(ssh && presentHostKeys(ssh.hostKeys)) };
  },
});

export const listVersions = endpoint({
  id: 'meta/get-all-versions',
  method: 'GET',
  path: '/versions',
  summary: 'List the versions of the API',
  access,
  replies: { 200: Type.Array(Type.String({ format: 'date' })) },
  async handle() {
    return [...apiVersions].reverse();
  },
});

export const getRateLimits = endpoint({
  id: 'rate-limit/get',
  method: 'GET',
  path: '/rate_limit',
  summary: 'Get the rate limits of the caller',
  access,
  refuses: [404],
  replies: { 200: RateLimits },
  async handle({ db, viewer, services: { limits }, address }) {
    if (!limits.enabled) throw new Refusal('not_found', 'Rate limiting is not enabled.');
    const states = await readLimits(db, limits, { viewer, address }, new Date());
    const byName = new Map(states.map((state) => [state.resource, presentLimit(state)]));
    const core = getOrThrow(byName, 'core');
    const resources = {
      core,
      search: getOrThrow(byName, 'search'),
      code_search: getOrThrow(byName, 'code_search'),
      semantic_search: getOrThrow(byName, 'semantic_search'),
    };
    return { resources, rate: core };
  },
});

function presentHostKeys(keys: readonly SshKey[]): Pick<Meta, 'ssh_keys' | 'ssh_key_fingerprints'> {
  const fingerprints = keys.map(({ key, fingerprint }) => [`SHA256_${kindOf(key)}`, fingerprint.replace(/^SHA256:/, '')]);
  return { ssh_keys: keys.map(({ key }) => key), ssh_key_fingerprints: Object.fromEntries(fingerprints) };
}

const kindOf = (key: string): string => (key.startsWith('ecdsa') ? 'ECDSA' : key.startsWith('ssh-rsa') ? 'RSA' : 'ED25519');

const presentLimit = ({ limit, remaining, reset, used }: RateLimit) => ({ limit, remaining, reset, used });
