import { afterAll, expect, test } from 'vitest';
import { openOutbound } from '#net/outbound.ts';
import { EmbeddingsUnavailable } from '#search/embeddings/embedder.ts';
import { httpEmbedder } from '#search/embeddings/http.ts';
import { type Receiver, receiver } from '#test/support/receiver.ts';

const outbound = openOutbound({ allow: ['127.0.0.0/8'] });
afterAll(() => outbound.close());

type Asked = { model: string; input: string[] };

/** Answers with a vector for each text: its length and one, last text first. */
const vectors: Receiver['answer'] = (response, { body }) => {
  const { input }: Asked = JSON.parse(body);
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, 1] })).reverse();
  response.end(JSON.stringify({ object: 'list', data, usage: {} }));
};

const saying =
  (status: number, body = ''): Receiver['answer'] =>
  (response) => {
    response.statusCode = status;
    response.end(body);
  };

async function serverOf(...answers: Receiver['answer'][]) {
  const server = await receiver((response, request) => (answers.length > 1 ? answers.shift() : answers[0])?.(response, request));
  const timeout = { query: 1_000, issues: 60_000 };
  return { server, embedder: httpEmbedder({ outbound, url: server.url, model: 'small', key: 'k3y', firstPause: 1, timeout }) };
}

test('texts go out in batches with the key, and their vectors come back in order, of length 1', async () => {
  const { server, embedder } = await serverOf(vectors);
  const texts = Array.from({ length: 70 }, (_, at) => 'x'.repeat(at));
  const found = await embedder.embed(texts, 'issues');
  expect(server.requests.map(({ body }) => JSON.parse(body).input.length)).toEqual([32, 32, 6]);
  expect(server.requests[0]?.headers.authorization).toBe('Bearer k3y');
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ model: 'small', encoding_format: 'float' });
  expect(found.map((vector) => Math.round((vector[0] ?? 0) / (vector[1] ?? 1)))).toEqual(texts.map(({ length }) => length));
  expect(found.every((vector) => Math.abs(Math.hypot(...vector) - 1) < 1e-6)).toBe(true);
});

test('issues are tried again after a server error or too many requests, a query is not', async () => {
  const { server, embedder } = await serverOf(saying(503), saying(429), vectors);
  expect(await embedder.embed(['a'], 'issues')).toHaveLength(1);
  expect(server.requests).toHaveLength(3);
  const other = await serverOf(saying(503), vectors);
  await expect(other.embedder.embed(['a'], 'query')).rejects.toThrow(EmbeddingsUnavailable);
  expect(other.server.requests).toHaveLength(1);
});

test('a server that stays away is given up', async () => {
  const { server, embedder } = await serverOf(saying(500));
  await expect(embedder.embed(['a'], 'issues')).rejects.toThrow('answered 500');
  expect(server.requests).toHaveLength(4);
});

test.each([
  [401, '', 'answered 401'],
  [302, '', 'answered 302'],
  [200, '<html>', 'no embeddings'],
  [200, '{"data":[{"index":0,"embedding":["NaN"]}]}', 'no embeddings'],
  [200, '{"data":[{"index":0,"embedding":[]}]}', 'no embeddings'],
  [200, '{"data":[]}', 'one embedding for each'],
  [200, '{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}', 'one embedding for each'],
])('%s with %s is not asked again', async (status, body, said) => {
  const { server, embedder } = await serverOf(saying(status, body));
  await expect(embedder.embed(['a', 'b'], 'issues')).rejects.toThrow(said);
  expect(server.requests).toHaveLength(1);
});

test('a query waits no longer than its time, and a server that is away is told as that', async () => {
  const { server, embedder } = await serverOf(() => undefined);
  await expect(embedder.embed(['a'], 'query')).rejects.toThrow('timed out');
  expect(server.requests).toHaveLength(1);
  const away = httpEmbedder({ outbound, url: 'http://127.0.0.1:1/v1/embeddings', model: 'small' });
  await expect(away.embed(['a'], 'query')).rejects.toThrow(EmbeddingsUnavailable);
});

test('vectors of other servers and models are others', () => {
  const identity = (url: string, model: string): string => httpEmbedder({ outbound, url, model }).identity;
  expect(identity('http://a/v1/embeddings', 'small')).not.toBe(identity('http://b/v1/embeddings', 'small'));
  expect(identity('http://a/v1/embeddings', 'small')).not.toBe(identity('http://a/v1/embeddings', 'large'));
});
