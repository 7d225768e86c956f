// Cloud B: an identity token assumes a role, which asks for a token of the packages or containers.
import type { AddressName } from './addresses.ts';
import type { Exchange, ExchangeRequest } from './exchange.ts';
import { ExchangeProblem, requiredText } from './requests.ts';

type Keys = { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken: string };

export const cloudB: Exchange = {
  audience: ({ audience = 'sts.amazonaws.com' }) => audience,
  async exchange(request) {
    const keys = await assumeRole(request);
    const { domain = '', domain_owner = '' } = request.registry.identity;
    if (request.registry.registry_type === 'docker_registry') return containerToken(request, keys);
    const reply = await sendSigned(request, keys, {
      service: 'codeartifact',
      address: 'cloud_b_packages',
      path: '/v1/authorization-token',
      query: { domain, 'domain-owner': domain_owner },
    });
    return { username: 'aws', secret: requiredText(reply, 'authorizationToken') };
  },
};

/** The keys of a session of the registry's role. */
async function assumeRole({ registry, identityToken, send, addressOf, session }: ExchangeRequest): Promise<Keys> {
  const { aws_region: region = '', account_id = '', role_name = '' } = registry.identity;
  const url = `${addressOf('cloud_b_roles', region)}/`;
  const reply = await send({
    url,
    headers: { accept: 'text/xml' },
    body: {
      form: {
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        RoleArn: `arn:${partitionOf(region)}:iam::${account_id}:role/${role_name}`,
        RoleSessionName: session,
        WebIdentityToken: identityToken,
      },
    },
  });
  const element = (name: string): string => {
    const [, text] = new RegExp(`<${name}>([^<]+)</${name}>`).exec(reply) ?? [];
    if (text === undefined) throw new ExchangeProblem(`the reply has no ${name}`);
    return text;
  };
  return {
    accessKeyId: element('AccessKeyId'),
    secretAccessKey: element('SecretAccessKey'),
    sessionToken: element('SessionToken'),
  };
}

function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

/** The service answers with user and password in Base64. */
async function containerToken(request: ExchangeRequest, keys: Keys) {
  const reply = await sendSigned(request, keys, {
    service: 'ecr',
    address: 'cloud_b_containers',
    path: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken',
    },
    text: '{}',
  });
  const encoded = requiredText(reply, 'authorizationData', 0, 'authorizationToken');
  const [, username, secret] = /^([^:]+):(.+)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (username === undefined || secret === undefined) throw new ExchangeProblem('the reply has no user and password');
  return { username, secret };
}

type SignedCall = {
  readonly service: string;
  readonly address: AddressName;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
};

/** Sends a request that is signed with the keys of the role. The libraries are loaded on the first call. */
async function sendSigned(
  { registry, send, addressOf, now }: ExchangeRequest,
  credentials: Keys,
  { service, address, path, query = {}, headers = {}, text = '' }: SignedCall,
): Promise<string> {
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([import('@smithy/signature-v4'), import('@smithy/core/checksum')]);
  const { aws_region: region = '' } = registry.identity;
  const url = new URL(`${addressOf(address, region)}${path}`);
  url.search = Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query,
      headers: { host: url.host, ...headers },
      body: text,
    },
    { signingDate: now },
  );
  return send({ url: url.href, headers: signed.headers, body: { text } });
}
