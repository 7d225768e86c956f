/** What other parts may call. */
export { EmbeddingsUnavailable } from './embedder.ts';
export { type Embeddings, type Near, openEmbeddings, type Progress, type Wanted } from './embeddings.ts';
export { fuse } from './fuse.ts';
export { type EmbeddingSettings, embeddingProviders, openEmbedder } from './settings.ts';
