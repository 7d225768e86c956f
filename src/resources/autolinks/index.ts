export { findReadableAutolinks, type NamedAutolink } from './readable-store.ts';
