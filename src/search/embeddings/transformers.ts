import { findPackageJSON } from 'node:module';
import { StartupError } from '#lib/startup-error.ts';
import { type Embedder, EmbeddingsUnavailable, normalise } from './embedder.ts';

/** An optional package, which operators install for this provider. */
const packageName: string = '@huggingface/transformers';
const textsPerBatch = 16;

/** The part of the package's types that is used, since the package may not be installed. */
type Extract = (texts: string[], options: { pooling: 'mean'; normalize: true }) => Promise<{ tolist(): unknown }>;
type Transformers = { pipeline(task: 'feature-extraction', model: string): Promise<Extract> };

/**
 * An embedder that runs an ONNX model in this process. The model is a folder, or a name that the package downloads.
 * @throws StartupError if the package isn't installed
 */
export function transformersEmbedder({ model }: { model: string }): Embedder {
  if (!isInstalled())
    throw new StartupError(`HEARTH_EMBEDDINGS=transformers needs the package ${packageName}: npm install ${packageName}`);
  let extractor: Promise<Extract> | undefined;
  return {
    minSimilarity: 0,
    identity: `transformers/${model}`,
    async embed(texts) {
      const vectors: Float32Array[] = [];
      try {
        extractor ??= loadExtractor(model);
        const extract = await extractor;
        for (let at = 0; at < texts.length; at += textsPerBatch) {
          const found = await extract(texts.slice(at, at + textsPerBatch), { pooling: 'mean', normalize: true });
          vectors.push(...rowsOf(found.tolist()));
        }
      } catch (error) {
        // The model is loaded again on the next call, since a failed download may succeed then.
        extractor = undefined;
        throw new EmbeddingsUnavailable(`The model ${model} gives no vectors: ${error instanceof Error ? error.message : error}`);
      }
      return vectors;
    },
  };
}

function isInstalled(): boolean {
  try {
    return findPackageJSON(packageName, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

async function loadExtractor(model: string): Promise<Extract> {
  const loaded: unknown = await import(packageName);
  if (!isTransformers(loaded)) throw new Error(`${packageName} has no function pipeline`);
  return loaded.pipeline('feature-extraction', model);
}

const isTransformers = (loaded: unknown): loaded is Transformers =>
  typeof loaded === 'object' && loaded !== null && 'pipeline' in loaded && typeof loaded.pipeline === 'function';

function rowsOf(lists: unknown): Float32Array[] {
  if (!Array.isArray(lists)) throw new Error('it answered without rows');
  return lists.map((row: unknown) => {
    if (!Array.isArray(row)) throw new Error('it answered with a row that is not a list');
    return normalise(Float32Array.from(row, Number));
  });
}
