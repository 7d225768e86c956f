import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { wordSchemasOf } from '#endpoint/path-resource.ts';
import { mayHoldSlashes } from '#endpoint/path-words.ts';
import { mediaTypesOf } from '#openapi/document.ts';
import { refusalsOf } from '#openapi/refusals.ts';
import { allEndpoints } from '#resources/all.ts';
import { apiPrefix, routerOf } from '#server/router.ts';
import { neutralReply } from '#vocabulary/body.ts';
import type { Vocabulary } from '#vocabulary/words.ts';
import type { Answer } from './client.ts';
import { checkAgainstPublicSchema, publicOperation } from './public-schema.ts';

/** Every refusal must be in the description of the API. */
const refusalProblems = (endpoint: Endpoint, status: number): string[] =>
  refusalsOf(endpoint).some((known) => known === status) ? [] : [`the refusal ${status} is not declared`];

const validators = new WeakMap<TSchema, Validator>();

/** The problems of a body according to a schema, each with its location. */
function problemsOf(schema: TSchema, body: unknown): string[] {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator.Check(body) ? [] : validator.Errors(body).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** By method and first path word. The patterns with the most literal text come first. */
const patterns = Map.groupBy(
  allEndpoints
    .map((endpoint) => ({
      endpoint,
      pattern: patternOf(endpoint),
      literals: endpoint.path.replace(/\{\w+\}/g, '').length,
    }))
    .sort((one, other) => other.literals - one.literals),
  ({ endpoint }) => groupOf(endpoint.method, endpoint.path),
);

function groupOf(method: string, path: string): string {
  return `${method} ${path.split('/', 2)[1]}`;
}

function patternOf(endpoint: Endpoint): RegExp {
  const source = [...wordSchemasOf(endpoint)].reduce(
    (path, [word, schema]) => path.replace(`{${word}}`, mayHoldSlashes(schema) ? '(.*)' : '([^/]+)'),
    endpoint.path,
  );
  return new RegExp(`^${source}$`);
}

const byId = new Map(allEndpoints.map((endpoint) => [endpoint.id, endpoint]));

/**
 * The endpoint for a path: the matching one with the most literal text. For paths with ids and former paths, which no endpoint
 * declares, it is the endpoint that the router finds.
 */
export function endpointOf(method: string, path: string): Endpoint | undefined {
  const declared = patterns.get(groupOf(method, path))?.find(({ pattern }) => pattern.test(path))?.endpoint;
  return declared ?? byId.get(routerOf(allEndpoints)(method, apiPrefix + path)?.endpoint.id ?? '');
}

/** The problems of a reply according to its endpoint's own declaration, and to the public description of the same operation. */
export function replyProblems(method: string, path: string, answer: Answer, vocabulary: Vocabulary): string[] {
  const own = ownProblems(method, path, answer, vocabulary);
  return own.length > 0 ? own : publicProblems(method, path, answer, vocabulary);
}

function publicProblems(method: string, path: string, answer: Answer, vocabulary: Vocabulary): string[] {
  const endpoint = endpointOf(method, path);
  const operation = endpoint && publicOperation(method, endpoint.path);
  const isJson = answer.body !== undefined || answer.text === '';
  if (!operation || !isJson || (answer.status >= 300 && answer.status < 400)) return [];
  const { problems, unknown } = checkAgainstPublicSchema(operation.id, answer.status, describedBody(answer), vocabulary);
  const meant = answer.status >= 400 ? errorFields : [];
  return [...problems, ...unknown.filter((place) => !meant.includes(place)).map((place) => `${place} is not known`)];
}

/** In the public description, lists of starred repositories lack the time of each star, which the media type `star` adds. */
function describedBody({ body, headers }: Answer): unknown {
  const media = headers['x-service-media-type'] ?? headers['x-github-media-type'] ?? '';
  const isStarred = media.includes('param=star;') && Array.isArray(body);
  return isStarred ? body.map((item) => item.repo ?? item) : body;
}

/** Every error has these fields (document 1), but the public description has some of them only for some operations. */
const errorFields = ['/errors', '/status', '/documentation_url'];

function ownProblems(method: string, path: string, answer: Answer, vocabulary: Vocabulary): string[] {
  const endpoint = endpointOf(method, path);
  if (!endpoint) return answer.status === 404 ? [] : [`no endpoint is declared for ${method} ${path}`];
  if (answer.status >= 500) return [`${answer.status}: ${answer.text}`];
  if (answer.status >= 400) return refusalProblems(endpoint, answer.status);
  if (answer.status >= 300) return [];
  const schema = endpoint.replies[answer.status];
  if (!schema) return [`the status ${answer.status} is not declared`];
  const type = answer.headers['content-type']?.split(';')[0]?.replace('.v3.raw', '.raw') ?? '';
  if (answer.text !== '' && !mediaTypesOf(endpoint, schema, vocabulary).includes(type)) return [`${type} is not declared`];
  if (answer.body === undefined) return [];
  return problemsOf(schema, vocabulary === 'service' ? answer.body : neutralReply(answer.body, schema, endpoint.id));
}
