import { acceptedPermissions, type Policy } from '#access/policy.ts';
import { everyCredential, tokensAmong } from '#access/tokens.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { hasErrorTexts } from '#endpoint/error-texts.ts';
import { positionsOf } from '#endpoint/paging.ts';
import { wordSchemasOf } from '#endpoint/path-resource.ts';
import { mayHoldSlashes } from '#endpoint/path-words.ts';
import { isOptionalBody } from '#endpoint/validate.ts';
import type { Media } from '#lib/media.ts';
import { emitBody, emitField } from '#vocabulary/body.ts';
import { emitPermission } from '#vocabulary/headers.ts';
import { emitParameter, emitRoute } from '#vocabulary/paths.ts';
import { mediaWord, type Vocabulary } from '#vocabulary/words.ts';
import { makeReferences, type NamedSchemas, type References } from './components.ts';
import { needsText } from './needs.ts';
import { refusalReasons, refusalsOf } from './refusals.ts';

type Json = Record<string, unknown>;

type DocumentParts = {
  endpoints: readonly (Endpoint & { readonly family: string })[];
  schemas: NamedSchemas;
  vocabulary: Vocabulary;
  version: string;
  /** The base address of the API. */
  server: string;
};

/** Makes the OpenAPI 3.1 document from the endpoint declarations. */
export function makeDocument({ endpoints, schemas, vocabulary, version, server }: DocumentParts): Json {
  const references = makeReferences({ ...schemas }, vocabulary);
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const route = emitRoute(vocabulary, endpoint.path);
    paths[route] ??= {};
    paths[route][endpoint.method.toLowerCase()] = operation(endpoint, references, vocabulary);
  }
  const tags = [...new Set(endpoints.map(({ family }) => family))].map((name) => ({ name }));
  return {
    openapi: '3.1.0',
    info: { title: 'Hearth', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: server }],
    tags,
    paths,
    components: {
      schemas: { ...references.components(), Error: errorSchema, ErrorWithTexts: errorWithTexts },
      responses: refusals,
      securitySchemes,
    },
  };
}

function operation(endpoint: Endpoint & { readonly family: string }, references: References, vocabulary: Vocabulary): Json {
  const { id, summary, access, family } = endpoint;
  const isOpen = access.public === true || isPublic(access);
  return {
    operationId: id,
    summary,
    description: needsText(access, vocabulary),
    tags: [family],
    parameters: parametersOf(endpoint, references, vocabulary),
    ...(endpoint.body ? { requestBody: bodyOf(endpoint, references, vocabulary) } : {}),
    ...(endpoint.carries === 'text' ? { requestBody: textBody } : {}),
    ...(endpoint.carries === 'bytes' ? { requestBody: bytesBody } : {}),
    responses: {
      ...repliesOf(endpoint, references, vocabulary),
      ...redirectsOf(endpoint),
      ...notModifiedOf(endpoint),
      ...refusalRefs(endpoint),
    },
    security: [...(isOpen ? [{}] : []), { [schemeOf(access)]: [] }],
    'x-permissions': acceptedPermissions(access.permission, (name) => emitPermission(vocabulary, name)),
    'x-scopes': access.scopes ?? [],
    ...(access.alsoScopes ? { 'x-also-scopes': access.alsoScopes } : {}),
    'x-tokens': 'none' in ruleOf(access) && !access.credentials ? undefined : tokensAmong(access.credentials ?? everyCredential),
    ...(access.role ? { 'x-role': access.role } : {}),
    ...(access.orRole ? { 'x-or-role': access.orRole } : {}),
  };
}

const ruleOf = ({ permission }: Policy): object => (typeof permission === 'string' ? {} : permission);
const reasonOf = ({ permission }: Policy): string | undefined =>
  typeof permission === 'object' && 'none' in permission ? permission.none : undefined;
const isPublic = (access: Policy): boolean => ['public', 'token_exchange'].includes(reasonOf(access) ?? '');

