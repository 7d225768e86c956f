import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { askModelServer, type ModelFailure } from '#net/model-server.ts';
import type { Outbound } from '#net/outbound.ts';
import { type Embedder, EmbeddingsUnavailable, normalise, type Purpose } from './embedder.ts';

type HttpOptions = {
  outbound: Outbound;
  /** The full URL of the endpoint `/v1/embeddings`. */
  url: string;
  model: string;
  key?: string | undefined;
  /** Milliseconds before the second attempt. Each further pause is twice as long. */
  firstPause?: number;
  /** Milliseconds for one request, by purpose. */
  timeout?: Readonly<Record<Purpose, number>>;
};

const textsPerBatch = 32;
const maxReply = 32 * 1024 * 1024;
const defaultTimeout = { query: 5_000, issues: 60_000 };
/** Queries aren't retried, since a user waits for them. */
const maxAttempts: Readonly<Record<Purpose, number>> = { query: 1, issues: 4 };

const Reply = Type.Object({
  data: Type.Array(Type.Object({ index: Type.Integer({ minimum: 0 }), embedding: Type.Array(Type.Number(), { minItems: 1 }) })),
});

/** An embedder that uses a server with OpenAI's API `/v1/embeddings`. */
export const httpEmbedder = (options: HttpOptions): Embedder => ({
  // Suitable values depend on the model.
  minSimilarity: 0,
  identity: `http/${options.url}/${options.model}`,
  async embed(texts, purpose) {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += textsPerBatch)
      vectors.push(...(await embedBatch(texts.slice(at, at + textsPerBatch), purpose, options)));
    return vectors;
  },
});

async function embedBatch(texts: readonly string[], purpose: Purpose, options: HttpOptions): Promise<Float32Array[]> {
  let wait = options.firstPause ?? 1_000;
  for (let attempt = 1; ; attempt++) {
    const result = await requestEmbeddings(texts, purpose, options);
    if (Array.isArray(result)) return result;
    if (!result.canRetry || attempt === maxAttempts[purpose]) throw new EmbeddingsUnavailable(result.failure);
    await pause(wait);
    wait *= 2;
  }
}

async function requestEmbeddings(
  texts: readonly string[],
  purpose: Purpose,
  { outbound, url, model, key, timeout = defaultTimeout }: HttpOptions,
): Promise<Float32Array[] | ModelFailure> {
  const answer = await askModelServer(
    { outbound, url, key, name: 'The embedding server' },
    { body: { model, input: texts, encoding_format: 'float' }, timeout: timeout[purpose], maxBytes: maxReply },
  );
  return 'failure' in answer ? answer : vectorsOf(answer.reply, texts.length);
}

async function vectorsOf(reply: unknown, count: number): Promise<Float32Array[] | ModelFailure> {
  const { Value } = await import('typebox/value');
  if (!Value.Check(Reply, reply)) return { failure: "The embedding server's reply holds no embeddings", canRetry: false };
  const vectors = new Map(reply.data.map(({ index, embedding }) => [index, normalise(Float32Array.from(embedding))]));
  const inOrder = Array.from({ length: count }, (_, at) => vectors.get(at)).filter((vector) => vector !== undefined);
  const [first] = inOrder;
  return inOrder.length === count && inOrder.every(({ length }) => length === first?.length)
    ? inOrder
    : { failure: "The embedding server's reply doesn't hold one embedding for each text", canRetry: false };
}
