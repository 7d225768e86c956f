/** The exports for other folders. */
export { EmbeddingsUnavailable } from './embedder.ts';
export { type Embeddings, type NearestQuery, type Neighbour, openEmbeddings, type Progress } from './embeddings.ts';
export { fuse } from './fuse.ts';
export { type EmbeddingSettings, embeddingProviders, openEmbedder } from './settings.ts';
