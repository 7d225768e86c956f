export { hasImmutableReleases } from './rules.ts';
