export { findReadableAutolinks } from './readable-store.ts';