function schemeOf(access: Policy): keyof typeof securitySchemes {
  const reason = reasonOf(access);
  if (reason === 'app_jwt') return 'appToken';
  return reason === 'client_secret' ? 'clientSecret' : 'token';
}

function parametersOf(endpoint: Endpoint, references: References, vocabulary: Vocabulary): Json[] {
  const words = [...wordSchemasOf(endpoint)].map(([name, schema]) => ({
    name: emitParameter(vocabulary, name),
    in: 'path',
    required: true,
    schema: references.of(schema),
    ...(mayHoldSlashes(schema) ? { description: 'May hold slashes.' } : {}),
  }));
  const query = endpoint.query as { properties?: Record<string, object>; required?: string[] } | undefined;
  const queryParameters = Object.entries(query?.properties ?? {}).map(([name, schema]) => {
    const { 'x-demanded': isRequired = false, default: fallback, ...shape } = schema as Json;
    return {
      name: emitField(vocabulary, name),
      in: 'query',
      required: isRequired === true || ((query?.required ?? []).includes(name) && fallback === undefined),
      schema: references.of(isRequired === true ? shape : schema),
    };
  });
  return [...words, ...queryParameters, ...pagingOf(endpoint)];
}

function pagingOf({ paging }: Endpoint): Json[] {
  if (!paging) return [];
  const { style, defaultLimit, maxLimit } = paging;
  // Numbers out of range are accepted: numbers that are too large count as the maximum, others as the default. So the schemas
  // have no bounds.
  const limit = {
    name: 'per_page',
    in: 'query',
    description: `The number of results on a page, ${maxLimit} at most.`,
    schema: { type: 'integer', default: defaultLimit },
  };
  return [limit, ...positionsOf[style].map((name) => ({ name, in: 'query', ...positions[name] }))];
}

const positions = {
  page: { description: 'The number of the page, from 1.', schema: { type: 'integer', default: 1 } },
  cursor: { description: 'As the Link header gives it.', schema: { type: 'string' } },
  since: { description: 'An id. The page has what comes after it.', schema: { type: 'integer', default: 0 } },
  before: { description: 'A cursor, as the Link header gives it: the page that comes before it.', schema: { type: 'string' } },
  after: { description: 'A cursor, as the Link header gives it: the page that comes after it.', schema: { type: 'string' } },
} as const;

function bodyOf(endpoint: Endpoint, references: References, vocabulary: Vocabulary): Json {
  const schema = endpoint.body ?? {};
  const isOptional = isOptionalBody(schema);
  return {
    required: !isOptional,
    content: {
      'application/json': {
        schema: isOptional ? { anyOf: [references.of(schema), { type: 'null' }] } : references.of(schema),
        ...(endpoint.example === undefined ? {} : { example: emitBody(vocabulary, endpoint.example, schema) }),
      },
    },
  };
}

const bytesBody = { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };

const textBody = {
  required: true,
  content: { 'text/plain': { schema: { type: 'string' } }, 'text/x-markdown': { schema: { type: 'string' } } },
};

const reasons: Readonly<Record<string, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  205: 'Reset content',
  302: 'Found',
};

function repliesOf(endpoint: Endpoint, references: References, vocabulary: Vocabulary): Json {
  return Object.fromEntries(
    Object.entries(endpoint.replies).map(([status, schema]) => {
      const description = reasons[status] ?? 'Reply';
      if (isNothing(schema)) return [status, { description }];
      const json = { schema: references.of(schema, endpoint.id) };
      const [type, ...others] = mediaTypesOf(endpoint, schema, vocabulary);
      const content = { [type]: json, ...Object.fromEntries(others.map((name) => [name, {}])) };
      return [status, { description, ...linkHeaderOf(endpoint), content }];
    }),
  );
}

/**
 * Whether a media type is a text and not JSON. `raw` and `html` are a file by themselves. Together with other renderings of a
 * text, they are fields of the JSON.
 */
