import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Outbound, Received } from '#net/outbound.ts';
import { type Embedder, EmbeddingsUnavailable, normalise, type Purpose } from './embedder.ts';

export type HttpOptions = {
  outbound: Outbound;
  /** Where `/v1/embeddings` is asked: its whole address. */
  url: string;
  model: string;
  key?: string | undefined;
  /** Milliseconds before the second try; each further one waits twice as long. */
  firstPause?: number;
  /** Milliseconds that the server has for one answer: somebody waits for a query's. */
  within?: Readonly<Record<Purpose, number>>;
};

const textsPerBatch = 32;
const longestReply = 32 * 1024 * 1024;
const defaultWithin = { query: 5_000, issues: 60_000 };
/** A query is tried once; issues are tried again after a pause. */
const tries: Readonly<Record<Purpose, number>> = { query: 1, issues: 4 };

const Reply = Type.Object({
  data: Type.Array(Type.Object({ index: Type.Integer({ minimum: 0 }), embedding: Type.Array(Type.Number(), { minItems: 1 }) })),
});

/** Vectors of a server that answers as OpenAI's `/v1/embeddings` does. */
export const httpEmbedder = (options: HttpOptions): Embedder => ({
  // What is near depends on the model.
  least: 0,
  identity: `http/${options.url}/${options.model}`,
  async embed(texts, purpose) {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += textsPerBatch)
      vectors.push(...(await embedSome(texts.slice(at, at + textsPerBatch), purpose, options)));
    return vectors;
  },
});

async function embedSome(texts: readonly string[], purpose: Purpose, options: HttpOptions): Promise<Float32Array[]> {
  let wait = options.firstPause ?? 1_000;
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(texts, purpose, options);
    if (Array.isArray(answer)) return answer;
    if (!answer.again || attempt === tries[purpose]) throw new EmbeddingsUnavailable(answer.failure);
    await pause(wait);
    wait *= 2;
  }
}

/** Why there are no vectors, and whether a later try may give some. */
type Failure = { failure: string; again: boolean };

async function ask(
  texts: readonly string[],
  purpose: Purpose,
  { outbound, url, model, key, within = defaultWithin }: HttpOptions,
) {
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
  const body = Buffer.from(JSON.stringify({ model, input: texts, encoding_format: 'float' }));
  try {
    const sending = { url: new URL(url), headers, body, within: within[purpose], keep: longestReply };
    return vectorsOf(await outbound.post(sending), texts.length);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { failure: `The embedding server can't be reached: ${said}`, again: true };
  }
}

function vectorsOf({ status, body }: Received, wanted: number): Float32Array[] | Failure {
  if (status !== 200) return { failure: `The embedding server answered ${status}`, again: status === 429 || status >= 500 };
  const reply = parsed(body);
  if (!Value.Check(Reply, reply)) return { failure: "The embedding server's reply holds no embeddings", again: false };
  const vectors = new Map(reply.data.map(({ index, embedding }) => [index, normalise(Float32Array.from(embedding))]));
  const inOrder = Array.from({ length: wanted }, (_, at) => vectors.get(at)).filter((vector) => vector !== undefined);
  const [first] = inOrder;
  return inOrder.length === wanted && inOrder.every(({ length }) => length === first?.length)
    ? inOrder
    : { failure: "The embedding server's reply doesn't hold one embedding for each text", again: false };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
