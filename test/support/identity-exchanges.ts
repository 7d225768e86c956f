// Three clouds and two registries that exchange identity tokens. They check what the real ones are documented to check.
import { createHash, createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { type Received, receiver } from './receiver.ts';

/** A request that a cloud or registry got, and the claims of the identity token in it. */
export type ExchangeCall = Received & { readonly claims?: JWTPayload };

type Refusal = { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> };

export type IdentityExchanges = {
  /** The origin of all of them. */
  readonly url: string;
  /** The addresses that lead to the clouds. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly calls: ExchangeCall[];
  /** The issuer whose tokens are accepted, and the time at which they are checked. */
  trust: { readonly issuer: string; readonly now: () => Date };
  /** Called before each answer. What it returns is the answer instead. */
  before: (call: Received) => Promise<Refusal | undefined> | Refusal | undefined;
};

/** The keys of a session of a role. */
const keys = { id: 'ASIAEXAMPLE', secret: 'role-secret/+=', session: 'session-token==' };

/** Starts them. They are closed after the last test of the file. */
export async function identityExchanges(): Promise<IdentityExchanges> {
  const { url: hook } = await receiver((response, received) => void answer(response, received));
  const { origin } = new URL(hook);
  const self: IdentityExchanges = {
    url: origin,
    addresses: {
      cloud_a: `${origin}/cloud-a`,
      cloud_b_roles: `${origin}/cloud-b/roles/{region}`,
      cloud_b_packages: `${origin}/cloud-b/packages/{region}`,
      cloud_b_containers: `${origin}/cloud-b/containers/{region}`,
      cloud_c_tokens: `${origin}/cloud-c/tokens/`,
      cloud_c_accounts: `${origin}/cloud-c/accounts`,
      registry_b: `${origin}/registry-b`,
    },
    calls: [],
    trust: { issuer: '', now: () => new Date() },
    before: () => undefined,
  };

  async function answer(response: ServerResponse, call: Received): Promise<void> {
    const instead = await self.before(call);
    if (instead) {
      self.calls.push(call);
      response.writeHead(instead.status, instead.headers).end(instead.body);
      return;
    }
    try {
      response.end(await reply(call));
    } catch (error) {
      self.calls.push(call);
      response.writeHead(400).end(JSON.stringify({ error_description: String(error) }));
    }
  }

  async function claimsOf(token: unknown): Promise<JWTPayload> {
    const jwks = createRemoteJWKSet(new URL(`${self.trust.issuer}/.well-known/jwks`));
    const { payload } = await jwtVerify(String(token), jwks, {
      issuer: self.trust.issuer,
      currentDate: self.trust.now(),
      algorithms: ['RS256'],
    });
    return payload;
  }

  /** Notes a call with the claims of its verified identity token. */
  async function note(call: Received, token: unknown): Promise<void> {
    self.calls.push({ ...call, claims: await claimsOf(token) });
  }

  async function reply(call: Received): Promise<string> {
    const { pathname, searchParams } = new URL(call.path, origin);
    const form = new URLSearchParams(call.body);
    const isForm = call.headers['content-type'] === 'application/x-www-form-urlencoded';
    const json = () => JSON.parse(call.body) as Record<string, unknown>;
    if (/^\/cloud-a\/[^/]+\/oauth2\/v2\.0\/token$/.test(pathname)) {
      demand(isForm && form.get('grant_type') === 'client_credentials', 'AADSTS70003');
      demand(form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer', 'AADSTS50027');
      await note(call, form.get('client_assertion'));
      return JSON.stringify({
        token_type: 'Bearer',
        expires_in: 3_599,
        access_token: `cloud-a for ${form.get('scope')}`.replaceAll(' ', '-'),
      });
    }
    if (pathname === '/oauth2/exchange') {
      demand(isForm && form.get('grant_type') === 'access_token' && form.get('service') !== null, 'BAD_REQUEST');
      self.calls.push(call);
      return JSON.stringify({ refresh_token: `containers-of-${form.get('access_token')}` });
    }
    if (/^\/cloud-b\/roles\/[\w-]+\/$/.test(pathname)) {
      demand(
        isForm && form.get('Action') === 'AssumeRoleWithWebIdentity' && form.get('Version') === '2011-06-15',
        'InvalidAction',
      );
      demand(/^[\w+=,.@-]{2,64}$/.test(form.get('RoleSessionName') ?? ''), 'ValidationError');
      await note(call, form.get('WebIdentityToken'));
      return (
        '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>' +
        `<Credentials><SessionToken>${keys.session}</SessionToken><SecretAccessKey>${keys.secret}</SecretAccessKey>` +
        `<Expiration>2026-01-01T01:00:00Z</Expiration><AccessKeyId>${keys.id}</AccessKeyId></Credentials>` +
        '</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>'
      );
    }
    if (/^\/cloud-b\/packages\/[\w-]+\/v1\/authorization-token$/.test(pathname)) {
      checkSignature(call, 'codeartifact', self.trust.now());
      self.calls.push(call);
      return JSON.stringify({ authorizationToken: `packages-of-${searchParams.get('domain')}`, expiration: 1.7e9 });
    }
    if (/^\/cloud-b\/containers\/[\w-]+\/$/.test(pathname)) {
      checkSignature(call, 'ecr', self.trust.now());
      demand(call.headers['x-amz-target'] === 'AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken', 'UnknownOperation');
      self.calls.push(call);
      const authorizationToken = Buffer.from('AWS:container:password').toString('base64');
      return JSON.stringify({ authorizationData: [{ authorizationToken, proxyEndpoint: 'https://1.dkr.ecr.example' }] });
    }
    if (pathname === '/cloud-c/tokens/v1/token') {
      const asked = json();
      demand(asked.grantType === 'urn:ietf:params:oauth:grant-type:token-exchange', 'invalid_grant');
      demand(asked.requestedTokenType === 'urn:ietf:params:oauth:token-type:access_token', 'invalid_request');
      demand(asked.subjectTokenType === 'urn:ietf:params:oauth:token-type:jwt' && asked.scope !== undefined, 'invalid_request');
      demand(call.headers.authorization === undefined, 'unexpected header');
      await note(call, asked.subjectToken);
      return JSON.stringify({ access_token: 'federated', token_type: 'Bearer', expires_in: 3_599 });
    }
    if (/^\/cloud-c\/accounts\/v1\/projects\/-\/serviceAccounts\/[^/]+:generateAccessToken$/.test(pathname)) {
      demand(call.headers.authorization === 'Bearer federated' && Array.isArray(json().scope), 'PERMISSION_DENIED');
      self.calls.push(call);
      return JSON.stringify({ accessToken: 'impersonated', expireTime: '2026-01-01T01:00:00Z' });
    }
    if (pathname === '/access/api/v1/oidc/token') {
      const asked = json();
      demand(asked.grant_type === 'urn:ietf:params:oauth:grant-type:token-exchange', 'bad grant');
      demand(asked.subject_token_type === 'urn:ietf:params:oauth:token-type:id_token', 'bad type');
      await note(call, asked.subject_token);
      return JSON.stringify({ access_token: 'registry-a-token', username: 'deployer', token_type: 'Bearer' });
    }
    if (/^\/registry-b\/openid\/[^/]+\/$/.test(pathname)) {
      await note(call, json().oidc_token);
      return JSON.stringify({ token: `registry-b-of-${json().service_slug}` });
    }
    throw new Error(`nothing is at ${pathname}`);
  }
  return self;
}

function demand(isRight: boolean, problem: string): void {
  if (!isRight) throw new Error(problem);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Checks a request's signature of version 4, computed from the document that describes it. */
function checkSignature({ headers, path, body }: Received, service: string, now: Date): void {
  const [, credential = '', signed = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const [id, day = '', region = '', ...rest] = credential.split('/');
  const time = String(headers['x-amz-date']);
  demand(id === keys.id && rest.join('/') === `${service}/aws4_request`, 'UnrecognizedClientException');
  demand(path.includes(`/${region}/`), 'SignatureDoesNotMatch: region');
  demand(time === `${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}` && time.startsWith(day), 'SignatureDoesNotMatch: time');
  demand(headers['x-amz-security-token'] === keys.session, 'InvalidClientTokenId');
  const names = signed.split(';');
  demand(
    ['host', 'x-amz-date', 'x-amz-security-token'].every((name) => names.includes(name)),
    'unsigned headers',
  );
  const url = new URL(path, 'http://fake');
  const canonical = [
    'POST',
    // Each part of the path is encoded once more.
    url.pathname.split('/').map(encodeURIComponent).join('/'),
    // Parameters are in the order of their names.
    [...url.searchParams.entries()]
      .map(([name, value]) => [encodeURIComponent(name), encodeURIComponent(value)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map((pair) => pair.join('='))
      .join('&'),
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${keys.secret}`);
  demand(hmac(key, toSign).toString('hex') === signature, 'SignatureDoesNotMatch');
}
