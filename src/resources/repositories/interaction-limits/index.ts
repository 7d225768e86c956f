export { findCapFor } from './caps.ts';
