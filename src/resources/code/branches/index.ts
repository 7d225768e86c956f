export { merge } from './rules.ts';