const isText = (name: Media, all: readonly Media[]): boolean =>
  name === 'diff' || name === 'patch' || name === 'sha' || ((name === 'raw' || name === 'html') && !all.includes('text'));

const typesOfTheirOwn: { readonly [Name in Media]?: string } = {
  bytes: 'application/octet-stream',
  sarif: 'application/sarif+json',
};

/** The media types of a reply: JSON, unless its schema has another, and the types that the endpoint offers in addition. */
export function mediaTypesOf(
  { media = [] }: Pick<Endpoint, 'media'>,
  schema: { contentMediaType?: string },
  vocabulary: Vocabulary,
): [string, ...string[]] {
  const [neutral, vendor] = mediaWord;
  const word = vocabulary === 'service' ? neutral : vendor;
  const others = media
    .filter((name) => name !== 'json')
    .map((name) => typesOfTheirOwn[name] ?? `application/vnd.${word}.${name}${isText(name, media) ? '' : '+json'}`);
  return [schema.contentMediaType ?? 'application/json', ...others];
}

const isNothing = (schema: object): boolean => 'type' in schema && schema.type === 'void';

const linkHeaderOf = ({ paging }: Endpoint): Json =>
  paging ? { headers: { Link: { description: linked[paging.style], schema: { type: 'string' } } } } : {};

const linked = {
  pages: 'The first, previous, next and last page.',
  inside: 'The first, previous, next and last page.',
  cursors: 'The previous and the next page.',
  both: 'The first, previous, next and last page; by cursors, the previous and the next one.',
  since: 'The next page.',
} as const;

/** Every 200 of a GET has an ETag, and supports conditional requests. */
const notModifiedOf = ({ method, replies }: Endpoint): Json =>
  method === 'GET' && replies[200] ? { 304: { description: 'Not modified since the client asked last' } } : {};

/**
 * A repository's former name redirects to the current name. If an endpoint replies only with a redirect, clients see the target's
 * content, since they follow it themselves.
 */
function redirectsOf({ method, path, replies }: Endpoint): Json {
  const moved = { description: 'The repository has another name now, to which `Location` leads' };
  const followed = { description: 'What the redirect leads to', content: { 'application/octet-stream': {} } };
  return {
    ...(path.includes('{repo}') ? { [method === 'GET' ? 301 : 307]: moved } : {}),
    ...(Object.keys(replies).every((status) => status.startsWith('3')) ? { 200: followed } : {}),
  };
}

const refusalRefs = (endpoint: Endpoint): Json =>
  Object.fromEntries(
    refusalsOf(endpoint).map((status) => {
      const name = status === 422 && hasErrorTexts(endpoint) ? '422_texts' : status;
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );

const errorSchema = {
  type: 'object',
  required: ['message', 'documentation_url', 'status'],
  properties: {
    message: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['resource', 'field', 'code'],
        properties: {
          resource: { type: 'string' },
          field: { type: 'string' },
          code: { type: 'string' },
          message: { type: 'string' },
        },
      },
    },
    documentation_url: { type: 'string' },
    status: { type: 'string' },
  },
};

/** An error that names its fields in texts. */
const errorWithTexts = {
  ...errorSchema,
  properties: { ...errorSchema.properties, errors: { type: 'array', items: { type: 'string' } } },
};

const refusal = (description: string, schema: 'Error' | 'ErrorWithTexts' = 'Error'): Json => ({
  description,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

const refusals = {
  ...Object.fromEntries(Object.entries(refusalReasons).map(([status, reason]) => [status, refusal(reason)])),
  '422_texts': refusal(refusalReasons[422], 'ErrorWithTexts'),
};

const securitySchemes = {
  token: { type: 'http', scheme: 'bearer', description: 'A token of any kind.' },
  appToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: "An app's JSON web token (RS256)." },
  clientSecret: { type: 'http', scheme: 'basic', description: "An app's client id and secret." },
};
